import { useAction } from '#platform/ui/calls/calls.ts';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { endPrivate } from '../../client.ts';
import type { ReceiptView, RunningPrivateView } from '../../contract/private-running.ts';
import { Cost, useMinutes } from './amounts.tsx';

interface EndDialogProps {
  readonly running: RunningPrivateView;
  /** Username and display name of the other person. */
  readonly other: { readonly username: string; readonly name: string };
  /** The performer ends the show: the dialog says what the viewer gets back. */
  readonly isPerformer: boolean;
  readonly onEnded: (receipt: ReceiptView) => void;
  readonly onClose: () => void;
}

/**
 * Asks once before a private show ends, with its cost so far and what is given back. Render it only while the
 * show runs, so that it closes with the show (spec 3 §4).
 */
export function EndDialog({ running, other, isPerformer, onEnded, onClose }: EndDialogProps) {
  const { t } = useTranslation('shows');
  const end = useAction(endPrivate);
  const minutes = useMinutes();
  const left = minutes(running.privatePrepaidTimeLeftSeconds);
  const confirm = async () => {
    const receipt = await end.run({ username: other.username });
    if (!receipt) return;
    onEnded(receipt);
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('private.end.title')}
      accept={t('private.end.do')}
      reject={t('private.end.keep')}
      tone="danger"
      busy={end.busy}
      onAccept={() => void confirm()}
      onReject={onClose}
    >
      <div className="flex flex-col gap-3">
        {isPerformer ? <p>{t('private.end.refunds', { name: other.name, time: left })}</p> : (
          <>
            <p>{t('private.end.back', { time: left })}</p>
            <p className="text-sm text-muted">
              {t('private.paid')} <Cost tokens={running.privateTokenCount} />
            </p>
          </>
        )}
        <FormError problem={end.problem} />
      </div>
    </ConfirmDialog>
  );
}
