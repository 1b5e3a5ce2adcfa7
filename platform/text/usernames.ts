/** Usernames are case-insensitive: stored, compared and linked trimmed and in lower case (spec 2 §5). */
export const normalizeUsername = (username: string): string => username.trim().toLowerCase();

/** A local part and its suffix after a plus; a plus at the beginning is part of the name. */
const PLUS = /^([^@+]+)\+[^@]*@/u;
const GMAIL = /@(?:gmail|googlemail)\.com$/u;

/**
 * The mailbox that an address leads to, as in the column `mailbox` of accounts: without the suffix after a
 * plus (RFC 5233), and at Gmail without dots, for each of its domains.
 * @param email in lower case
 */
export function mailboxOf(email: string): string {
  const plain = email.replace(PLUS, '$1@');
  if (!GMAIL.test(plain)) return plain;
  return `${(plain.split('@')[0] as string).replaceAll('.', '')}@gmail.com`;
}
