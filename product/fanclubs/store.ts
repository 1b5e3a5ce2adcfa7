import type { Tx } from '#platform/data/data.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { sql, type Selectable } from 'kysely';
import type { ClubView } from './contract.ts';
import { ENDED_SHOWN_MS, MAX_MEMBERSHIPS, NO_PERKS, USUAL_PRICES, type ClubPrices } from './rules.ts';
import { GRACE_MS, type Membership } from './rules/membership.ts';
import type { DuesKind } from './store/columns.ts';
import type { FanclubsTables } from './store/tables.ts';

type ClubRow = FanclubsTables['fanclubs.clubs'];
type MembershipRow = FanclubsTables['fanclubs.memberships'];

const tables = (tx: Tx): ReturnType<typeof tx.sql<FanclubsTables>> => tx.sql<FanclubsTables>();

/** The club of a performer who has saved none. */
const NO_CLUB: ClubView = {
  enabled: false,
  description: '',
  prices: USUAL_PRICES,
  perks: { supporter: [...NO_PERKS.supporter], insider: [...NO_PERKS.insider], legend: [...NO_PERKS.legend] },
};

const clubOf = (row: Selectable<ClubRow>): ClubView => ({
  enabled: row.enabled,
  description: row.description,
  prices: { supporter: row.price_supporter, insider: row.price_insider, legend: row.price_legend },
  perks: {
    supporter: [...row.perks.supporter],
    insider: [...row.perks.insider],
    legend: [...row.perks.legend],
  },
});

export async function findClub(tx: Tx, performerId: number): Promise<ClubView> {
  const row = await tables(tx).selectFrom('fanclubs.clubs').selectAll()
    .where('performer_id', '=', performerId).executeTakeFirst();
  return row ? clubOf(row) : NO_CLUB;
}

export async function writeClub(
  tx: Tx,
  performerId: number,
  { enabled, description, prices, perks }: ClubView,
): Promise<void> {
  const said = {
    enabled,
    description,
    price_supporter: prices.supporter,
    price_insider: prices.insider,
    price_legend: prices.legend,
    perks: JSON.stringify(perks),
    saved_at: tx.now,
  };
  await tables(tx).insertInto('fanclubs.clubs').values({ performer_id: performerId, ...said })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet(said)).execute();
}

/** Closes a club. Returns whether it was open. */
export async function shutClub(tx: Tx, performerId: number): Promise<boolean> {
  const row = await tables(tx).updateTable('fanclubs.clubs').set({ enabled: false, saved_at: tx.now })
    .where('performer_id', '=', performerId).where('enabled', '=', true)
    .returning('performer_id').executeTakeFirst();
  return row !== undefined;
}

/** Which of these performers have an open club. */
export async function findOpen(tx: Tx, performerIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (performerIds.length === 0) return new Set();
  const rows = await tables(tx).selectFrom('fanclubs.clubs').select('performer_id')
    .where('enabled', '=', true)
    .where('performer_id', '=', sql<number>`any(${[...performerIds]}::bigint[])`).execute();
  return new Set(rows.map(({ performer_id: id }) => id));
}

/** Prices of these performers' open clubs. */
export async function findPrices(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, ClubPrices>> {
  if (performerIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('fanclubs.clubs').selectAll().where('enabled', '=', true)
    .where('performer_id', '=', sql<number>`any(${[...performerIds]}::bigint[])`).execute();
  return new Map(rows.map((row) => [row.performer_id, clubOf(row).prices]));
}

/** A membership as it is stored. */
export interface StoredMembership extends Membership {
  readonly id: number;
  readonly performerId: number;
  readonly memberId: number;
  readonly payments: number;
  readonly since: Date;
}

const storedOf = (row: Selectable<MembershipRow>): StoredMembership => ({
  id: row.id,
  performerId: row.performer_id,
  memberId: row.member_id,
  level: row.level,
  price: row.price,
  paid: row.paid,
  paidFrom: row.paid_from.getTime(),
  paidUntil: row.paid_until.getTime(),
  renews: row.renews,
  nextLevel: row.next_level,
  nextPrice: row.next_price,
  payments: row.payments,
  since: row.since,
  isEnded: row.ended_at !== null,
});

/**
 * Serializes a member's payments: of two simultaneous joins, the second one finds a member. One lock covers
 * all clubs of a member, so that their number is counted under it too.
 */
export async function lockMember(tx: Tx, memberId: number): Promise<void> {
  await tx.lock('fanclubs.member', memberId);
}

export async function findMembership(
  tx: Tx,
  performerId: number,
  memberId: number,
): Promise<StoredMembership | null> {
  const row = await tables(tx).selectFrom('fanclubs.memberships').selectAll()
    .where('performer_id', '=', performerId).where('member_id', '=', memberId).executeTakeFirst();
  return row ? storedOf(row) : null;
}

export async function findById(tx: Tx, id: number): Promise<StoredMembership | null> {
  const row = await tables(tx).selectFrom('fanclubs.memberships').selectAll()
    .where('id', '=', id).executeTakeFirst();
  return row ? storedOf(row) : null;
}

/** Stores a membership, replacing an earlier one of the same member and club. Returns its id. */
export async function writeMembership(
  tx: Tx,
  performerId: number,
  memberId: number,
  membership: Membership & Pick<StoredMembership, 'payments' | 'since'>,
): Promise<StoredMembership> {
  const { level, price, paid, paidFrom, paidUntil, renews, payments, since, isEnded } = membership;
  const said = {
    level,
    price,
    paid,
    paid_from: new Date(paidFrom),
    paid_until: new Date(paidUntil),
    renews,
    next_level: membership.nextLevel,
    next_price: membership.nextPrice,
    payments,
    since,
    ended_at: isEnded ? tx.now : null,
  };
  const row = await tables(tx).insertInto('fanclubs.memberships')
    .values({ performer_id: performerId, member_id: memberId, ...said })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'performer_id', 'member_id']).doUpdateSet(said)
    )
    .returningAll().executeTakeFirstOrThrow();
  return storedOf(row);
}

