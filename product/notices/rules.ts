/**
 * Kinds of mail name a pair of texts of the sending slice, e.g. `accounts:mails.welcome` for its `subject`
 * and `text`.
 */
export type MailKind = `${string}:mails.${string}`;

/**
 * Mails kept in the development outbox per operator: enough to find yesterday's, and no archive of private
 * letters.
 */
export const OUTBOX_LIMIT = 500;
export const OUTBOX_PAGE = 50;

/**
 * Longest subject: headers are folded at 78 characters and some clients cut there (RFC 5322 §2.1.1 allows
 * 998).
 */
export const MAX_SUBJECT_LENGTH = 150;

/**
 * A subject is one line, whatever values went into it: a line break would begin a header of somebody else's
 * choice.
 */
export const subjectLine = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, ' ').trim().slice(0, MAX_SUBJECT_LENGTH);

/** Whether a text can stand as a recipient: one address, nothing that could add another or a header. */
export const isRecipient = (to: string): boolean => /^[^\s,;<>"()[\]\\@]+@[^\s,;<>"()[\]\\@]+$/u.test(to);
