import type { Scope } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { mailboxOf } from '#platform/text/usernames.ts';
import type { SiteService } from '#product/site/server.ts';
import { normalizeEmail } from '../../rules.ts';
import { isDisposable, MAX_ACCOUNTS_OF_MAILBOX } from '../../rules/life/mailboxes.ts';
import { lockAddress } from '../../store.ts';
import { countOfMailbox } from '../../store/life/email-changes.ts';

/** The operator's rules for an address: whether it is refused, and how many accounts its mailbox may have. */
export async function emailRulesOf(
  { site }: { readonly site: Pick<SiteService, 'settingsOf'> },
  scope: Scope,
  email: string,
): Promise<{ readonly isDisposable: boolean; readonly limit: number | null }> {
  const { refuseDisposableEmails, limitMailboxes } = await site.settingsOf(scope);
  return {
    isDisposable: refuseDisposableEmails && isDisposable(normalizeEmail(email)),
    limit: limitMailboxes ? MAX_ACCOUNTS_OF_MAILBOX : null,
  };
}

/**
 * Whether a mailbox has as many accounts as it may. Unconfirmed accounts are counted separately: somebody who
 * signs up with another person's address must not learn that the owner is a member.
 * @param limit null for any number
 */
export async function isMailboxFull(tx: Tx, limit: number | null, of: {
  readonly email: string;
  readonly isConfirmed: boolean;
  readonly besides?: number;
}): Promise<boolean> {
  if (limit === null) return false;
  const mailbox = mailboxOf(normalizeEmail(of.email));
  await lockAddress(tx, `mailbox ${mailbox}`);
  const { isConfirmed, besides = null } = of;
  return (await countOfMailbox(tx, mailbox, { isConfirmed, besides })) >= limit;
}
