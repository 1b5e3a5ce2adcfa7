/** What a request is about: it says who answers it. */
export const TOPICS = ['account', 'payment', 'safety', 'privacy', 'other'] as const;
export type Topic = (typeof TOPICS)[number];

/** Less says nothing that can be answered. */
export const MIN_MESSAGE_LENGTH = 10;
/** A page of text: more belongs into an answer to the first email. */
export const MAX_MESSAGE_LENGTH = 4_000;
/** Open requests of one person: who has more waits for an answer. */
export const MAX_OPEN_REQUESTS = 5;
export const REQUESTS_PER_PAGE = 50;
/** Closed requests are personal data that nobody needs for longer. */
export const RETAIN_CLOSED_DAYS = 180;
