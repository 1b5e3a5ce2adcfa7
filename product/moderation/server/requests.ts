/** The public forms, and the links by which they are followed. */
import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import { customerNetwork } from '#platform/http/address.ts';
import { cleanLines, cleanText } from '#platform/text/clean-text.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import {
  addressUnknown,
  appealDecision,
  appealRefused,
  followRequest,
  notDepicted,
  referenceUnknown,
  sendRequest,
  tooManyRequests,
  workMissing,
} from '../contract/requests.ts';
import { hasEffect, NO_ACTIONS, type CaseState } from '../rules/cases.ts';
import { appealUntil, type AppealGround, type RequestKind } from '../rules/clocks.ts';
import { mayAppeal, mayWait, pageOfAddress, requestFault, type NamedPage } from '../rules/requests.ts';
import { findCase, readState, removeOldCases } from '../store/cases.ts';
import { findStatement } from '../store/decisions.ts';
import { countWaiting, findRequest, insertRequest } from '../store/requests.ts';
import { addEvent, openCase } from './cases.ts';
import { keyDigest, mailRequester, newLink, type DecisionDependencies } from './decisions.ts';

/** Addresses that identify no network count as one. */
const UNKNOWN_NETWORK = 'unknown';

export const requestHandlers = (deps: DecisionDependencies): CallHandler[] => [
  sending(deps),
  following(deps),
  appealing(deps),
];

function sending(deps: DecisionDependencies): CallHandler {
  return handleCall(sendRequest)(async (input, { scope, address, locale, refuse }) => {
    const { kind, relation } = input;
    const work = input.work === undefined ? null : cleanLines(input.work);
    const fault = requestFault({ kind, relation, work });
    if (fault !== null) return refuse(fault === 'work_missing' ? workMissing : notDepicted);
    const addresses = input.addresses.map(cleanText);
    const pages = addresses.flatMap((typed) => pageOfAddress(typed) ?? []);
    if (pages.length === 0) return refuse(addressUnknown);
    const own = await pagesOf(deps, scope.operatorId, pages);
    const network = customerNetwork(address) ?? UNKNOWN_NETWORK;
    return deps.data.tx(scope, async (tx) => {
      await tx.lock('moderation.requests');
      if (!mayWait(kind, await countWaiting(tx, network))) return refuse(tooManyRequests);
      await removeOldCases(tx);
      const subjectId = await ownerOf(deps, tx, own);
      const caseId = await openCase(tx, { kind: 'address', reason: kind, subjectId }, kind);
      const { key, ...link } = newLink(deps.secret);
      const email = input.email.toLowerCase();
      await insertRequest(tx, {
        ...link,
        caseId,
        kind,
        relation,
        name: cleanText(input.name),
        email,
        locale,
        addresses,
        statement: cleanLines(input.statement),
        work,
        signature: cleanText(input.signature),
        network,
      });
      await mailRequester(deps, tx, { email, locale, reference: link.reference }, {
        kind: 'moderation:mails.received',
        siteId: scope.siteId,
        address,
        key,
      });
      return { reference: link.reference, key };
    });
  });
}

/** Pages of this operator's sites. Everybody has names on other sites, so that theirs name nobody here. */
async function pagesOf(
  { site }: DecisionDependencies,
  operatorId: number,
  pages: readonly NamedPage[],
): Promise<NamedPage[]> {
  const own: NamedPage[] = [];
  for (const page of pages) {
    const scope = page.host === null ? { operatorId } : await site.resolveScope(page.host);
    if (scope?.operatorId === operatorId) own.push(page);
  }
  return own;
}

/** Whose page the first address is that names one: `/{username}`, or a page below it. */
async function ownerOf(
  { accounts }: DecisionDependencies,
  tx: Tx,
  pages: readonly NamedPage[],
): Promise<number | null> {
  for (const { path } of pages) {
    const [, first = ''] = path.split('/');
    const person = first === '' ? null : await accounts.findByUsername(tx, normalizeUsername(first));
    if (person) return person.id;
  }
  return null;
}

