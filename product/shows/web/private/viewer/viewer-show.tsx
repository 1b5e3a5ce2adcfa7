import { useAction, useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntilEnd } from '#platform/ui/time/countdown.ts';
import { useMe } from '#product/accounts/web/me.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { Hourglass } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { withdrawPrivate } from '../../../client.ts';
import type { RunningPrivateView } from '../../../contract/private-running.ts';
import type { PrivateRequestView } from '../../../contract/private-show.ts';
import { Clock, Cost, Figure } from '../amounts.tsx';
import { EndDialog } from '../end-dialog.tsx';
import {
  changeCheck,
  useCheckAgain,
  useIsOtherSilent,
  useOutcome,
  usePrivateCheck,
  useWarning,
} from '../live.ts';
import { Over } from '../over.tsx';
import { Running } from '../running.tsx';

const ViewerWatching = lazy(() => import('../../watching/viewer-watching.tsx'));

/** This viewer's private show here: a pending request, a show, or how it ended; otherwise nothing. */
export function ViewerShow({ room, onMoneyPrompt }: PagePartProps) {
  const { username, displayName: name } = room.user;
  const read = usePrivateCheck(room);
  const [outcome, setOutcome] = useOutcome(username);
  const { request = null, running = null } = read.data ?? {};
  if (running) return <ViewerRunning room={room} running={running} onMoneyPrompt={onMoneyPrompt} />;
  if (request) return <Waiting key={request.requested_at} request={request} name={name} />;
  if (outcome) {
    return <Over outcome={outcome} name={name} isPerformer={false} onClose={() => setOutcome(null)} />;
  }
  return room.chat.mode === 'private' ? <ReadError read={read} /> : null;
}

function Waiting({ request, name }: { request: PrivateRequestView; name: string }) {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const cache = useCache();
  const { broadcaster } = request;
  const again = useCheckAgain(broadcaster);
  const left = useSecondsUntilEnd(request.expires_at, again);
  const withdraw = useAction(withdrawPrivate);
  const takeBack = async () => {
    if (await withdraw.run({ username: broadcaster })) {
      changeCheck(cache, broadcaster, (known) => ({ ...known, request: null }));
      toast(t('private.withdrawn'), 'success');
    } else again();
  };
  return (
    <div data-costs className="flex flex-wrap items-center gap-x-6 gap-y-2">
      <p
        role="status"
        className="flex min-w-0 grow basis-48 items-center gap-2
        max-lg:group-data-keyboard:sr-only"
      >
        <Hourglass size={20} aria-hidden className="shrink-0" />
        <span className="min-w-0">{t('private.waiting', { name })}</span>
      </p>
      <dl className="flex gap-x-6">
        <Figure name={t('private.expires')}>
          <Clock seconds={left} />
        </Figure>
        <Figure name={t('private.price')}>
          <Cost tokens={request.cost_per_minute} perMinute />
        </Figure>
        {request.pre_tip > 0
          ? (
            <Figure name={t('private.preTip')}>
              <Cost tokens={request.pre_tip} />
            </Figure>
          )
          : null}
      </dl>
      <Button busy={withdraw.busy} onClick={() => void takeBack()}>{t('private.withdraw')}</Button>
      <FormError problem={withdraw.problem} />
    </div>
  );
}

function ViewerRunning(
  { room, running, onMoneyPrompt }: Pick<PagePartProps, 'room' | 'onMoneyPrompt'> & {
    readonly running: RunningPrivateView;
  },
) {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const cache = useCache();
  const tokens = useMe()?.tokens ?? 0;
  const { username, displayName: name } = room.user;
  const [, setOutcome] = useOutcome(username);
  const warning = useWarning(username);
  const [isEnding, setEnding] = useState(false);
  const isSilent = useIsOtherSilent(username);
  return (
    <>
      <Running
        running={running}
        isPerformer={false}
        name={name}
        isSilent={isSilent}
        onEnd={() => setEnding(true)}
      >
        <Button onClick={() => onMoneyPrompt('low_tokens')}>{t('private.buy')}</Button>
      </Running>
      {/* A phone shows this in its header. */}
      <p className="text-sm text-muted max-sm:sr-only phone-landscape:sr-only">
        {t('private.balance')} <Cost tokens={tokens} />
        {running.limit === null ? null : (
          <>
            {' · '}
            {t('private.limit.own')} <Cost tokens={running.limit} />
          </>
        )}
      </p>
      {/* Always rendered, so that screen readers read out that a video starts. */}
      <Suspense>
        <ViewerWatching watched={running.watch_together} broadcaster={username} name={name} />
      </Suspense>
      {isEnding
        ? (
          <EndDialog
            running={running}
            other={{ username, name }}
            isPerformer={false}
            onClose={() => setEnding(false)}
            onEnded={(receipt) => {
              changeCheck(cache, username, (known) => ({ ...known, running: null }));
              setOutcome({ kind: 'ended', reason: receipt.reason_ended, receipt });
              warning.forget();
              toast(t('ended'), 'success');
            }}
          />
        )
        : null}
    </>
  );
}
