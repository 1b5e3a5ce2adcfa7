import type { Blobs } from '#platform/data/blobs.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { Pictures } from '#platform/images/pictures.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { AgreementsService } from '#product/agreements/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { SiteService } from '#product/site/server.ts';
import { STEPS, type Step } from '../rules.ts';
import type { Vault } from './vault.ts';

const AGREEMENT = 'performer_agreement';

export interface IdentityDependencies {
  readonly data: Data;
  readonly blobs: Blobs;
  readonly pictures: Pictures;
  readonly text: TextOf;
  readonly site: SiteService;
  readonly notices: NoticesService;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly agreements: AgreementsService;
  readonly secret: string;
  readonly formerSecrets?: readonly string[];
}

export interface IdentityParts extends IdentityDependencies {
  readonly vault: Vault;
}

/** What a performer has to do with the agreement in force. */
export interface AgreementState {
  /** The document of the agreement in force; null where the operator has none. */
  readonly documentId: number | null;
  readonly isSigned: boolean;
}

/** Sees to it that a performer can sign the agreement in force, or has signed it. */
export async function agreementOf(
  { agreements }: Pick<IdentityParts, 'agreements'>,
  tx: Tx,
  performerId: number,
): Promise<AgreementState> {
  const documentId = await agreements.issue(tx, performerId, AGREEMENT);
  const signed = await agreements.signedOf(tx, performerId, AGREEMENT);
  return { documentId, isSigned: signed?.isCurrent === true };
}

/** The newest agreement that somebody signed, as evidence names it; null for none. */
export async function signatureOf(
  { agreements }: Pick<IdentityParts, 'agreements'>,
  tx: Tx,
  performerId: number,
): Promise<string | null> {
  const signed = await agreements.signedOf(tx, performerId, AGREEMENT);
  return signed === null ? null : String(signed.documentId);
}

/** The steps that the operator asks for. */
export const stepsAsked = ({ documentId }: AgreementState): readonly Step[] =>
  STEPS.filter((step) => step !== 'agreement' || documentId !== null);
