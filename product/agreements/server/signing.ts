import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { PersonContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import {
  downloadLegalDocument,
  getLegalDocument,
  listLegalDocuments,
  notFound,
  notSigned,
  signed,
  signFailed,
  signLegalDocument,
} from '../contract.ts';
import { DOCUMENTS_PER_PAGE, isName, statusAt } from '../rules.ts';
import {
  documentsOf,
  findDocument,
  insertEvent,
  markOpened,
  markSigned,
  type DocumentRow,
} from '../store.ts';
import type { AgreementsDependencies } from './dependencies.ts';
import { EXPIRY } from './issuing.ts';
import { isIntact, isSame, proofOf } from './proof.ts';
import { asSigned, copyOf, lineView } from './views.ts';

/** The secret as it is handed out: with the id, so that one document is compared and no other. */
const secretOf = ({ id, secret }: Pick<DocumentRow, 'id' | 'secret'>): string => `${id}.${secret}`;

const ID = /^[1-9]\d{0,14}$/u;
const idIn = (text: string): number | null => (ID.test(text) ? Number(text) : null);

/**
 * A document of a person; null for any other. Throws where text or signature are not what was stored: nobody
 * may read or sign that.
 */
async function ownDocument(
  { secret }: AgreementsDependencies,
  tx: Tx,
  personId: number,
  id: string,
): Promise<DocumentRow | null> {
  const number = idIn(id);
  const document = number === null ? null : await findDocument(tx, number);
  if (!document || document.personId !== personId) return null;
  if (!isIntact(secret, tx.operatorId, document)) {
    throw new Error(`document ${document.id} is not what was issued or signed`);
  }
  return document;
}

/** Signs a document of the caller; false when it cannot be signed, or the secret is another. */
async function sign(
  deps: AgreementsDependencies,
  tx: Tx,
  context: PersonContext,
  given: { readonly secret: string; readonly signature: string },
): Promise<boolean> {
  const person = await deps.accounts.lockCaller(tx, context);
  const [id = ''] = given.secret.split('.', 1);
  if (idIn(id) === null) return false;
  await tx.lock('agreements.document', id);
  const document = await ownDocument(deps, tx, person.id, id);
  if (!document || !isSame(secretOf(document), given.secret)) return false;
  // The first signature stays: a second request changes nothing.
  if (document.status === 'signed') return true;
  const signature = cleanText(given.signature);
  if (statusAt(document, tx.now) !== 'open' || !isName(signature)) return false;
  const proof = proofOf(deps, context, { ...document, signature, signedAt: tx.now });
  if (!(await markSigned(tx, document.id, { signature, proof }))) return false;
  await insertEvent(tx, document.id, 'signed', { actorId: person.id });
  await tx.unschedule(EXPIRY, String(document.id));
  const { kind, version } = document;
  await tx.publish(signed, `person:${person.id}`, {
    personId: person.id,
    documentId: document.id,
    kind,
    version,
  });
  return true;
}

/** What a person does with their own documents. */
export function signingHandlers(deps: AgreementsDependencies): CallHandler[] {
  const { data, accounts, text } = deps;
  return [
    handleCall(getLegalDocument)(({ id }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const document = await ownDocument(deps, tx, personId, id);
        if (!document) return refuse(notFound);
        const line = lineView(document, tx.now);
        if (line.status === 'open' && await markOpened(tx, document.id)) {
          await insertEvent(tx, document.id, 'opened', { actorId: personId });
        }
        return {
          ...line,
          document_text: document.text,
          text_sha256: document.textSha256,
          secret: secretOf(document),
          expired: line.status === 'expired',
          signature: document.signature,
        };
      })
    ),
    handleCall(signLegalDocument)(async (given, { refuse, ...context }) =>
      await data.tx(context.scope, (tx) => sign(deps, tx, context, given))
        ? { success: true as const }
        : refuse(signFailed)
    ),
    handleCall(listLegalDocuments)(({ before = null, open = false }, { scope, personId }) =>
      data.read(scope, async (tx) => {
        const rows = await documentsOf(tx, personId, { before, isOpen: open });
        const next = rows.length === DOCUMENTS_PER_PAGE ? rows.at(-1)?.id ?? null : null;
        return { documents: rows.map((row) => lineView(row, tx.now)), next };
      })
    ),
    handleCall(downloadLegalDocument)(({ id }, { scope, personId, locale, refuse }) =>
      data.read(scope, async (tx) => {
        const [document, person] = [
          await ownDocument(deps, tx, personId, id),
          await accounts.findById(tx, personId),
        ];
        if (!document || !person) return refuse(notFound);
        const ready = asSigned(document);
        return ready
          ? copyOf(text, locale, { username: person.username, document: ready })
          : refuse(notSigned);
      })
    ),
  ];
}
