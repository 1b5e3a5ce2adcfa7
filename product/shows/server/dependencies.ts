import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Bus, Data } from '#platform/data/data.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { BroadcastService } from '#product/broadcast/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { FanclubsService } from '#product/fanclubs/server.ts';
import type { LedgerService } from '#product/ledger/server.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { PerformersService } from '#product/performers/server.ts';
import type { RecordingsService } from '#product/recordings/server.ts';
import type { RoomsService } from '#product/rooms/server.ts';
import type { SiteService } from '#product/site/server.ts';
import type { TipsService } from '#product/tips/server.ts';

export interface ShowsDependencies {
  readonly data: Data;
  readonly bus: Bus;
  readonly site: SiteService;
  readonly notices: NoticesService;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly ledger: LedgerService;
  readonly broadcast: BroadcastService;
  readonly performers: PerformersService;
  readonly recordings: RecordingsService;
  readonly rooms: RoomsService;
  readonly fanclubs: FanclubsService;
  readonly tips: TipsService;
  readonly extensions: Extensions;
  readonly text: TextOf;
  /** Logs errors of work that no caller waits for. */
  readonly onError: (error: unknown) => void;
  /** Whole percent of a viewer's payment that the performer earns, the same as for a tip. */
  readonly performerSharePercent?: number;
}
