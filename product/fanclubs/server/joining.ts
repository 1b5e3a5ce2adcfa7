import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf, OutputOf, RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import type { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { FANCLUB_LEVELS } from '#product/accounts/rules/current-user.ts';
import type { Person } from '#product/accounts/server.ts';
import { roomUnknown } from '#product/rooms/contract.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import {
  alreadyMember,
  clubClosed,
  clubPriceChanged,
  joinFanclub,
  levelNotPaid,
  listMemberships,
  membershipUnknown,
  ownClub,
  planMembership,
  tooManyClubs,
} from '../contract.ts';
import { MAX_MEMBERSHIPS } from '../rules.ts';
import { joined, offerOf, planned, stateOf, upgraded } from '../rules/membership.ts';
import {
  countRunning,
  findById,
  findClub,
  findDues,
  findMembership,
  findPrices,
  lockMember,
  membershipsOf,
  writeMembership,
  type StoredMembership,
} from '../store.ts';
import type { FanclubsDependencies } from './dependencies.ts';
import { pay } from './dues.ts';
import { NEW_MEMBER } from './notices.ts';
import { scheduleRenewal } from './renewals.ts';
import { membershipView, sendMembership } from './views.ts';

type Join = InputOf<typeof joinFanclub>;
type JoinContext = HandlerContext<RefusalOf<typeof joinFanclub>, number>;
type JoinOutcome = OutputOf<typeof joinFanclub> | Refused<RefusalOf<typeof joinFanclub>>;

export function joiningHandlers(deps: FanclubsDependencies): CallHandler[] {
  const { data, ledger } = deps;
  return [
    handleCall(joinFanclub)(async (input, context) => {
      const { idempotencyKey, scope } = context;
      if (idempotencyKey === null) throw new Error('a payment came without a key');
      const memberId = context.personId;
      const id = ledger.operationId(memberId, joinFanclub.name, idempotencyKey);
      return data.tx(scope, async (tx) => {
        await lockMember(tx, memberId);
        return (await ledger.isPosted(tx, id))
          ? repeated(deps, tx, context, { input, id })
          : join(deps, tx, context, { input, id });
      });
    }),
    planHandler(deps),
    ownHandler(deps),
  ];
}

async function personOf({ accounts }: FanclubsDependencies, tx: Tx, id: number): Promise<Person> {
  const person = await accounts.findById(tx, id);
  if (!person) throw new Error(`person ${id} has a membership and no account`);
  return person;
}

/**
 * A payment already posted: the member gets the output again, even if the club has been closed to them since.
 */
async function repeated(
  deps: FanclubsDependencies,
  tx: Tx,
  context: JoinContext,
  { input, id }: { readonly input: Join; readonly id: string },
): Promise<JoinOutcome> {
  const memberId = context.personId;
  const performer = await deps.accounts.findByUsername(tx, normalizeUsername(input.username));
  const membership = performer && await findMembership(tx, performer.id, memberId);
  const charged = await findDues(tx, id);
  // Without a membership, the key belongs to a payment for another club.
  if (!performer || !membership || charged === null) return context.refuse(roomUnknown);
  const outcome = await pay(deps, tx, {
    id,
    kind: 'join',
    member: await personOf(deps, tx, memberId),
    performer,
    level: input.level,
    tokens: charged,
    decided: [input.price],
  });
  if (!('balances' in outcome)) {
    return deps.ledger.refuse(tx, outcome, { personId: memberId, tokens: charged }, context.refuse);
  }
  return {
    status: 1,
    membership: membershipView(membership, tx.now),
    charged,
    tokens: await deps.ledger.balance(tx, memberId),
  };
}

async function join(
  deps: FanclubsDependencies,
  tx: Tx,
  context: JoinContext,
  { input, id }: { readonly input: Join; readonly id: string },
): Promise<JoinOutcome> {
  const { refuse } = context;
  const memberId = context.personId;
  const entry = await deps.rooms.enter(tx, context, input.username);
  if ('refused' in entry) return refuseEntry(context, entry.refused);
  const { owner: performer } = entry;
  if (performer.id === memberId) return refuse(ownClub);
  const { enabled, prices } = await findClub(tx, performer.id);
  if (!enabled) return refuse(clubClosed);
  const before = await findMembership(tx, performer.id, memberId);
  const now = tx.now.getTime();
  const offer = offerOf(before, input.level, prices, now);
  if (!('tokens' in offer)) return refuse(alreadyMember);
  if (offer.tokens > input.price) {
    const price = { price: offer.tokens };
    return refuse(clubPriceChanged, { values: price, extra: price });
  }
  const isNew = before === null || stateOf(before, now) === 'ended';
  if (isNew && (await countRunning(tx, memberId)) >= MAX_MEMBERSHIPS) return refuse(tooManyClubs);
  const member = await personOf(deps, tx, memberId);
  const { kind, tokens } = offer;
  const outcome = await pay(deps, tx, {
    id,
    kind,
    member,
    performer,
    level: input.level,
    tokens,
    decided: [input.price],
  });
  if (!('balances' in outcome)) {
    return deps.ledger.refuse(tx, outcome, { personId: memberId, tokens }, refuse);
  }
  const membership = await store(tx, performer, member, {
    isNew,
    before,
    input,
    offer,
    price: prices[input.level],
  });
  if (isNew) await welcome(deps, tx, performer, member, id);
  return {
    status: 1,
    membership: membershipView(membership, tx.now),
    charged: tokens,
    tokens: outcome.balances.get(memberId) ?? await deps.ledger.balance(tx, memberId),
  };
}

