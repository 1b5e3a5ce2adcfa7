import type { Tx } from '../../../../platform/data/data.ts';
import type { NoticesService } from '../../../notices/server.ts';
import type { SiteService } from '../../../site/server.ts';
import type { Account } from '../../store.ts';
import { siteOf } from '../../store/life/deletion.ts';

export interface DeletionEmailParts {
  readonly site: Pick<SiteService, 'addressIn' | 'sellerIn'>;
  readonly notices: Pick<NoticesService, 'send'>;
}

const LOCALE = 'en';

/** Says what becomes of an account: no request may be behind it, so it is in the language of the account. */
export async function sendDeletionEmail(
  { site, notices }: DeletionEmailParts, tx: Tx, person: Account,
  kind: 'deletionAsked' | 'deletionSoon' | 'deletionKept' | 'deletionDone', locale = LOCALE,
): Promise<void> {
  const siteId = await siteOf(tx, person.id);
  const spoken = person.settings.locale ?? locale;
  const { brand } = await site.sellerIn(tx, siteId);
  await notices.send(tx, {
    to: person.email, kind: `accounts:mails.${kind}`, locale: spoken,
    values: {
      name: person.displayName, username: person.username, site: brand,
      link: `${await site.addressIn(tx, siteId)}/login`,
      date: person.deletionAt === null ? ''
        : new Intl.DateTimeFormat(spoken, { dateStyle: 'long', timeZone: 'UTC' }).format(person.deletionAt),
    },
  });
}
