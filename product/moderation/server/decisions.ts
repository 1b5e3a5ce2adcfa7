/** What a decision does to accounts and content, and how a reversal undoes it. */
import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { digest } from '#platform/data/database/seal.ts';
import { randomId } from '#platform/data/ids.ts';
import { isAdmin } from '#product/accounts/rules/permissions.ts';
import type { AccountsService, Person } from '#product/accounts/server.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { SiteService } from '#product/site/server.ts';
import { CAUSE_OF, hasEffect, strikeEnd, type Actions, type CaseState, type Policy } from '../rules/cases.ts';
import { referenceFrom } from '../rules/requests.ts';
import { statementFaults, statementOf } from '../rules/statements.ts';
import type { CaseRow } from '../store/cases.ts';
import { lockCase, readState } from '../store/cases.ts';
import {
  findSuspension,
  insertStatement,
  insertStrike,
  insertSuspension,
  markApplied,
  markEnded,
  removeStrike,
  suspensionsOf,
  withdrawStatements,
  type SuspensionRow,
} from '../store/decisions.ts';
import { forgetNetwork, requestOfCase, type RequestRow } from '../store/requests.ts';
import { removeContent, restoreContent, type RemovalDependencies } from './removals.ts';

/** Deadline of a case's suspension, by the case's id: it begins, or it ends. */
const SUSPENSION = 'moderation.suspension';

export interface DecisionDependencies extends RemovalDependencies {
  readonly data: Data;
  readonly accounts: AccountsService;
  readonly notices: NoticesService;
  readonly site: SiteService;
  readonly secret: string;
}

/** The number and key of a link, and the digest that is stored of the key. */
export function newLink(secret: string): { reference: string; key: string; keyDigest: string } {
  const key = randomId();
  return {
    reference: referenceFrom(Buffer.from(randomId(), 'base64url')),
    key,
    keyDigest: keyDigest(secret, key),
  };
}
export const keyDigest = (secret: string, key: string): string =>
  digest(secret, 'moderation.requests key of a link', key);

/** The path at which whoever has a link follows it. */
const linkPath = (reference: string, key: string): string => `/report/${reference}?key=${key}`;

export interface Order {
  readonly caseId: number;
  readonly byId: number;
  readonly siteId: number;
  readonly policy: Policy;
  readonly actions: Actions;
  readonly wasHidden: boolean;
}

/** Does what a decision says, in its unit of work. @returns false if the content cannot be removed */
export async function carryOut(
  deps: DecisionDependencies,
  tx: Tx,
  row: CaseRow,
  order: Order,
): Promise<boolean> {
  const { caseId, policy, actions } = order;
  if (actions.removes) {
    if (!(await removeContent(deps, tx, caseId))) return false;
  } else await restoreContent(deps, tx, caseId);
  if (row.subjectId !== null && hasEffect(actions)) {
    await insertStrike(tx, caseId, row.subjectId, strikeEnd(tx.now));
    await giveReasons(deps, tx, row, row.subjectId, order);
    if (actions.suspends) {
      const startsAt = new Date(actions.suspends.from);
      const endsAt = actions.suspends.until === null ? null : new Date(actions.suspends.until);
      await insertSuspension(tx, { caseId, personId: row.subjectId, startsAt, endsAt });
      if (startsAt > tx.now) await tx.schedule({ kind: SUSPENSION, key: String(caseId), at: startsAt });
      else await beginSuspension(deps, tx, caseId, { actorId: order.byId, policy });
    }
  }
  await answerRequest(deps, tx, caseId, order.siteId);
  return true;
}

/** The statement of reasons, for whoever a decision restricts: stored, and sent with the way to appeal. */
async function giveReasons(
  deps: DecisionDependencies,
  tx: Tx,
  row: CaseRow,
  personId: number,
  { caseId, policy, actions, wasHidden, siteId }: Order,
): Promise<void> {
  const person = await deps.accounts.findById(tx, personId);
  if (!person) return;
  const record = statementOf({
    puid: randomId(),
    kind: row.kind,
    policy,
    actions,
    contentAt: row.openedAt,
    decidedAt: tx.now,
    isPerformer: person.type === 'model',
    wasHidden,
  });
  if (record === null) return;
  const faults = statementFaults(record);
  if (faults.length > 0) throw new Error(`a statement of reasons has wrong fields: ${faults.join(', ')}`);
  const link = newLink(deps.secret);
  await insertStatement(tx, { caseId, personId, ...link, record });
  const path = linkPath(link.reference, link.key);
  await deps.notices.notify(tx, {
    personId,
    kind: 'moderation:notices.decided',
    values: { reference: link.reference },
    link: path,
  });
  const address = await deps.site.addressIn(tx, siteId);
  await deps.notices.sendTo(tx, personId, {
    kind: 'moderation:mails.decided',
    locale: 'en',
    values: () => ({ reference: link.reference, link: `${address}${path}` }),
  });
}

/** An email to whoever sent a request: there is something new to read at their link, which they have. */
async function answerRequest(
  deps: DecisionDependencies,
  tx: Tx,
  caseId: number,
  siteId: number,
): Promise<void> {
  const request = await requestOfCase(tx, caseId);
  if (!request) return;
  await forgetNetwork(tx, caseId);
  await mailRequester(deps, tx, request, { kind: 'moderation:mails.answered', siteId, address: null });
}

