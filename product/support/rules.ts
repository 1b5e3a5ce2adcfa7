/** The topic of a request, which decides who answers it. */
export const TOPICS = ['account', 'payment', 'safety', 'privacy', 'other'] as const;
export type Topic = (typeof TOPICS)[number];

/** A shorter message says nothing that can be answered. */
export const MIN_MESSAGE_LENGTH = 10;
/** A page of text: more belongs in the answer to the first email. */
export const MAX_MESSAGE_LENGTH = 4_000;
/** Open requests of one person: with more they have to wait for an answer. */
export const MAX_OPEN_REQUESTS = 5;
export const REQUESTS_PER_PAGE = 50;
/** Closed requests are personal data that nobody needs for longer. */
export const RETAIN_CLOSED_DAYS = 180;

/** A chat message is a few sentences; more belongs in a request. */
export const MAX_CHAT_LENGTH = 1_000;
/** Messages stored and shown of one conversation: older ones are settled. */
export const MAX_CHAT_MESSAGES = 100;
export const CONVERSATIONS_PER_PAGE = 50;

/** What decides whether a person may chat with support. */
export interface Asking {
  /** Null for a guest. */
  readonly type: 'user' | 'model' | null;
  readonly hasCard: boolean;
}

/** Whether chat with support is open (spec 1 §6). @param isForAll the operator's test flag */
export const mayChat = ({ type, hasCard }: Asking, isForAll: boolean): boolean =>
  isForAll || type === 'model' || (type !== null && hasCard);

/** Whether somebody is shown the number of support (spec 1 §6). */
export const seesPhone = (
  { membership, isFlagged }: { readonly membership: string | null; readonly isFlagged: boolean },
): boolean => membership === 'super_vip' || isFlagged;
