import { Button } from '../../../../../platform/ui/controls/button.tsx';
import { Dialog } from '../../../../../platform/ui/surfaces/dialog.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import type { Highlight } from './highlight.ts';

/** An alert with a highlighted message, titled by its sender. */
export default function HighlightAlert({ message, onSeen }: { message: Highlight; onSeen: () => void }) {
  const { t } = useTranslation('rooms');
  return (
    <Dialog title={t('chat.highlight', { name: message.display_name })} onClose={onSeen}
      actions={<Button tone="primary" onClick={onSeen}>{t('chat.seen')}</Button>}>
      <p className="break-words">{message.message}</p>
    </Dialog>
  );
}
