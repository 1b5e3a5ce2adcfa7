import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { hideMe, showMe } from '#product/compliance/client.ts';
import { showHidden } from '#product/compliance/web/live.ts';
import { useEffect, useRef } from 'react';

/** Hides the performer at once, without a question: it is undone as easily, in the same place. */
export default function HidePanel({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('screens');
  const hiding = useAction(hideMe, showHidden);
  const showing = useAction(showMe, showHidden);
  const { run } = hiding;
  const isAsked = useRef(false);
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    void run({});
  }, [run]);
  const show = async () => {
    if (await showing.run({})) onClose();
  };
  const title = t(hiding.busy ? 'hiding.working' : hiding.problem ? 'hiding.failed' : 'hiding.done');
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={hiding.problem
        ? <Button tone="danger" busy={hiding.busy} onClick={() => void run({})}>{t('hiding.now')}</Button>
        : (
          <Button
            busy={showing.busy}
            onClick={() => void show()}
          >
            {t('hiding.show')}
          </Button>
        )}
    >
      {hiding.busy || hiding.problem ? null : <p role="status">{t('hiding.text')}</p>}
      <FormError problem={hiding.problem ?? showing.problem} />
    </Dialog>
  );
}
