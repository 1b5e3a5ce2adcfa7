import { DISPOSABLE_DOMAINS } from './disposable-domains.ts';

/** Accounts of one mailbox that wait to be confirmed, and that are: a person has one for each role. */
export const MAX_ACCOUNTS_OF_MAILBOX = 3;

/** A local part, and what follows a plus in it; a plus at its beginning is part of the name. */
const PLUS = /^([^@+]+)\+[^@]*@/u;
const GMAIL = /@(?:gmail|googlemail)\.com$/u;

/**
 * The mailbox that an address leads to, as the column `mailbox` says it: without what follows a plus (RFC
 * 5233), and at Gmail without dots, whatever name of its domain.
 * @param email in lower case
 */
export function mailboxOf(email: string): string {
  const plain = email.replace(PLUS, '$1@');
  if (!GMAIL.test(plain)) return plain;
  return `${(plain.split('@')[0] as string).replaceAll('.', '')}@gmail.com`;
}

/** Whether an address is of a service that gives anybody a mailbox for minutes, or below its domain. */
export function isDisposable(email: string): boolean {
  const labels = email.slice(email.lastIndexOf('@') + 1).toLowerCase().split('.')
    .filter((one) => one !== '');
  return labels.some((_label, at) => DISPOSABLE_DOMAINS.has(labels.slice(at).join('.')));
}
