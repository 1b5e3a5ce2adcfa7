import type { Translate } from '#platform/ui/text/language.ts';
import type { ChatMessageView } from '../../contract.ts';
import { isAnonymous } from '../../rules.ts';

/** The name of a sender; whoever tipped without a name is anonymous in the reader's language. */
export const senderName = (
  message: Pick<ChatMessageView, 'username' | 'display_name'>,
  t: Translate<'rooms'>,
): string => (isAnonymous(message) ? t('chat.anonymous') : message.display_name);
