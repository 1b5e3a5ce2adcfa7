/** Usernames are equal in any case: stored, compared and linked trimmed and in lower case (spec 2 §5). */
export const normalizeUsername = (username: string): string => username.trim().toLowerCase();

/** A local part, and what follows a plus in it; a plus at its beginning is part of the name. */
const PLUS = /^([^@+]+)\+[^@]*@/u;
const GMAIL = /@(?:gmail|googlemail)\.com$/u;

/**
 * The mailbox that an address leads to, as the column `mailbox` of accounts says it: without what follows a
 * plus (RFC 5233), and at Gmail without dots, whatever name of its domain.
 * @param email in lower case
 */
export function mailboxOf(email: string): string {
  const plain = email.replace(PLUS, '$1@');
  if (!GMAIL.test(plain)) return plain;
  return `${(plain.split('@')[0] as string).replaceAll('.', '')}@gmail.com`;
}
