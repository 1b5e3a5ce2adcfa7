/** Whether a text is one plain address, as a command line takes it. */
export const isEmailAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s<>,;@]+@[^\s<>,;@]+\.[^\s<>,;@]+$/u.test(text);

/** Longest part of an address that becomes a name: a number must still fit behind it. */
const LONGEST = 22;
/** Shortest name, and the prefix of a shorter part. */
const [SHORTEST, LEAD] = [3, 'staff-'];

/**
 * Usernames for the owner of an email address, best first: the part before the at sign, then that part with
 * a number.
 */
export function usernameOfEmail(email: string, count: number): readonly string[] {
  const part = (email.split('@', 1)[0] ?? '').toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-')
    .replaceAll(/^-+|-+$/gu, '').slice(0, LONGEST);
  const name = part.length < SHORTEST ? `${LEAD}${part}`.replace(/-$/u, '') : part;
  return Array.from({ length: count }, (_, at) => (at === 0 ? name : `${name}-${at + 1}`));
}
