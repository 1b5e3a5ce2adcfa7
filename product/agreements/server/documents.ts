import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { notFound, notSigned } from '../contract.ts';
import {
  documentClosed,
  downloadDocument,
  getDocument,
  issueDocument,
  listDocuments,
  personUnknown,
  templateMissing,
  withdrawDocument,
} from '../contract/admin.ts';
import { DOCUMENTS_PER_PAGE } from '../rules.ts';
import { eventsOf, findDocument, selectDocuments, type DocumentRow, type LineRow } from '../store.ts';
import { currentVersion } from '../store/templates.ts';
import type { AgreementsDependencies } from './dependencies.ts';
import { issue, withdraw } from './issuing.ts';
import { isIntact } from './proof.ts';
import { asSigned, copyOf, lineView } from './views.ts';

const subjectOf = ({ id }: Pick<LineRow, 'id'>): string => `agreement:${id}`;

async function usernameOf({ accounts }: AgreementsDependencies, tx: Tx, personId: number): Promise<string> {
  const person = await accounts.findById(tx, personId);
  if (!person) throw new Error(`person ${personId} has a document and no account`);
  return person.username;
}

async function detailOf(
  deps: AgreementsDependencies,
  tx: Tx,
  document: DocumentRow,
): Promise<OutputOf<typeof getDocument>> {
  const events = await eventsOf(tx, document.id);
  const people = await deps.accounts.findMany(tx, events.flatMap(({ actorId }) => actorId ?? []));
  return {
    ...lineView(document, tx.now),
    username: await usernameOf(deps, tx, document.personId),
    language: document.language,
    text_sha256: document.textSha256,
    is_intact: isIntact(deps.secret, tx.operatorId, document),
    is_current: document.version === await currentVersion(tx, document.kind),
    signature: document.signature,
    proof: document.proof,
    events: events.map(({ event, at, actorId, reason }) => ({
      event,
      at: at.toISOString(),
      by: people.get(actorId ?? 0)?.username ?? null,
      reason,
    })),
  };
}

/** The id of whom a filter names: null for nobody named, 0 for a name that nobody has. */
async function namedId(
  { accounts }: AgreementsDependencies,
  tx: Tx,
  username: string | undefined,
): Promise<number | null> {
  const name = normalizeUsername(username ?? '');
  if (name === '') return null;
  return (await accounts.findForStaff(tx, name))?.id ?? 0;
}

/** What admins do with the documents of people. */
export function documentHandlers(deps: AgreementsDependencies): CallHandler[] {
  const { data, accounts, text } = deps;
  return [
    handleCall(listDocuments)(({ before = null, status = null, kind = null, username }, { scope }) =>
      data.read(scope, async (tx) => {
        const personId = await namedId(deps, tx, username);
        const rows = await selectDocuments(tx, { before, status, kind, personId });
        const people = await accounts.findMany(tx, rows.map((row) => row.personId));
        return {
          documents: rows.map((row) => ({
            ...lineView(row, tx.now),
            username: people.get(row.personId)?.username ?? '',
            language: row.language,
          })),
          next: rows.length === DOCUMENTS_PER_PAGE ? rows.at(-1)?.id ?? null : null,
        };
      })
    ),
    handleCall(getDocument)(({ id }, { scope, refuse }) =>
      data.read(scope, async (tx) => {
        const document = await findDocument(tx, id);
        return document ? detailOf(deps, tx, document) : refuse(notFound);
      })
    ),
    handleCall(issueDocument)((input, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const { kind, sign_days: signDays, language } = input;
        const person = await accounts.findByUsername(tx, normalizeUsername(input.username));
        if (!person) return refuse(personUnknown);
        const issued = await issue(deps, tx, person, kind, { language, signDays, actorId: personId });
        if (!issued) return refuse(templateMissing);
        if (issued.isNew) {
          await tx.audit({
            action: issueDocument.name,
            actorId: personId,
            subject: `person:${person.id}`,
            detail: { document: issued.id, kind, signDays },
          });
        }
        return { id: String(issued.id), is_new: issued.isNew };
      })
    ),
    handleCall(withdrawDocument)(({ id, reason }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        await tx.lock('agreements.document', String(id));
        const document = await findDocument(tx, id);
        if (!document) return refuse(notFound);
        if (!(await withdraw(tx, id, personId, reason))) return refuse(documentClosed);
        await tx.audit({
          action: withdrawDocument.name,
          actorId: personId,
          subject: subjectOf(document),
          reason,
        });
        const after = await findDocument(tx, id);
        return after ? detailOf(deps, tx, after) : refuse(notFound);
      })
    ),
    handleCall(downloadDocument)(({ id }, { scope, personId, locale, refuse }) =>
      data.tx(scope, async (tx) => {
        const document = await findDocument(tx, id);
        if (!document) return refuse(notFound);
        const ready = asSigned(document);
        if (!ready) return refuse(notSigned);
        await tx.audit({ action: downloadDocument.name, actorId: personId, subject: subjectOf(document) });
        const username = await usernameOf(deps, tx, document.personId);
        return copyOf(text, locale, { username, document: ready });
      })
    ),
  ];
}
