import type { QualifiedKey } from '../../platform/text/message-keys.ts';

type KindOf<Key> = Key extends `${infer Kind extends `${string}:mails.${string}`}.subject` ? Kind : never;

/** Names two texts of the sending slice: `accounts:mails.welcome` has a `subject` and a `text`. */
export type MailKind = KindOf<QualifiedKey>;

/** Emails retained in the development outbox per operator: enough for a day, too few for an archive. */
export const OUTBOX_LIMIT = 500;
export const OUTBOX_PAGE = 50;

/**
 * Longest subject: headers are folded at 78 characters and some clients cut there (RFC 5322 §2.1.1 allows
 * 998).
 */
export const MAX_SUBJECT_LENGTH = 150;

/** Puts a subject on one line: a line break in a value would start a header of an attacker's choice. */
export const subjectLine = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, ' ').trim().slice(0, MAX_SUBJECT_LENGTH);

/** Whether a text is one plain address, with nothing in it that adds a second recipient or a header. */
export const isRecipient = (to: string): boolean => /^[^\s,;<>"()[\]\\@]+@[^\s,;<>"()[\]\\@]+$/u.test(to);
