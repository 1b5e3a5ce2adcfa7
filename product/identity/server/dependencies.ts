import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Blobs } from '#platform/data/blobs.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { Pictures } from '#platform/images/pictures.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { SiteService } from '#product/site/server.ts';
import { performerAgreement } from '../extension-points.ts';
import { STEPS, type Step } from '../rules.ts';
import type { Vault } from './vault.ts';

export interface IdentityDependencies {
  readonly data: Data;
  readonly blobs: Blobs;
  readonly pictures: Pictures;
  readonly text: TextOf;
  readonly site: SiteService;
  readonly notices: NoticesService;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly extensions: Extensions;
  readonly secret: string;
  readonly formerSecrets?: readonly string[];
}

export interface IdentityParts extends IdentityDependencies {
  readonly vault: Vault;
}

/** The steps that the operator asks for. */
export async function stepsAsked({ extensions }: Pick<IdentityParts, 'extensions'>, tx: Tx): Promise<Step[]> {
  const isAsked = await extensions.one(performerAgreement).isAsked(tx);
  return STEPS.filter((step) => step !== 'agreement' || isAsked);
}
