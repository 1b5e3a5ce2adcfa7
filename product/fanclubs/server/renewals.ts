import type { DeadlineHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Person } from '#product/accounts/server.ts';
import type { PostOutcome } from '#product/ledger/server.ts';
import { clubClosed, fansError } from '../contract.ts';
import { GRACE_MS, joined, renewalOf, retryAt, type Renewal } from '../rules/membership.ts';
import { findById, findClub, lockMember, writeMembership, type StoredMembership } from '../store.ts';
import type { FanclubsDependencies } from './dependencies.ts';
import { pay } from './dues.ts';
import { MEMBERSHIP_ENDED, RENEWAL_FAILED } from './notices.ts';
import { sendMembership } from './views.ts';

/** Deadline at which a membership is renewed, tried again or ended. Its key is the membership's id. */
const RENEWAL = 'fanclubs.renewal';

export const scheduleRenewal = (tx: Tx, id: number, at: number): Promise<void> =>
  tx.schedule({ kind: RENEWAL, key: String(id), at: new Date(at) });

type RefusedOutcome = Exclude<PostOutcome, { readonly balances: unknown }>;

/** A membership that is due, with its member and performer. */
interface Due {
  readonly membership: StoredMembership;
  readonly member: Person;
  readonly performer: Person;
}

/**
 * The job of renewals: one deadline per membership, each in its own unit of work, in the batches in which the
 * site delivers deadlines. A renewal is an operation named by the membership and the number of the payment:
 * however often the job runs, it is charged once.
 */
export const renewals = (deps: FanclubsDependencies): DeadlineHandler => ({
  kind: RENEWAL,
  handle: ({ operatorId, key }) =>
    deps.data.tx({ operatorId }, async (tx) => {
      const found = await findById(tx, Number(key));
      if (!found) return;
      await lockMember(tx, found.memberId);
      // Takes into account what the member decided in the meantime.
      const membership = await findById(tx, found.id);
      if (!membership || membership.isEnded) return;
      const people = await deps.accounts.findMany(tx, [membership.memberId, membership.performerId]);
      const member = people.get(membership.memberId);
      const performer = people.get(membership.performerId);
      if (!member || !performer) return;
      await renew(deps, tx, { membership, member, performer });
    }),
});

async function renew(deps: FanclubsDependencies, tx: Tx, due: Due): Promise<void> {
  const { membership, performer } = due;
  const now = tx.now.getTime();
  const { enabled, prices } = await findClub(tx, performer.id);
  const renewal = renewalOf(membership, enabled && (await mayGoOn(deps, tx, due)) ? prices : null, now);
  if (renewal.kind === 'wait') return scheduleRenewal(tx, membership.id, renewal.at);
  if (renewal.kind === 'end') return end(deps, tx, due, membership.renews ? clubClosed.code : null);
  return charge(deps, tx, due, renewal);
}

async function charge(
  deps: FanclubsDependencies,
  tx: Tx,
  due: Due,
  renewal: Extract<Renewal, { kind: 'charge' }>,
): Promise<void> {
  const { membership, member, performer } = due;
  const { level, tokens } = renewal;
  const outcome = await pay(deps, tx, {
    id: deps.ledger.operationId(member.id, RENEWAL, `${membership.id} ${membership.payments}`),
    kind: 'renewal',
    member,
    performer,
    level,
    tokens,
  });
  if (!('balances' in outcome)) return notPaid(deps, tx, due, outcome);
  const renewed = await writeMembership(tx, performer.id, member.id, {
    ...membership,
    ...joined(renewal, level, tokens),
    payments: membership.payments + 1,
  });
  await scheduleRenewal(tx, renewed.id, renewed.paidUntil);
  await sendMembership(tx, performer.username, renewed);
}

/** Schedules another attempt until the grace is over; the member is notified the first time. */
async function notPaid(
  deps: FanclubsDependencies,
  tx: Tx,
  due: Due,
  outcome: RefusedOutcome,
): Promise<void> {
  const { membership, member, performer } = due;
  if (outcome.status === 'mismatch') throw new Error(`membership ${membership.id} was renewed differently`);
  const errorType = await codeOf(deps, tx, due, outcome);
  const next = retryAt(membership, tx.now.getTime());
  if (next === null) return end(deps, tx, due, errorType);
  await scheduleRenewal(tx, membership.id, next);
  await deps.notices.notify(tx, {
    personId: member.id,
    kind: RENEWAL_FAILED.name,
    values: { name: performer.displayName, username: performer.username },
    link: `/${performer.username}/fanclub`,
    once: `fanclub failed:${membership.id} ${membership.payments}`,
  });
  await sendError(tx, due, errorType, membership.paidUntil + GRACE_MS);
}

/** The code with which a call would refuse the payment. */
const codeOf = (
  { ledger }: FanclubsDependencies,
  tx: Tx,
  { membership, member }: Due,
  outcome: RefusedOutcome,
): Promise<string> =>
  ledger.refuse(tx, outcome, { personId: member.id, tokens: membership.price }, ({ code }) => code);

/**
 * @param errorType why the membership ends although the member planned otherwise; null if they cancelled it
 */
async function end(
  { notices }: FanclubsDependencies,
  tx: Tx,
  due: Due,
  errorType: string | null,
): Promise<void> {
  const { membership, member, performer } = due;
  const ended = await writeMembership(tx, performer.id, member.id, { ...membership, isEnded: true });
  await sendMembership(tx, performer.username, ended);
  if (errorType === null) return;
  await notices.notify(tx, {
    personId: member.id,
    kind: MEMBERSHIP_ENDED.name,
    values: { name: performer.displayName, username: performer.username },
    link: '/account/fanclubs',
    once: `fanclub ended:${membership.id} ${membership.payments}`,
  });
  await sendError(tx, due, errorType, null);
}

const sendError = (
  tx: Tx,
  { member, performer }: Due,
  errorType: string,
  graceUntil: number | null,
): Promise<void> =>
  tx.send(personChannel(member.id), fansError, {
    username: performer.username,
    display_name: performer.displayName,
    errorType,
    grace_until: graceUntil === null ? null : new Date(graceUntil).toISOString(),
  });

/**
 * Whether the member could still use what they would pay for: both accounts are active, no rule of the
 * member's last location hides the performer, and no ban excludes the member.
 */
async function mayGoOn(
  { rooms }: FanclubsDependencies,
  tx: Tx,
  { member, performer }: Due,
): Promise<boolean> {
  if (member.inactiveSince !== null || performer.inactiveSince !== null) return false;
  return (await rooms.reachable(tx, performer.id, [member.id])).has(member.id);
}