/** An email to the address of a request. It has no text that anybody typed, and only the site's own link. */
export async function mailRequester(
  { notices, site }: Pick<DecisionDependencies, 'notices' | 'site'>,
  tx: Tx,
  { email, locale, reference }: Pick<RequestRow, 'email' | 'locale' | 'reference'>,
  { kind, siteId, address, key = null }: {
    readonly kind: 'moderation:mails.received' | 'moderation:mails.answered';
    readonly siteId: number;
    readonly address: string | null;
    readonly key?: string | null;
  },
): Promise<void> {
  if (email === '') return;
  const origin = await site.addressIn(tx, siteId);
  await notices.send(tx, {
    to: email,
    isConfirmed: false,
    kind,
    locale,
    personId: null,
    address,
    username: '',
    values: { reference, link: key === null ? `${origin}/report` : `${origin}${linkPath(reference, key)}` },
  });
}

/** Whether an account is suspended; one in deletion need not be. */
const isSuspended = (
  { inactiveSince, deletionRequestedAt }: Pick<Person, 'inactiveSince' | 'deletionRequestedAt'>,
): boolean => inactiveSince !== null && inactiveSince.getTime() !== deletionRequestedAt?.getTime();

/**
 * Makes an account suspended or not, as the cases in force ask for it. Whoever is suspended by an admin stays
 * so: only a suspension that began with a case, which its time shows, is passed on to another case or ends.
 */
async function settleAccount(
  { accounts }: DecisionDependencies,
  tx: Tx,
  { caseId, personId }: Pick<SuspensionRow, 'caseId' | 'personId'>,
  { actorId, policy }: { readonly actorId: number | null; readonly policy: Policy },
): Promise<void> {
  await tx.lock('moderation.suspensions', personId);
  const person = await accounts.findById(tx, personId);
  const rows = await suspensionsOf(tx, personId);
  if (!person) return;
  const asking = rows.filter(({ startsAt, endsAt, endedAt }) =>
    endedAt === null && startsAt <= tx.now && (endsAt === null || endsAt > tx.now)
  );
  const reason = `case ${caseId}`;
  if (!isSuspended(person)) {
    // They may have become an admin since the decision.
    const isAsked = asking.some((row) => row.caseId === caseId);
    if (!isAsked || isAdmin(person.roles)) return;
    const notice = { cause: CAUSE_OF[policy], message: '' };
    await accounts.suspend(tx, personId, { suspended: true, actorId, reason, notice });
    return markApplied(tx, caseId, tx.now);
  }
  const since = person.inactiveSince?.getTime();
  const begun = rows.filter(({ appliedAt }) => appliedAt !== null && appliedAt.getTime() === since);
  if (begun.length === 0 || begun.some((row) => asking.includes(row))) return;
  const [next] = asking;
  if (next) return markApplied(tx, next.caseId, begun[0]?.appliedAt ?? tx.now);
  await accounts.suspend(tx, personId, { suspended: false, actorId, reason });
}

/** Begins a case's suspension. */
async function beginSuspension(
  deps: DecisionDependencies,
  tx: Tx,
  caseId: number,
  by: { readonly actorId: number | null; readonly policy: Policy },
): Promise<void> {
  const row = await findSuspension(tx, caseId);
  if (!row || row.endedAt !== null) return;
  if (row.endsAt !== null) await tx.schedule({ kind: SUSPENSION, key: String(caseId), at: row.endsAt });
  await settleAccount(deps, tx, row, by);
}

/** Ends a case's suspension. */
async function endSuspension(
  deps: DecisionDependencies,
  tx: Tx,
  caseId: number,
  actorId: number | null,
): Promise<void> {
  const row = await findSuspension(tx, caseId);
  if (!row || row.endedAt !== null) return;
  await markEnded(tx, caseId);
  await tx.unschedule(SUSPENSION, String(caseId));
  await settleAccount(deps, tx, row, { actorId, policy: 'terms' });
}

/** Undoes all that a decision did. Money is never moved by a decision. */
export async function undo(
  deps: DecisionDependencies,
  tx: Tx,
  row: CaseRow,
  actorId: number | null,
): Promise<void> {
  await restoreContent(deps, tx, row.id);
  await removeStrike(tx, row.id);
  await endSuspension(deps, tx, row.id, actorId);
  await withdrawStatements(tx, row.id);
  if (row.subjectId === null) return;
  await deps.notices.notify(tx, {
    personId: row.subjectId,
    kind: 'moderation:notices.reversed',
    values: {},
    link: '/notifications',
  });
}

export const suspensionDeadline = (deps: DecisionDependencies): DeadlineHandler => ({
  kind: SUSPENSION,
  handle: ({ operatorId, key }) =>
    deps.data.tx({ operatorId }, async (tx) => {
      const caseId = Number(key);
      if (!(await lockCase(tx, caseId))) return;
      const row = await findSuspension(tx, caseId);
      if (!row || row.endedAt !== null) return;
      if (row.endsAt !== null && row.endsAt <= tx.now) return endSuspension(deps, tx, caseId, null);
      const { decision }: CaseState = await readState(tx, caseId);
      if (decision) {
        await beginSuspension(deps, tx, caseId, { actorId: decision.byId, policy: decision.policy });
      }
    }),
});
