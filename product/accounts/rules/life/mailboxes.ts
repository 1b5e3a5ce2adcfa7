import { DISPOSABLE_DOMAINS } from './disposable-domains.ts';

/** Accounts of one mailbox that wait to be confirmed, and that are: a person has one for each role. */
export const MAX_ACCOUNTS_OF_MAILBOX = 3;

/** Whether an address is of a service that gives anybody a mailbox for minutes, or below its domain. */
export function isDisposable(email: string): boolean {
  const labels = email.slice(email.lastIndexOf('@') + 1).toLowerCase().split('.')
    .filter((one) => one !== '');
  return labels.some((_label, at) => DISPOSABLE_DOMAINS.has(labels.slice(at).join('.')));
}
