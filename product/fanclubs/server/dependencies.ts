import type { Caller } from '../../../platform/contract/context.ts';
import type { Extensions } from '../../../platform/contract/extension-point.ts';
import type { Data } from '../../../platform/data/data.ts';
import type { AccountsService } from '../../accounts/server.ts';
import type { ComplianceService } from '../../compliance/server.ts';
import type { LedgerService } from '../../ledger/server.ts';
import type { NoticesService } from '../../notices/server.ts';
import type { RoomsService } from '../../rooms/server.ts';

export interface FanclubsDependencies {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly ledger: LedgerService;
  readonly notices: NoticesService;
  readonly rooms: RoomsService;
}

/** The person of a call that only members may make. */
export function idOf({ personId }: Pick<Caller, 'personId'>): number {
  if (personId === null) throw new Error('a member has a person id');
  return personId;
}
