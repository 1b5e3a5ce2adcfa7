import { useAction, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined, useLobby } from '#platform/ui/calls/live.ts';
import { textOf, useForm, type Form } from '#platform/ui/forms/form.ts';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect } from 'react';
import { chatMessage, markChatRead, readChat, sendChat } from '../../client.ts';
import { showMessage, showUnread } from './live.ts';
import { clear, Composer, Messages } from './messages.tsx';

/** The person's own conversation with support, live. */
export default function ChatPanel() {
  const { t } = useTranslation('support');
  const cache = useCache();
  const lobby = useLobby(true);
  const read = useRead(readChat, {});
  const form: Form = useForm(sendChat, {
    shape: async () => (await import('../../contract/chat.ts')).sendChat,
    read: (fields) => ({ text: textOf(fields, 'text').trim() }),
    applied: showMessage,
    onDone: () => clear(form),
  });
  useEvent(lobby, chatMessage, (message) => showMessage(cache, message));
  useJoined(lobby, () => void read.refetch());
  const { run: markRead } = useAction(markChatRead, showUnread);
  const seen = read.data?.messages.findLast(({ from_support: isAnswer }) => isAnswer)?.id;
  // Answers count as seen while the panel is open; the next answer marks one that failed to be marked.
  useEffect(() => {
    if (seen !== undefined) void markRead({ up_to: seen });
  }, [markRead, seen]);
  return (
    <Loaded read={read} height="h-40">
      {({ messages }) => (
        <div className="flex flex-col gap-4">
          {messages.length === 0
            ? <p className="text-sm text-muted">{t('chat.empty')}</p>
            : <Messages messages={messages} username={null} />}
          <Composer label={t('chat.yours')} form={form} />
        </div>
      )}
    </Loaded>
  );
}
