import type { Tx } from '#platform/data/data.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { SiteService } from '#product/site/server.ts';
import type { Account } from '../../store.ts';
import { siteOf } from '../../store/life/deletion.ts';
import { recipientIn } from '../emails.ts';

export interface DeletionEmailParts {
  readonly site: Pick<SiteService, 'addressIn' | 'sellerIn'>;
  readonly notices: Pick<NoticesService, 'send'>;
}

const longDay = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });

/** Sends an email about a deletion. @param address of the request behind it; null for a deadline */
export async function sendDeletionEmail(
  { site, notices }: DeletionEmailParts,
  tx: Tx,
  person: Account,
  kind: 'deletionAsked' | 'deletionSoon' | 'deletionKept' | 'deletionDone',
  address: string | null = null,
): Promise<void> {
  const siteId = await siteOf(tx, person.id);
  const recipient = recipientIn(person);
  const { brand } = await site.sellerIn(tx, siteId);
  await notices.send(tx, {
    to: person.email,
    kind: `accounts:mails.${kind}`,
    ...recipient,
    address,
    isConfirmed: person.emailConfirmedAt !== null,
    values: {
      site: brand,
      link: `${await site.addressIn(tx, siteId)}/login`,
      date: person.deletionAt === null ? '' : longDay(recipient.locale).format(person.deletionAt),
    },
  });
}
