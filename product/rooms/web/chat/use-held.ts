import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { countUnread, holdStill, isAtEnd } from './hold.ts';
import { isMessage, type ChatLineView } from './list/lines.ts';

/** Why a chat is held: its reader has scrolled up, points at it, moves in it by keys, or has a menu open. */
export type HoldReason = 'scrolled' | 'pointed' | 'focused' | 'menu';

export interface Held {
  /** The lines shown: those of the room, or those of a held list. */
  readonly shown: readonly ChatLineView[];
  readonly isHeld: boolean;
  readonly unread: number;
  readonly hold: (reason: HoldReason, isOn: boolean) => void;
  /** Follows the newest line again. */
  readonly toEnd: () => void;
  /** For the list's scroll event. */
  readonly onScroll: () => void;
}

/**
 * Follows the newest line of a list, or holds the list while somebody reads. The reader's own new messages
 * are always shown.
 * @param look changes when the size of the lines changes
 */
export function useHeld(
  list: RefObject<HTMLElement | null>,
  live: readonly ChatLineView[],
  me: string | null,
  look: unknown,
): Held {
  const [reasons, setReasons] = useState<ReadonlySet<HoldReason>>(() => new Set());
  const before = useRef(live);
  const seenId = useRef(0);
  const isHeld = reasons.size > 0;
  const shown = isHeld ? holdStill(before.current, live) : live;
  const pin = useCallback(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [list]);
  useLayoutEffect(() => {
    before.current = shown;
    if (isHeld) return;
    seenId.current = live.at(-1)?.id ?? 0;
    pin();
  }, [shown, live, isHeld, look, pin]);
  // The height of the column changes with the window, a phone's keyboard and the panels below.
  useEffect(() => {
    if (isHeld || !list.current) return undefined;
    const watcher = new ResizeObserver(pin);
    watcher.observe(list.current);
    return () => watcher.disconnect();
  }, [isHeld, list, pin]);
  const toEnd = useCallback(() => setReasons((known) => (known.size === 0 ? known : new Set())), []);
  useOwnWord(live, me, toEnd);
  const hold = useCallback((reason: HoldReason, isOn: boolean) => {
    setReasons((known) => (known.has(reason) === isOn ? known : changed(known, reason, isOn)));
  }, []);
  const onScroll = useCallback(() => {
    const element = list.current;
    if (!element || element.clientHeight === 0) return;
    const { scrollTop: top, clientHeight: height, scrollHeight: whole } = element;
    hold('scrolled', !isAtEnd({ top, height, whole }));
  }, [hold, list]);
  const unread = isHeld ? countUnread(live, seenId.current) : 0;
  return { shown, isHeld, unread, hold, toEnd, onScroll };
}

/** Calls back when the reader's own message appears. */
function useOwnWord(live: readonly ChatLineView[], me: string | null, onOwnMessage: () => void): void {
  const known = useRef<number | null>(null);
  useEffect(() => {
    const since = known.current;
    known.current = live.at(-1)?.id ?? since;
    if (since === null || me === null) return;
    if (live.some((line) => line.id > since && isMessage(line) && line.username === me)) onOwnMessage();
  }, [live, me, onOwnMessage]);
}

function changed(
  known: ReadonlySet<HoldReason>,
  reason: HoldReason,
  isOn: boolean,
): ReadonlySet<HoldReason> {
  const next = new Set(known);
  if (isOn) next.add(reason);
  else next.delete(reason);
  return next;
}
