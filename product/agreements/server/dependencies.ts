import type { Data } from '#platform/data/data.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { SiteService } from '#product/site/server.ts';

export interface AgreementsDependencies {
  readonly data: Data;
  readonly text: TextOf;
  readonly accounts: AccountsService;
  readonly notices: Pick<NoticesService, 'notify' | 'networkOf' | 'recipientsOf'>;
  readonly site: Pick<SiteService, 'sellerIn'>;
  /** Seals signatures. */
  readonly secret: string;
}
