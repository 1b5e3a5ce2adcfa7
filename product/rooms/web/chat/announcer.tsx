import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useRef, useState } from 'react';
import type { ChatMessageView } from '../../contract.ts';
import { isIgnored, type Reader } from './ignored.tsx';
import { callsOn } from './input/mentions.ts';
import { isMessage, type ChatLineView } from './list/lines.ts';
import { senderName } from './sender-name.ts';

/** Screen readers read out the newest messages at most this often (look.md). */
const READ_OUT_EVERY_MS = 5_000;

/** The new message to read out: the last that mentions or replies to the reader, else the last of others. */
export function worthSaying(
  fresh: readonly ChatMessageView[],
  me: string | null,
): ChatMessageView | null {
  const others = fresh.filter(({ username }) => username !== me);
  return others.findLast((message) => callsOn(message, me)) ?? others.at(-1) ?? null;
}

interface AnnouncerProps {
  readonly lines: readonly ChatLineView[];
  readonly reader: Reader;
}

/** Reads out a summary politely, instead of every line. */
export function Announcer({ lines, reader }: AnnouncerProps) {
  const { t } = useTranslation('rooms');
  const reading = useRef(reader);
  reading.current = reader;
  const [text, setText] = useState('');
  const lastId = useRef<number | null>(null);
  const newest = useRef(lines);
  newest.current = lines;
  useEffect(() => {
    const timer = setInterval(() => {
      const last = newest.current.at(-1)?.id ?? 0;
      const since = lastId.current;
      lastId.current = Math.max(last, since ?? 0);
      // Messages from before joining are not new.
      if (since === null) return;
      const fresh = newest.current.filter(isMessage)
        .filter((line) => line.id > since && !isIgnored(line, reading.current));
      const spoken = worthSaying(fresh, reading.current.me);
      if (spoken === null) return;
      const { value: amount, message } = spoken;
      const name = senderName(spoken, t);
      const line = spoken.type === 'notice'
        ? message
        : (spoken.type === 'tip' ? t('tippedLine', { name, amount }) : t('saidLine', { name, message }));
      setText(fresh.length > 1 ? t('summary', { count: fresh.length, line }) : line);
    }, READ_OUT_EVERY_MS);
    return () => clearInterval(timer);
  }, [t]);
  return <p className="sr-only" role="log" aria-live="polite">{text}</p>;
}
