import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { hideMe } from '#product/compliance/client.ts';
import { showHidden } from '#product/compliance/web/live.ts';
import { EyeOff } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';

const EndingShows = lazy(() => import('#product/shows/web/private/performer/ending-shows.tsx'));

/** In the console, where a click may be a mistake: the dialog names what hiding ends. */
export function HideButton({ onHiding }: { readonly onHiding: () => void }) {
  const { t } = useTranslation('screens');
  const [isAsking, setAsking] = useState(false);
  const { run, busy, problem } = useAction(hideMe, showHidden);
  const hide = async () => {
    onHiding();
    if (await run({})) setAsking(false);
  };
  return (
    <>
      <Button tone="quiet" icon={<EyeOff size={20} aria-hidden />} onClick={() => setAsking(true)}>
        <span className="max-sm:sr-only">{t('hiding.hide')}</span>
      </Button>
      {isAsking
        ? (
          <ConfirmDialog
            title={t('hiding.title')}
            accept={t('hiding.now')}
            reject={t('live.stay')}
            tone="danger"
            busy={busy}
            onReject={() => setAsking(false)}
            onAccept={() => void hide()}
          >
            <p>{t('hiding.lead')}</p>
            <Suspense>
              <EndingShows />
            </Suspense>
            <FormError problem={problem} />
          </ConfirmDialog>
        )
        : null}
    </>
  );
}
