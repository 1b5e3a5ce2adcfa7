import type { KeyOf, TextValues } from '#platform/text/message-keys.ts';

/** The texts of this slice in one language, on the server and in pages. */
export type Say = (key: KeyOf<'browse'>, values?: TextValues) => string;
