import type { Scope } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import type { SiteService } from '#product/site/server.ts';
import { normalizeEmail } from '../../rules.ts';
import { mailboxOf } from '#platform/text/usernames.ts';
import { isDisposable, MAX_ACCOUNTS_OF_MAILBOX } from '../../rules/life/mailboxes.ts';
import { lockAddress } from '../../store.ts';
import { countOfMailbox } from '../../store/life/email-changes.ts';

/** What the operator decided about an address: whether it is refused, and how many accounts a mailbox has. */
export async function emailRulesOf(
  { site }: { readonly site: Pick<SiteService, 'settingsOf'> }, scope: Scope, email: string,
): Promise<{ readonly isDisposable: boolean; readonly limit: number | null }> {
  const { refuseDisposableEmails, limitMailboxes } = await site.settingsOf(scope);
  return {
    isDisposable: refuseDisposableEmails && isDisposable(normalizeEmail(email)),
    limit: limitMailboxes ? MAX_ACCOUNTS_OF_MAILBOX : null,
  };
}

/**
 * Whether the mailbox of an address has all accounts it may have. Those that nobody confirmed are counted
 * apart: whoever signs up with the address of somebody else must not learn that they are a member.
 * @param limit null for any number
 */
export async function isMailboxFull(tx: Tx, limit: number | null, of: {
  readonly email: string; readonly isConfirmed: boolean; readonly besides?: number;
}): Promise<boolean> {
  if (limit === null) return false;
  const mailbox = mailboxOf(normalizeEmail(of.email));
  await lockAddress(tx, `mailbox ${mailbox}`);
  const { isConfirmed, besides = null } = of;
  return (await countOfMailbox(tx, mailbox, { isConfirmed, besides })) >= limit;
}
