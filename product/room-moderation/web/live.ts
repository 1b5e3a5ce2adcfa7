import { useCallback } from 'react';
import type { Connection, RoomConnection } from '../../../platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useCache, useRead } from '../../../platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore } from '../../../platform/ui/calls/live-state.ts';
import { useEvent } from '../../../platform/ui/calls/live.ts';
import { chatBanned, chatKicked, getRoom, heldBack, moderated, reseated } from '../../rooms/client.ts';
import type { ChatMessageView, RoomDataView } from '../../rooms/contract.ts';
import {
  autosilenced, chatRulesChanged, getChatRules, getHeld, getModeration, heldDecided,
} from '../client.ts';
import type { May } from './actions/offers.ts';

const NOTHING: May = { moderate: false, name_moderators: false, change_rules: false };

/** What the room asks of this viewer, and what they may do in it. */
export function useStanding(username: string) {
  const { data } = useRead(getChatRules, { username }, { enabled: username !== '' });
  return { may: data?.may ?? NOTHING, speaking: data?.speaking ?? null, chatRules: data ?? null };
}

/** Asks anew for the rules of a room that this page changed. */
export function useRulesChanged(): (username: string) => Promise<void> {
  const cache = useCache();
  return useCallback((username: string) =>
    cache.invalidateQueries({ queryKey: queryKeyOf(getChatRules, { username }) }), [cache]);
}

/** Asks anew for the moderator's view after this page did something to somebody. */
export function useDone(): () => Promise<void> {
  const cache = useCache();
  return useCallback(() => cache.invalidateQueries({ queryKey: queryKeyOf(getModeration) }), [cache]);
}

/** A list of names with or without one of them. */
const withName = (names: readonly string[], name: string, isIn: boolean): string[] => {
  const others = names.filter((one) => one !== name);
  return isIn ? [...others, name] : others;
};

/** The room after something was done to somebody whose name this page may know. */
export function withModeration(
  room: RoomDataView, { type, action, username }: {
    readonly type: string; readonly action: 'add' | 'remove'; readonly username: string | null;
  },
): RoomDataView {
  if (username === null) return room;
  const { moderatorUsernameList, silencedUsernameList } = room.chat;
  const isIn = action === 'add';
  if (type === 'moderator') {
    const list = withName(moderatorUsernameList, username, isIn);
    return { ...room, chat: { ...room.chat, moderatorUsernameList: list } };
  }
  if (type === 'silenced') {
    const list = withName(silencedUsernameList, username, isIn);
    return { ...room, chat: { ...room.chat, silencedUsernameList: list } };
  }
  return room;
}

/** Messages a moderator's page keeps that only their senders see. */
const MAX_SHADOWED = 50;
const NO_MESSAGES: readonly ChatMessageView[] = [];
/** By room. */
type Shadowed = Readonly<Record<string, readonly ChatMessageView[]>>;
const SHADOWED = liveState<Shadowed>('room-moderation.shadowed', {});

/** Messages that only their senders see, since this page is open; oldest first. */
export function useShadowed(username: string): readonly ChatMessageView[] {
  return useLiveState(SHADOWED, (shadowed) => shadowed[username] ?? NO_MESSAGES);
}

interface Told {
  /** The room's own rules silenced this viewer, in their language. */
  readonly onSilenced: (reason: string) => void;
}

/** Keeps what the page holds of a room's order as the room says it. */
export function useModerationEvents(
  connection: RoomConnection | null, username: string, { onSilenced }: Told,
): void {
  const cache = useCache();
  const store = useLiveStore();
  const ask = useCallback((...keys: readonly (readonly unknown[])[]) => {
    for (const queryKey of keys) void cache.invalidateQueries({ queryKey });
  }, [cache]);
  const rules = queryKeyOf(getChatRules, { username });
  useEvent(connection, heldBack, ({ verdict, message }) => {
    if (verdict === 'hold') return ask(queryKeyOf(getHeld, { username }));
    store.change(SHADOWED, (known) => (
      { ...known, [username]: [...known[username] ?? NO_MESSAGES, message].slice(-MAX_SHADOWED) }));
  });
  useEvent(connection, heldDecided, ({ id }) => {
    changeCached(cache, getHeld, { username }, ({ held }) => ({
      held: held.filter((message) => message.id !== id),
    }));
  });
  useEvent(connection, moderated, (told) => {
    changeCached(cache, getRoom, { username }, (room) => withModeration(room, told));
    ask(queryKeyOf(getModeration));
  });
  useEvent(connection, chatRulesChanged, () => ask(rules));
  // Somebody made this viewer a moderator, or took that back: what the page may show is another.
  useEvent(connection, reseated, () => ask(rules, queryKeyOf(getRoom, { username })));
  useEvent(connection, autosilenced, ({ reason, room }) => {
    ask(rules);
    if (room === username) onSilenced(reason);
  });
}

/** How somebody was put out of a room, with the text of whoever did it, if any. */
export interface Expulsion {
  readonly kind: 'banned' | 'kicked';
  readonly reason: string | null;
}

/** Hears that this viewer was put out of a room. */
export function useExpulsion(connection: Connection | null, onOut: (out: Expulsion) => void): void {
  useEvent(connection, chatBanned, ({ reason }) => onOut({ kind: 'banned', reason }));
  useEvent(connection, chatKicked, ({ reason }) => onOut({ kind: 'kicked', reason }));
}

/** Takes everything read of a room out of the page. */
export function useForgetRoom(): (username: string) => void {
  const cache = useCache();
  const store = useLiveStore();
  return useCallback((username: string) => {
    for (const call of [getRoom, getChatRules, getHeld]) {
      cache.removeQueries({ queryKey: queryKeyOf(call, { username }) });
    }
    cache.removeQueries({ queryKey: queryKeyOf(getModeration) });
    store.change(SHADOWED, ({ [username]: _left, ...others }) => others);
  }, [cache, store]);
}

/** Asks anew for a room that this page has. */
export function useAskRoom(): (username: string) => void {
  const cache = useCache();
  return useCallback((username: string) => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getRoom, { username }) });
  }, [cache]);
}
