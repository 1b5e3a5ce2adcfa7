import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Blobs } from '#platform/data/blobs.ts';
import type { Data } from '#platform/data/data.ts';
import type { Pictures } from '#platform/images/pictures.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { LedgerService } from '#product/ledger/server.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { RoomsService } from '#product/rooms/server.ts';

export interface FanclubsDependencies {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly ledger: LedgerService;
  readonly notices: NoticesService;
  readonly rooms: RoomsService;
}

/** Dependencies of posts: those of clubs, and pictures. */
export interface PostDependencies extends FanclubsDependencies {
  readonly blobs: Blobs;
  readonly pictures: Pictures;
}
