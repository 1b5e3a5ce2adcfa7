import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data, OperatorScope } from '#platform/data/data.ts';
import type { Outputs } from '#platform/streaming/outputs/outputs.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { BroadcastService } from '#product/broadcast/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { SiteService } from '#product/site/server.ts';
import { RECORDING_QUOTA_BYTES } from '../rules.ts';

export interface RecordingsDependencies {
  readonly data: Data;
  readonly site: SiteService;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly broadcast: BroadcastService;
  readonly outputs: Outputs;
  readonly extensions: Extensions;
  /** Folder of this machine for recordings and tests. */
  readonly folder: string;
  /** Logs errors of background work, such as handling a report of the outputs. */
  readonly onError: (error: unknown) => void;
}

/** Space for the recordings of one performer, in bytes. */
export const quotaOf = async ({ site }: RecordingsDependencies, scope: OperatorScope): Promise<number> =>
  (await site.settingsOf(scope)).recordingQuotaBytes ?? RECORDING_QUOTA_BYTES;

/** Key under which the work of one performer runs in turn. */
export const turnOf = ({ operatorId }: OperatorScope, performerId: number): string =>
  `${operatorId}:${performerId}`;
