/** Longest chat message in characters: two lines on a phone, ten at most. */
export const MAX_CHAT_MESSAGE_LENGTH = 400;
/** The room keeps this many messages, on the server and in the page (spec 2 §4.12, §9). */
export const CHAT_HISTORY_LIMIT = 200;
/** User list and counts go out at most this often (spec 2 §4.12). */
export const COUNT_THROTTLE_MS = 5_000;

/** Usernames in addresses and the video panel are lower-cased and trimmed (spec 2 §5). */
export const normalizeUsername = (username: string): string => username.trim().toLowerCase();

/** Appends to a history that never exceeds the limit and never holds an id twice. Shared by page and server. */
export function appendMessages<M extends { readonly id: number }>(history: readonly M[], added: readonly M[]): M[] {
  const known = new Set(history.map((message) => message.id));
  const fresh = added.filter((message) => !known.has(message.id) && known.add(message.id));
  return [...history, ...fresh].slice(-CHAT_HISTORY_LIMIT);
}
