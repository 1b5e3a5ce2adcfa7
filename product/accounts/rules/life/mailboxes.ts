import { DISPOSABLE_DOMAINS } from './disposable-domains.ts';

/** Limit of unconfirmed, and of confirmed, accounts of one mailbox: a person may have one for each role. */
export const MAX_ACCOUNTS_OF_MAILBOX = 3;

/** Whether an address belongs to a disposable-mail service, or to a subdomain of one. */
export function isDisposable(email: string): boolean {
  const labels = email.slice(email.lastIndexOf('@') + 1).toLowerCase().split('.')
    .filter((text) => text !== '');
  return labels.some((_label, at) => DISPOSABLE_DOMAINS.has(labels.slice(at).join('.')));
}
