import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import type { DocumentName } from '../rules.ts';
import { DocumentText } from './document-text.tsx';

interface DocumentDialogProps {
  readonly name: DocumentName;
  readonly onClose: () => void;
}

/** A legal document over the current page, such as the sign-up. */
export default function DocumentDialog({ name, onClose }: DocumentDialogProps) {
  const ready = useTexts('legal');
  const { t } = useTranslation('legal');
  if (!ready) return null;
  return (
    <Dialog
      size="large"
      title={t(`${name}.title`)}
      onClose={onClose}
      actions={<Button tone="primary" onClick={onClose}>{t('close')}</Button>}
    >
      <DocumentText name={name} level={3} />
    </Dialog>
  );
}