/** Memberships that are running or ended recently, newest first. */
export async function membershipsOf(tx: Tx, memberId: number): Promise<readonly StoredMembership[]> {
  const rows = await tables(tx).selectFrom('fanclubs.memberships').selectAll()
    .where('member_id', '=', memberId)
    .where('paid_until', '>', new Date(tx.now.getTime() - ENDED_SHOWN_MS))
    .orderBy('id', 'desc').limit(MAX_MEMBERSHIPS).execute();
  return rows.map(storedOf);
}

/** Running by the clock: `stateOf` of the rules, in SQL. */
const runs = (now: Date) =>
  sql<boolean>`(ended_at is null and (paid_until > ${now}
  or (renews and paid_until > ${new Date(now.getTime() - GRACE_MS)})))`;

export async function countRunning(tx: Tx, memberId: number): Promise<number> {
  const { count } = await tables(tx).selectFrom('fanclubs.memberships')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('member_id', '=', memberId).where(runs(tx.now)).executeTakeFirstOrThrow();
  return count;
}

/** Running memberships of a performer's club, newest first. */
export async function membersOf(
  tx: Tx,
  performerId: number,
  { before, level, limit }: {
    readonly before: number | undefined;
    readonly level: FanclubLevel | undefined;
    readonly limit: number;
  },
): Promise<readonly StoredMembership[]> {
  let query = tables(tx).selectFrom('fanclubs.memberships').selectAll()
    .where('performer_id', '=', performerId).where(runs(tx.now));
  if (before !== undefined) query = query.where('id', '<', before);
  if (level !== undefined) query = query.where('level', '=', level);
  return (await query.orderBy('id', 'desc').limit(limit).execute()).map(storedOf);
}

/** Running memberships with some levels, in the order in which they began, after a given one. */
export async function membersAfter(
  tx: Tx,
  performerId: number,
  { after, levels, limit }: {
    readonly after: number;
    readonly levels: readonly FanclubLevel[];
    readonly limit: number;
  },
): Promise<readonly { readonly id: number; readonly memberId: number; readonly level: FanclubLevel }[]> {
  return tables(tx).selectFrom('fanclubs.memberships').select(['id', 'member_id as memberId', 'level'])
    .where('performer_id', '=', performerId).where('id', '>', after).where('level', 'in', [...levels])
    .where(runs(tx.now)).orderBy('id').limit(limit).execute();
}

/** Number of members at each level. */
export async function countMembers(tx: Tx, performerId: number): Promise<Record<FanclubLevel, number>> {
  const rows = await tables(tx).selectFrom('fanclubs.memberships')
    .select(({ fn }) => ['level', fn.countAll<number>().as('count')])
    .where('performer_id', '=', performerId).where(runs(tx.now)).groupBy('level').execute();
  const of = (level: FanclubLevel): number => rows.find((row) => row.level === level)?.count ?? 0;
  return { supporter: of('supporter'), insider: of('insider'), legend: of('legend') };
}

/** Levels of people in one club; people without a level are left out. */
export async function findLevels(
  tx: Tx,
  personIds: readonly number[],
  performerId: number,
): Promise<ReadonlyMap<number, FanclubLevel>> {
  if (personIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('fanclubs.memberships').select(['member_id', 'level'])
    .where('performer_id', '=', performerId).where(runs(tx.now))
    .where('member_id', '=', sql<number>`any(${[...personIds]}::bigint[])`).execute();
  return new Map(rows.map(({ member_id: id, level }) => [id, level]));
}

/** Stops the renewals of all memberships of a person who leaves. */
export async function stopRenewals(tx: Tx, memberId: number): Promise<void> {
  await tables(tx).updateTable('fanclubs.memberships')
    .set({ renews: false, next_level: null, next_price: null })
    .where('member_id', '=', memberId).where('renews', '=', true).execute();
}

export interface Dues {
  readonly operation: string;
  readonly performerId: number;
  readonly memberId: number;
  readonly kind: DuesKind;
  readonly level: FanclubLevel;
  readonly tokens: number;
}
export async function insertDues(tx: Tx, dues: Dues): Promise<void> {
  const { operation, performerId, memberId, kind, level, tokens } = dues;
  await tables(tx).insertInto('fanclubs.dues').values({
    operation,
    performer_id: performerId,
    member_id: memberId,
    kind,
    level,
    tokens,
    paid_at: tx.now,
  }).execute();
}
/** Tokens of a payment that was posted; null for none. */
export async function findDues(tx: Tx, operation: string): Promise<number | null> {
  const row = await tables(tx).selectFrom('fanclubs.dues').select('tokens')
    .where('operation', '=', operation).executeTakeFirst();
  return row?.tokens ?? null;
}

export async function hasSeenAnnouncement(tx: Tx, personId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom('fanclubs.announcements').select('person_id')
    .where('person_id', '=', personId).executeTakeFirst();
  return row !== undefined;
}
export async function seeAnnouncement(tx: Tx, personId: number): Promise<void> {
  await tables(tx).insertInto('fanclubs.announcements').values({ person_id: personId, seen_at: tx.now })
    .onConflict((conflict) => conflict.columns(['operator_id', 'person_id']).doNothing()).execute();
}
