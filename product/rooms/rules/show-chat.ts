import { DAY_MS } from '#platform/time/units.ts';

/** Shows that have a chat of their own. */
export const SHOW_CHAT_KINDS = ['private', 'exclusive', 'ticket'] as const;
export type ShowChatKind = (typeof SHOW_CHAT_KINDS)[number];
/** A word and a number of 16 digits. */
export const MAX_SHOW_CHAT_KEY_LENGTH = 32;
/** How long what was said in a show is stored, so that it can be reported: a day, by who read it. */
export const SHOW_CHAT_MS = DAY_MS;

/** A show that runs and has a chat of its own. Whoever is not named here neither reads nor writes. */
export interface RunningShowChat {
  /** Which show: `private:12`. */
  readonly key: string;
  readonly kind: ShowChatKind;
  /** Those who read everything and write, the performer among them. */
  readonly writerIds: readonly number[];
  /** Those who spy: they read what is said since they pay, or since their picture came again. */
  readonly spies: readonly { readonly personId: number; readonly since: Date }[];
  /** Others may begin to spy. */
  readonly isOverheard: boolean;
}

/** What one person may do in the chat of a show. */
export interface ShowChatAccess {
  readonly mayWrite: boolean;
  /** They read what was said from then on; null for everything. */
  readonly since: Date | null;
}

/** When somebody could read the chat of a show; null for its begin or its end. */
export interface ReadSpan {
  readonly since: Date | null;
  /** From then on they read nothing. */
  readonly until: Date | null;
}

/** Whether somebody read what was said at a moment. */
export const hasRead = (spans: readonly ReadSpan[], at: Date): boolean => spans.some(({ since, until }) =>
  (since === null || at >= since) && (until === null || at < until));

/**
 * Whether somebody read what a message quotes. Whoever read from the begin did; nobody else did where it is
 * not known when that was said.
 */
export const hasReadQuote = (
  spans: readonly ReadSpan[], { at, quotedAt }: { readonly at: Date; readonly quotedAt: Date | undefined },
): boolean => hasRead(spans.filter(({ since }) => since === null), at)
  || (quotedAt !== undefined && hasRead(spans, quotedAt));

/** Null for who may not read. Roles count for nothing: neither moderators nor admins read along. */
export function showChatAccess(chat: RunningShowChat, personId: number | null): ShowChatAccess | null {
  if (personId === null) return null;
  if (chat.writerIds.includes(personId)) return { mayWrite: true, since: null };
  const spy = chat.spies.find((one) => one.personId === personId);
  return spy ? { mayWrite: false, since: spy.since } : null;
}

/** Everybody who may read the chat of a show. */
export const readersOf = ({ writerIds, spies }: RunningShowChat): readonly number[] =>
  [...new Set([...writerIds, ...spies.map(({ personId }) => personId)])];

/** Where somebody wants a message to go; `any` for a client that does not say. */
export type WantedChat =
  | { readonly kind: 'any' } | { readonly kind: 'public' }
  | { readonly kind: 'show'; readonly key: string };

/**
 * Where a message goes. A client that does not say writes into the show it is in, never past it: what is
 * meant for two must not be read by everybody. A show that is over is no room either.
 */
export function chatFor(
  wanted: WantedChat, running: RunningShowChat | null, personId: number,
): 'public' | 'show' | 'over' | 'read_only' {
  const access = running && showChatAccess(running, personId);
  if (wanted.kind === 'public') return 'public';
  if (wanted.kind === 'any') return access?.mayWrite ? 'show' : 'public';
  if (!access || running?.key !== wanted.key) return 'over';
  return access.mayWrite ? 'show' : 'read_only';
}
