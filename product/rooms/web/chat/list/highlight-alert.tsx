import { AlertDialog } from '#platform/ui/surfaces/questions.tsx';
import { StaffBadge } from '#platform/ui/text/person-name.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { PersonButton } from '../../person-card.tsx';
import type { Highlight } from './highlight.ts';

/** An alert with a highlighted message; its title is the sender's name, with username and badge below. */
export default function HighlightAlert({ message, onSeen }: { message: Highlight; onSeen: () => void }) {
  const { t } = useTranslation('rooms');
  return (
    <AlertDialog
      title={t('chat.highlight', { name: message.display_name })}
      dismiss={t('chat.seen')}
      onDismiss={onSeen}
    >
      <p className="text-sm text-muted">
        {message.is_staff ? <StaffBadge /> : null}
        <PersonButton username={message.username} known={message}>@{message.username}</PersonButton>
      </p>
      <p className="break-words">
        <Typed>{message.message}</Typed>
      </p>
    </AlertDialog>
  );
}
