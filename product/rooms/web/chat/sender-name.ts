import { useCallback } from 'react';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { ChatMessageView } from '../../contract.ts';
import { isAnonymous } from '../../rules.ts';

/** Returns the name of a sender; whoever tipped without a name is anonymous in the reader's language. */
export function useSenderName(): (message: Pick<ChatMessageView, 'username' | 'display_name'>) => string {
  const { t } = useTranslation('rooms');
  return useCallback((message) => (isAnonymous(message) ? t('chat.anonymous') : message.display_name), [t]);
}
