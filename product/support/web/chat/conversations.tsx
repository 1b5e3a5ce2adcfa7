import { problemOf, useAction, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined, useLobby } from '#platform/ui/calls/live.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { textOf, useForm, type Form } from '#platform/ui/forms/form.ts';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import {
  answerConversation,
  closeConversation,
  conversationChanged,
  listConversations,
  readConversation,
} from '../../client.ts';
import type { ConversationView } from '../../contract/chat.ts';
import { refreshConversation, showClosed } from './live.ts';
import { clear, Composer, Messages } from './messages.tsx';

/** For admins: the list of conversations with support, and the open one. */
export function Conversations() {
  const { t } = useTranslation('support');
  const [closed, setClosed] = useState(false);
  const [open, setOpen] = useState<number | null>(null);
  const cache = useCache();
  const lobby = useLobby();
  const read = useReadPages(listConversations, closed ? { closed } : {});
  const { data, error, refetch } = read;
  useEvent(lobby, conversationChanged, (changed) => refreshConversation(cache, changed));
  useJoined(lobby, () => void refetch());
  const conversations = data?.pages.flatMap((page) => page.conversations);
  return (
    <>
      <Checkbox
        label={t('admin.closed')}
        checked={closed}
        onChange={({ target }) => setClosed(target.checked)}
      />
      {error && !conversations
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : !conversations
        ? <Skeleton className="h-40" />
        : conversations.length === 0
        ? <EmptyState text={t('admin.noChats')} />
        : (
          <ul className="flex flex-col gap-2">
            {conversations.map((item) => (
              <li key={item.id} className="rounded-card border border-line p-3">
                <Row
                  conversation={item}
                  isOpen={open === item.id}
                  onOpen={() => setOpen(open === item.id ? null : item.id)}
                />
                {open === item.id ? <OneConversation conversation={item} /> : null}
              </li>
            ))}
          </ul>
        )}
      <MorePages read={read} className="py-4" />
    </>
  );
}

function Row({ conversation, isOpen, onOpen }: {
  readonly conversation: ConversationView;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}) {
  const { t } = useTranslation('support');
  const { username, is_waiting: isWaiting, last_text: text, last_at: at } = conversation;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0 grow basis-48">
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span>{username}</span>
          {isWaiting ? <strong className="text-text">{t('admin.waiting')}</strong> : null}
          <RelativeTime at={at} />
        </p>
        {isOpen ? null : (
          <p className="truncate">
            <Typed>{text}</Typed>
          </p>
        )}
      </div>
      <Button aria-expanded={isOpen} onClick={onOpen}>{t('admin.chatWith', { name: username })}</Button>
    </div>
  );
}

function OneConversation({ conversation: { id, username, closed_at: closedAt } }: {
  readonly conversation: ConversationView;
}) {
  const { t } = useTranslation('support');
  const cache = useCache();
  const read = useRead(readConversation, { id });
  const form: Form = useForm(answerConversation, {
    shape: async () => (await import('../../contract/chat.ts')).answerConversation,
    read: (fields) => ({ id, text: textOf(fields, 'text').trim() }),
    onDone: () => {
      clear(form);
      refreshConversation(cache, { id });
    },
  });
  const closing = useAction(closeConversation, showClosed);
  return (
    <Loaded read={read} height="h-40">
      {({ messages }) => (
        <div className="mt-3 flex flex-col gap-3">
          <Messages messages={messages} username={username} />
          <Composer label={t('admin.answerTo', { name: username })} form={form} />
          {closedAt === null
            ? (
              <div>
                <Button tone="quiet" busy={closing.busy} onClick={() => void closing.run({ id })}>
                  {t('admin.closeChat', { name: username })}
                </Button>
              </div>
            )
            : null}
          <FormError problem={closing.problem} />
        </div>
      )}
    </Loaded>
  );
}
