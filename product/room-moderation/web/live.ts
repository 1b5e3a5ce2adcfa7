import type { Connection, RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { useMe } from '#product/accounts/web/me.ts';
import {
  chatBanned,
  chatKicked,
  getRoom,
  messageWithheld,
  moderated,
  reconnectRequired,
} from '#product/rooms/client.ts';
import type { ChatMessageView, RoomDataView } from '#product/rooms/contract.ts';
import { useCallback } from 'react';
import {
  autosilenced,
  chatRulesChanged,
  getChatRules,
  getHeld,
  getModeration,
  heldDecided,
} from '../client.ts';
import type { May } from './actions/offers.ts';

const NOTHING: May = { moderate: false, name_moderators: false, change_rules: false };

/** The chat rules of a room, and what this viewer may do in it. */
export function useChatPermissions(username: string) {
  const read = useRead(getChatRules, { username }, { enabled: username !== '' });
  const { data, isLoadingError } = read;
  return {
    may: data?.may ?? NOTHING,
    speaking: data?.speaking ?? null,
    chatRules: data ?? null,
    failed: isLoadingError ? read : null,
  };
}

/** Refetches the chat rules of a room. */
export function useReloadRules(): (username: string) => Promise<void> {
  const cache = useCache();
  return useCallback(
    (username: string) => cache.invalidateQueries({ queryKey: queryKeyOf(getChatRules, { username }) }),
    [cache],
  );
}

/** Refetches the lists of the moderation panel. */
export function useReloadModeration(): () => Promise<void> {
  const cache = useCache();
  return useCallback(() => cache.invalidateQueries({ queryKey: queryKeyOf(getModeration) }), [cache]);
}

/** A list of names with or without one of them. */
const withName = (names: readonly string[], name: string, isIn: boolean): string[] => {
  const others = names.filter((text) => text !== name);
  return isIn ? [...others, name] : others;
};

/** The room data after a moderation; unchanged without the name of its subject. */
export function withModeration(
  room: RoomDataView,
  { type, action, username }: {
    readonly type: string;
    readonly action: 'add' | 'remove';
    readonly username: string | null;
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

/** The most shadowed messages that a moderator's page stores. */
const MAX_SHADOWED = 50;
const NO_MESSAGES: readonly ChatMessageView[] = [];
/** By room. */
type Shadowed = Readonly<Record<string, readonly ChatMessageView[]>>;
const SHADOWED = liveState<Shadowed>('room-moderation.shadowed', {});

/** Messages that only their senders and moderators see, since the page was opened; oldest first. */
export function useShadowed(username: string): readonly ChatMessageView[] {
  return useLiveState(SHADOWED, (shadowed) => shadowed[username] ?? NO_MESSAGES);
}

interface ModerationEventHandlers {
  /** The room's own rules silenced this viewer. @param reason in their language */
  readonly onSilenced: (reason: string) => void;
}

/** Applies moderation events to the page's data of a room. */
export function useModerationEvents(
  connection: RoomConnection | null,
  username: string,
  { onSilenced }: ModerationEventHandlers,
): void {
  const cache = useCache();
  const store = useLiveStore();
  const own = useMe()?.user.username ?? null;
  const ask = useCallback((...keys: readonly (readonly unknown[])[]) => {
    for (const queryKey of keys) void cache.invalidateQueries({ queryKey });
  }, [cache]);
  const rules = queryKeyOf(getChatRules, { username });
  // Catches up on changes without a socket: before the first one, and between two.
  useJoined(connection, () => ask(rules, queryKeyOf(getHeld, { username })));
  useEvent(connection, messageWithheld, ({ verdict, message }) => {
    if (verdict === 'hold') return ask(queryKeyOf(getHeld, { username }));
    store.change(SHADOWED, (known) => (
      { ...known, [username]: [...known[username] ?? NO_MESSAGES, message].slice(-MAX_SHADOWED) }
    ));
  });
  useEvent(connection, heldDecided, ({ id }) => {
    changeCached(cache, getHeld, { username }, ({ held }) => ({
      held: held.filter((message) => message.id !== id),
    }));
  });
  useEvent(connection, moderated, (moderation) => {
    changeCached(cache, getRoom, { username }, (room) => withModeration(room, moderation));
    ask(queryKeyOf(getModeration));
    // This viewer's right to write has changed: the message field shows it before they try.
    if (moderation.type === 'silenced' && moderation.username === own) ask(rules);
  });
  useEvent(connection, chatRulesChanged, () => ask(rules));
  // This viewer's moderator rights have changed, and so have their permissions.
  useEvent(connection, reconnectRequired, () => ask(rules, queryKeyOf(getRoom, { username })));
  useEvent(connection, autosilenced, ({ reason, room }) => {
    ask(rules);
    if (room === username) onSilenced(reason);
  });
}

/** A ban or kick of this viewer, with the moderator's reason, if any. */
export interface Expulsion {
  readonly kind: 'banned' | 'kicked';
  readonly reason: string | null;
}

/** Calls `onOut` when this viewer is banned or kicked. */
export function useExpulsion(connection: Connection | null, onOut: (out: Expulsion) => void): void {
  useEvent(connection, chatBanned, ({ reason }) => onOut({ kind: 'banned', reason }));
  useEvent(connection, chatKicked, ({ reason }) => onOut({ kind: 'kicked', reason }));
}

/** Removes everything of a room from the page's data. */
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

/** Refetches the room data. */
export function useReloadRoom(): (username: string) => void {
  const cache = useCache();
  return useCallback((username: string) => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getRoom, { username }) });
  }, [cache]);
}
