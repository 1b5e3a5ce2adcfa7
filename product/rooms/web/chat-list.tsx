import { ArrowDown } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { Pill } from '../../../platform/ui/surfaces/card.tsx';
import { TokenAmount } from '../../../platform/ui/text/amounts.tsx';
import type { ChatMessageView } from '../contract.ts';

/** So close to the end counts as reading along. */
const STICK_PX = 48;
/** Screen readers hear the newest messages at most this often (look.md). */
const ANNOUNCE_EVERY_MS = 5_000;

/** The chat: newest at the bottom, sticking there unless scrolled up, held while the pointer is over it. */
export function ChatList({ messages, empty }: { messages: readonly ChatMessageView[]; empty: string }) {
  const { t } = useTranslation('rooms');
  const list = useRef<HTMLOListElement>(null);
  const { unread, onScroll, toEnd } = useStick(list, messages);
  return (
    <div className="relative min-h-0 grow">
      <ol
        ref={list}
        onScroll={onScroll}
        tabIndex={0}
        aria-label={t('chat')}
        className="flex h-full flex-col gap-1 overflow-y-auto overscroll-contain px-3 py-2 text-sm">
        {messages.length === 0 ? <li className="m-auto px-4 text-center text-muted">{empty}</li> : null}
        {messages.map((message) => (
          <ChatLine key={message.id} message={message} />
        ))}
      </ol>
      {unread > 0 ? (
        <button
          type="button"
          onClick={toEnd}
          className="absolute inset-x-0 bottom-2 mx-auto flex min-h-11 w-fit items-center gap-2 rounded-full
            border border-line bg-raised px-4 text-sm font-medium shadow-float">
          <ArrowDown size={16} aria-hidden />
          {t('unread', { count: unread })}
        </button>
      ) : null}
      <Announcer messages={messages} />
    </div>
  );
}

function ChatLine({ message }: { message: ChatMessageView }) {
  const { t } = useTranslation('rooms');
  if (message.type === 'tip') {
    return (
      <li className="rounded-control border-l-2 border-pink bg-pink/10 px-2 py-1 break-words">
        <strong className="font-bold">{message.display_name}</strong>{' '}
        {t('tipped')} <TokenAmount tokens={message.value} className="font-bold" />
        {message.message ? <span className="block">{message.message}</span> : null}
      </li>
    );
  }
  if (message.type === 'notice')
    return <li className="px-2 py-1 text-muted italic break-words">{message.message}</li>;
  return (
    <li className={`rounded-control px-2 py-1 break-words ${message.error ? 'text-danger-text' : ''}`}>
      <strong className={`font-bold ${message.is_model ? 'text-accent' : 'text-link'}`}>
        {message.display_name}
      </strong>
      {message.is_model ? (
        <>
          {' '}
          <Pill tone="live">{t('badge.performer')}</Pill>
        </>
      ) : null}
      {message.is_moderator ? (
        <>
          {' '}
          <Pill tone="private">{t('badge.moderator')}</Pill>
        </>
      ) : null}
      {': '}
      {message.message}
    </li>
  );
}

/** Keeps the list at its end while the reader is there; counts what arrives while they are not. */
function useStick(list: RefObject<HTMLOListElement | null>, messages: readonly ChatMessageView[]) {
  const stuck = useRef(true);
  const seen = useRef(0);
  const [unread, setUnread] = useState(0);
  const last = messages.at(-1)?.id ?? 0;
  const toEnd = useCallback(() => {
    const element = list.current;
    if (element) element.scrollTop = element.scrollHeight;
    stuck.current = true;
    setUnread(0);
  }, [list]);
  useLayoutEffect(() => {
    const held = list.current?.matches(':hover') && list.current.scrollHeight > list.current.clientHeight
      && !stuck.current;
    if (stuck.current && !held) {
      seen.current = last;
      toEnd();
    } else {
      setUnread(messages.filter((message) => message.id > seen.current).length);
    }
  }, [last, messages, list, toEnd]);
  const onScroll = useCallback(() => {
    const element = list.current;
    if (!element) return;
    stuck.current = element.scrollHeight - element.scrollTop - element.clientHeight < STICK_PX;
    if (stuck.current) {
      seen.current = last;
      setUnread(0);
    }
  }, [list, last]);
  return { unread, onScroll, toEnd };
}

/** A polite summary for screen readers instead of every line. */
function Announcer({ messages }: { messages: readonly ChatMessageView[] }) {
  const { t } = useTranslation('rooms');
  const [text, setText] = useState('');
  const spoken = useRef(messages.at(-1)?.id ?? 0);
  const newest = useRef(messages);
  newest.current = messages;
  useEffect(() => {
    const timer = setInterval(() => {
      const fresh = newest.current.filter((message) => message.id > spoken.current);
      const last = fresh.at(-1);
      if (!last) return;
      spoken.current = last.id;
      const line = last.type === 'tip' ? t('tippedLine', { name: last.display_name, amount: last.value })
        : t('saidLine', { name: last.display_name, message: last.message });
      setText(fresh.length > 1 ? t('summary', { count: fresh.length, line }) : line);
    }, ANNOUNCE_EVERY_MS);
    return () => clearInterval(timer);
  }, [t]);
  return <p className="sr-only" role="log" aria-live="polite">{text}</p>;
}
