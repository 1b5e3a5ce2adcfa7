import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Attendance } from '#platform/data/attendance.ts';
import type { Bus, Data } from '#platform/data/data.ts';
import type { RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { BillingService } from '#product/billing/server.ts';
import type { BroadcastService } from '#product/broadcast/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { LedgerService } from '#product/ledger/server.ts';
import type { RecordingsService } from '#product/recordings/server.ts';

export interface RoomsDependencies {
  readonly data: Data;
  readonly bus: Bus;
  /** Who is in which room, in all processes. */
  readonly attendance: Attendance;
  readonly limits: RateLimitStore;
  readonly extensions: Extensions;
  readonly accounts: AccountsService;
  readonly ledger: LedgerService;
  readonly billing: BillingService;
  readonly compliance: ComplianceService;
  readonly broadcast: BroadcastService;
  readonly recordings: RecordingsService;
  readonly text: TextOf;
  /** Logs an error of background work, such as a user list feed. */
  readonly onError: (error: unknown) => void;
}
