import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { getOwnRating, ratePerformer } from '../../client.ts';
import { TIPS_TO_RATE, VOTES, type Vote } from '../../rules/ratings.ts';
import { showRating } from './live.ts';

interface RatingDialogProps {
  readonly username: string;
  readonly name: string;
  readonly onClose: () => void;
}

const ICONS = { RATE_UP: ThumbsUp, RATE_DOWN: ThumbsDown } as const satisfies Record<Vote, unknown>;

/** This viewer's vote on the performer today; without enough tips, how much is missing. */
export default function RatingDialog({ username, name, onClose }: RatingDialogProps) {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const { data, error, refetch } = useRead(getOwnRating, { username });
  const rate = useAction(ratePerformer, showRating);
  const send = async (vote: Vote) => {
    if (!(await rate.run({ username, vote }))) return;
    toast(t('rating.thanks', { name }), 'success');
    onClose();
  };
  const missing = data ? TIPS_TO_RATE - data.recent_tips : 0;
  return (
    <Dialog title={t('rating.title', { name })} onClose={onClose}>
      {data
        ? (
          <div className="flex flex-col gap-4">
            <p>
              {missing > 0
                ? t('rating.tooFewTips', { name, needed: TIPS_TO_RATE, tipped: data.recent_tips })
                : t('rating.explained')}
            </p>
            {missing > 0 ? null : (
              <div className="grid grid-cols-2 gap-3">
                {VOTES.map((vote) => {
                  const Icon = ICONS[vote];
                  return (
                    <Button
                      key={vote}
                      wide
                      busy={rate.busy}
                      aria-pressed={data.rate_today === vote}
                      icon={<Icon size={20} aria-hidden />}
                      onClick={() => void send(vote)}
                    >
                      {t(`rating.vote.${vote}`)}
                    </Button>
                  );
                })}
              </div>
            )}
            {rate.problem ? <p role="alert" className="text-error">{rate.problem.message}</p> : null}
          </div>
        )
        : error
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : <Skeleton className="h-24" />}
    </Dialog>
  );
}
