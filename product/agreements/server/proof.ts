import type { CallContext } from '#platform/contract/context.ts';
import { digest } from '#platform/data/database/seal.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { DocumentRow } from '../store.ts';
import type { Proof } from '../store/columns.ts';
import type { AgreementsDependencies } from './dependencies.ts';

/** SHA-256 of a text as UTF-8, in hexadecimal digits. */
export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** Compares two texts in a time that does not depend on where they differ. */
export function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8')];
  return left.length === right.length && timingSafeEqual(left, right);
}

type SignedParts =
  & Pick<DocumentRow, 'id' | 'personId' | 'kind' | 'version' | 'title' | 'textSha256'>
  & { readonly signature: string; readonly signedAt: Date };

/** Keyed digest of a signed document: whoever changes a stored signature cannot make another. */
const sealOf = (
  secret: string,
  operatorId: number,
  { signedAt, ...document }: SignedParts,
  { session, network, region }: Omit<Proof, 'seal'>,
): string =>
  digest(
    secret,
    'agreements.signature',
    JSON.stringify([
      operatorId,
      document.id,
      document.personId,
      document.kind,
      document.version,
      document.title,
      document.textSha256,
      document.signature,
      signedAt.toISOString(),
      session,
      network,
      region,
    ]),
  );

/** Where from a document is signed, as digests, and the seal of all of it. */
export function proofOf(
  { secret, notices }: Pick<AgreementsDependencies, 'secret' | 'notices'>,
  context: Pick<CallContext, 'scope' | 'caller' | 'address' | 'region'>,
  signed: SignedParts,
): Proof {
  const { scope, caller, address, region } = context;
  const where = {
    session: digest(secret, 'agreements.session', caller.sessionId ?? ''),
    network: notices.networkOf(scope, address),
    region,
  };
  return { ...where, seal: sealOf(secret, scope.operatorId, signed, where) };
}

/** Whether a stored document is what was issued and signed. */
export function isIntact(secret: string, operatorId: number, document: DocumentRow): boolean {
  const { text, textSha256, signature, signedAt, proof } = document;
  if (!isSame(sha256(text), textSha256)) return false;
  if (signature === null && signedAt === null && proof === null) return true;
  if (signature === null || signedAt === null || proof === null) return false;
  return isSame(sealOf(secret, operatorId, { ...document, signature, signedAt }, proof), proof.seal);
}
