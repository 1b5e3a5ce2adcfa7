import type { Extensions } from '../../../platform/contract/extension-point.ts';
import type { Attendance } from '../../../platform/data/fan-out/attendance.ts';
import type { Bus, Data } from '../../../platform/data/data.ts';
import type { RateLimitStore } from '../../../platform/data/limits/rate-limits.ts';
import type { TextOf } from '../../../platform/text/message-keys.ts';
import type { AccountsService } from '../../accounts/server.ts';
import type { BillingService } from '../../billing/server.ts';
import type { BroadcastService } from '../../broadcast/server.ts';
import type { ComplianceService } from '../../compliance/server.ts';
import type { LedgerService } from '../../ledger/server.ts';
import type { RecordingsService } from '../../recordings/server.ts';

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
  /** Logs an error that no caller waits for: in a user list feed. */
  readonly onError: (error: unknown) => void;
}