/** A request or a statement, by its number and key. */
interface Followed {
  readonly caseId: number;
  readonly of: RequestKind | 'statement';
  readonly sentAt: Date;
  /** Whether its holder is affected or shown. */
  readonly isConcerned: boolean;
}

async function find(
  { secret }: DecisionDependencies,
  tx: Tx,
  { reference, key }: { readonly reference: string; readonly key: string },
): Promise<Followed | null> {
  const wanted = keyDigest(secret, key);
  const request = await findRequest(tx, reference);
  if (request) {
    const { caseId, kind, at } = request;
    return request.keyDigest === wanted
      ? { caseId, of: kind, sentAt: at, isConcerned: mayAppeal(request) }
      : null;
  }
  const statement = await findStatement(tx, reference);
  return statement?.keyDigest === wanted
    ? { caseId: statement.caseId, of: 'statement', sentAt: statement.at, isConcerned: true }
    : null;
}

/**
 * How the holder of a link may appeal now. Whoever is restricted appeals what restricts them; whoever asked
 * for a decision appeals one that did nothing.
 */
function groundsFor({ of, isConcerned }: Followed, state: CaseState, now: Date): AppealGround[] {
  const { status, decision, isFinal, clock } = state;
  if (status !== 'decided' || decision === null || isFinal || now > appealUntil(decision.at)) return [];
  if (!isConcerned || (of === 'statement') !== hasEffect(decision.actions)) return [];
  return of === 'statement' && clock === 'copyright' ? ['appeal', 'counter_notice'] : ['appeal'];
}

const statusOf = ({ status, isHidden, isFinal }: CaseState) => {
  if (status === 'open') return isHidden ? 'hidden' as const : 'open' as const;
  return status === 'decided' && isFinal ? 'upheld' as const : status;
};

function following(deps: DecisionDependencies): CallHandler {
  return handleCall(followRequest)(async (input, { scope, refuse }) => {
    const view = await deps.data.tx(scope, async (tx) => {
      const found = await find(deps, tx, input);
      const row = found && await findCase(tx, found.caseId);
      if (!found || !row) return null;
      const state = await readState(tx, found.caseId);
      const { decision } = state;
      const { removes, warns, suspends } = decision?.actions ?? NO_ACTIONS;
      const appeals = groundsFor(found, state, tx.now);
      return {
        of: found.of,
        status: statusOf(state),
        sent_at: found.sentAt.toISOString(),
        due_at: state.dueAt?.toISOString() ?? null,
        decided_at: decision?.at.toISOString() ?? null,
        actions: decision === null ? [] : [
          ...(removes ? ['removed' as const] : []),
          ...(warns ? ['warned' as const] : []),
          ...(suspends ? ['suspended' as const] : []),
          ...(hasEffect(decision.actions) ? [] : ['none' as const]),
        ],
        policy: decision?.policy ?? null,
        content: row.kind,
        suspended_until: suspends?.until ?? null,
        appeals,
        appeal_until: decision && appeals.length > 0 ? appealUntil(decision.at).toISOString() : null,
      };
    });
    return view ?? refuse(referenceUnknown);
  });
}

function appealing(deps: DecisionDependencies): CallHandler {
  return handleCall(appealDecision)(async (input, { scope, refuse }) =>
    deps.data.tx(scope, async (tx) => {
      const found = await find(deps, tx, input);
      if (!found) return refuse(referenceUnknown);
      const { ground } = input;
      if (!groundsFor(found, await readState(tx, found.caseId), tx.now).includes(ground)) {
        return refuse(appealRefused);
      }
      const text = [cleanLines(input.statement), cleanText(input.name), cleanText(input.signature)].join(
        '\n\n',
      );
      const appeal = { kind: 'appeal', at: tx.now, byId: null, ground } as const;
      const added = await addEvent(tx, found.caseId, appeal, { text });
      return added === null || typeof added === 'string' ? refuse(appealRefused) : { status: 1 as const };
    })
  );
}
