import { useAction } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { EmptyState, FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Sparkles } from 'lucide-react';
import { Link } from 'react-router';
import { saveForYou } from '../../client.ts';
import { showForYou } from './live.ts';

/** The page that shows what "for you" has learned. */
export const LEARNED_ADDRESS = '/view-history#for-you';

/** Replaces "for you" while the person has turned it off, with a way to turn it on. */
export function ForYouOff() {
  const { t } = useTranslation('browse');
  const { run, busy, problem } = useAction(saveForYou, showForYou);
  return (
    <EmptyState
      icon={<Sparkles size={28} aria-hidden />}
      text={t('forYou.off')}
      action={
        <>
          <FormError problem={problem} />
          <div className="flex flex-wrap justify-center gap-3">
            <Button
              tone="primary"
              busy={busy}
              onClick={() => void run({ is_shown: true })}
            >
              {t('forYou.turnOn')}
            </Button>
            <ButtonLink to={LEARNED_ADDRESS}>{t('forYou.settings')}</ButtonLink>
          </div>
        </>
      }
    />
  );
}

/** On the page of "for you": the link to what it has learned. */
export function ForYouSettings() {
  const { t } = useTranslation('browse');
  return (
    <Link to={LEARNED_ADDRESS} className="inline-flex min-h-11 items-center text-sm text-link underline">
      {t('forYou.settings')}
    </Link>
  );
}
