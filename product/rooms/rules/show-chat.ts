import { DAY_MS } from '#platform/time/units.ts';

/** Shows that have a chat of their own. */
export const SHOW_CHAT_KINDS = ['private', 'exclusive', 'ticket'] as const;
export type ShowChatKind = (typeof SHOW_CHAT_KINDS)[number];
/** Fits a kind, a colon and a number of 16 digits. */
export const MAX_SHOW_CHAT_KEY_LENGTH = 32;
/** How long messages of a show are stored, so that they can be reported: a day, by people who read them. */
export const SHOW_CHAT_MS = DAY_MS;

/** A running show with a chat of its own. People who are not named here neither read nor write. */
export interface RunningShowChat {
  /** Key of the show, such as `private:12`. */
  readonly key: string;
  readonly kind: ShowChatKind;
  /** People who read everything and write, including the performer. */
  readonly writerIds: readonly number[];
  /** Spies: they read messages since they began to pay, or since their video came back. */
  readonly spies: readonly { readonly personId: number; readonly since: Date }[];
  /** Whether others may begin to spy. */
  readonly isOpenToSpies: boolean;
}

/** What one person may do in the chat of a show. */
export interface ShowChatAccess {
  readonly mayWrite: boolean;
  /** They read messages from this moment on; null for all messages. */
  readonly since: Date | null;
}

/** When somebody could read the chat of a show; null for its beginning or its end. */
export interface ReadSpan {
  readonly since: Date | null;
  /** From this moment on they read nothing. */
  readonly until: Date | null;
}

/** Whether somebody read what was written at a moment. */
export const hasRead = (spans: readonly ReadSpan[], at: Date): boolean =>
  spans.some(({ since, until }) => (since === null || at >= since) && (until === null || at < until));

/**
 * Whether somebody read the message that another one quotes. If the time of the quoted message is unknown,
 * only people who read from the beginning did.
 */
export const hasReadQuote = (
  spans: readonly ReadSpan[],
  { at, quotedAt }: { readonly at: Date; readonly quotedAt: Date | undefined },
): boolean =>
  hasRead(spans.filter(({ since }) => since === null), at)
  || (quotedAt !== undefined && hasRead(spans, quotedAt));

/** Null for people who may not read. Roles do not matter: neither moderators nor admins read along. */
export function showChatAccess(chat: RunningShowChat, personId: number | null): ShowChatAccess | null {
  if (personId === null) return null;
  if (chat.writerIds.includes(personId)) return { mayWrite: true, since: null };
  const spy = chat.spies.find((item) => item.personId === personId);
  return spy ? { mayWrite: false, since: spy.since } : null;
}

/** Everybody who may read the chat of a show. */
export const readersOf = (
  { writerIds, spies }: RunningShowChat,
): readonly number[] => [...new Set([...writerIds, ...spies.map(({ personId }) => personId)])];

/** Which chat a client sends a message to; `any` if it names none. */
export type WantedChat = { readonly kind: 'any' } | { readonly kind: 'public' } | {
  readonly kind: 'show';
  readonly key: string;
};

/**
 * Where a message goes. A client that names no chat writes into the show it is in: a message meant for two
 * must not be read by everybody. A message meant for a show that is over does not go to the room, either.
 */
export function chatFor(
  wanted: WantedChat,
  running: RunningShowChat | null,
  personId: number,
): 'public' | 'show' | 'over' | 'read_only' {
  const access = running && showChatAccess(running, personId);
  if (wanted.kind === 'public') return 'public';
  if (wanted.kind === 'any') return access?.mayWrite ? 'show' : 'public';
  if (!access || running?.key !== wanted.key) return 'over';
  return access.mayWrite ? 'show' : 'read_only';
}