async function store(
  tx: Tx,
  performer: Person,
  member: Person,
  { isNew, before, input, offer, price }: {
    readonly isNew: boolean;
    readonly before: StoredMembership | null;
    readonly input: Join;
    readonly offer: { readonly kind: 'join' | 'upgrade'; readonly tokens: number; readonly from: number };
    readonly price: number;
  },
): Promise<StoredMembership> {
  // A member who pays in the grace continues at the price they agreed to.
  const agreed = offer.kind === 'join' && !isNew ? offer.tokens : price;
  const paid = offer.kind === 'upgrade' && before
    ? upgraded(before, offer, input.level, agreed)
    : joined(offer, input.level, agreed);
  const membership = await writeMembership(tx, performer.id, member.id, {
    ...paid,
    payments: (before?.payments ?? 0) + 1,
    since: isNew || !before ? tx.now : before.since,
  });
  await scheduleRenewal(tx, membership.id, membership.paidUntil);
  await sendMembership(tx, performer.username, membership);
  return membership;
}

/** Notifies the performer of a new member, but not of an upgrade. */
async function welcome(
  { notices }: FanclubsDependencies,
  tx: Tx,
  performer: Person,
  member: Person,
  once: string,
): Promise<void> {
  await notices.notify(tx, {
    personId: performer.id,
    kind: NEW_MEMBER.name,
    values: { name: member.displayName, username: member.username },
    link: '/account/fanclub',
    once,
  });
}

function planHandler(deps: FanclubsDependencies): CallHandler {
  return handleCall(planMembership)(async ({ id, renews, level = null, price = 0 }, context) =>
    deps.data.tx(context.scope, async (tx) => {
      const memberId = context.personId;
      await lockMember(tx, memberId);
      const before = await findById(tx, id);
      const isOwn = before?.memberId === memberId && stateOf(before, tx.now.getTime()) !== 'ended';
      if (!before || !isOwn) return context.refuse(membershipUnknown);
      const after = planned(before, { renews, level }, (await findClub(tx, before.performerId)).prices);
      if (!after) return context.refuse(levelNotPaid);
      if (after.nextPrice !== null && after.nextPrice > price) {
        const now = { price: after.nextPrice };
        return context.refuse(clubPriceChanged, { values: now, extra: now });
      }
      const membership = await writeMembership(tx, before.performerId, memberId, { ...before, ...after });
      const performer = await deps.accounts.findById(tx, before.performerId);
      if (performer) await sendMembership(tx, performer.username, membership);
      return { membership: membershipView(membership, tx.now) };
    })
  );
}

function ownHandler({ data, accounts, compliance }: FanclubsDependencies): CallHandler {
  return handleCall(listMemberships)(async (_input, context) =>
    data.tx(context.scope, async (tx) => {
      const found = await membershipsOf(tx, context.personId);
      const ids = found.map(({ performerId }) => performerId);
      const seen = await compliance.perceivable(tx, compliance.viewerOf(context), ids, 'room');
      const people = await accounts.findMany(tx, [...seen]);
      const clubs = await findPrices(tx, [...seen]);
      const views = found.map((membership) => {
        const performer = people.get(membership.performerId);
        const prices = clubs.get(membership.performerId);
        return {
          ...membershipView(membership, tx.now),
          username: performer?.username ?? null,
          display_name: performer?.displayName ?? null,
          prices: prices ? FANCLUB_LEVELS.map((level) => ({ level, price: prices[level] })) : [],
        };
      });
      const isOver = ({ state }: { readonly state: string }): number => (state === 'ended' ? 1 : 0);
      return { memberships: views.sort((a, b) => isOver(a) - isOver(b)) };
    })
  );
}
