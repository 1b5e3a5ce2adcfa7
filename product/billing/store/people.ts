import type { BillerName } from '#platform/contract/payment.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Membership } from '#product/accounts/rules/current-user.ts';
import { sql } from 'kysely';
import type { Confirmed, ReUp } from '../rules/credit.ts';
import { tables } from './schema.ts';

export interface BuyerRow {
  readonly firstPaidAt: Date | null;
  readonly vaultSpins: number;
  readonly freeSpinDay: string | null;
}

const NOBODY: BuyerRow = { firstPaidAt: null, vaultSpins: 0, freeSpinDay: null };

/** Locks a person's purchases until the unit of work ends. */
export async function lockBuyer(tx: Tx, personId: number): Promise<BuyerRow> {
  const row = await tables(tx).insertInto('billing.buyers')
    .values({ person_id: personId, first_paid_at: null })
    // Setting a column to itself locks the row; `do nothing` would not.
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'person_id'])
        .doUpdateSet((e) => ({ vault_spins: e.ref('billing.buyers.vault_spins') }))
    )
    .returning(['first_paid_at as firstPaidAt', 'vault_spins as vaultSpins', 'free_spin_day as freeSpinDay'])
    .executeTakeFirstOrThrow();
  return row;
}

export async function buyerOf(tx: Tx, personId: number): Promise<BuyerRow> {
  const row = await tables(tx).selectFrom('billing.buyers')
    .select(['first_paid_at as firstPaidAt', 'vault_spins as vaultSpins', 'free_spin_day as freeSpinDay'])
    .where('person_id', '=', personId).executeTakeFirst();
  return row ?? NOBODY;
}

/** Whether a person has a saved card and has ever paid, and their number of recent paid purchases. */
export interface Buying {
  readonly hasCard: boolean;
  readonly hasPurchase: boolean;
  /** Paid since the given moment, and not refunded. */
  readonly recentPurchases: number;
}

export async function buyingSince(
  tx: Tx,
  personIds: readonly number[],
  since: Date,
): Promise<ReadonlyMap<number, Buying>> {
  if (personIds.length === 0) return new Map();
  const cards = await tables(tx).selectFrom('billing.cards').select('person_id').distinct()
    .where('person_id', 'in', personIds).execute();
  const orders = await tables(tx).selectFrom('billing.orders')
    .select((e) => ['person_id', e.fn.countAll<number>().as('count')])
    .where('person_id', 'in', personIds).where('paid_at', '>', since).where('refunded_at', 'is', null)
    .where('amount_minor', '>', 0).groupBy('person_id').execute();
  const buyers = await tables(tx).selectFrom('billing.buyers').select('person_id')
    .where('person_id', 'in', personIds).where('first_paid_at', 'is not', null).execute();
  const counts = new Map(orders.map(({ person_id: id, count }) => [id, count]));
  const [haveCard, havePaid] = [cards, buyers].map((rows) => new Set(rows.map(({ person_id: id }) => id)));
  return new Map(personIds.map((id) => [id, {
    hasCard: haveCard?.has(id) ?? false,
    hasPurchase: havePaid?.has(id) ?? false,
    recentPurchases: counts.get(id) ?? 0,
  }]));
}

export async function changeBuyer(tx: Tx, personId: number, changes: {
  readonly firstPaidAt?: Date;
  readonly vaultSpins?: number;
  readonly freeSpinDay?: string;
}): Promise<void> {
  const { firstPaidAt, vaultSpins, freeSpinDay } = changes;
  await tables(tx).updateTable('billing.buyers')
    .set({
      ...(firstPaidAt === undefined ? {} : { first_paid_at: firstPaidAt }),
      ...(vaultSpins === undefined ? {} : { vault_spins: vaultSpins }),
      ...(freeSpinDay === undefined ? {} : { free_spin_day: freeSpinDay }),
    })
    .where('person_id', '=', personId).execute();
}

/** A card to save: the biller's token and the printed details. */
export interface NewCard {
  readonly token: string;
  readonly face: {
    readonly brand: string;
    readonly first6: string | null;
    readonly last4: string;
    readonly expiry: string | null;
  };
}

export interface Card {
  readonly id: number;
  readonly personId: number;
  readonly biller: BillerName;
  readonly token: string;
  readonly brand: string;
  readonly first6: string | null;
  readonly last4: string;
  readonly expiry: string | null;
  readonly isDefault: boolean;
}

const CARD = [
  'id',
  'person_id as personId',
  'biller',
  'token',
  'brand',
  'first6',
  'last4',
  'expiry',
  'is_default as isDefault',
] as const;

/** The cards of a person, the default one first, then the newest. */
export async function cardsOf(tx: Tx, personId: number): Promise<Card[]> {
  return tables(tx).selectFrom('billing.cards').select(CARD).where('person_id', '=', personId)
    .orderBy('is_default', 'desc').orderBy('id', 'desc').execute();
}

/**
 * Saves a card of a person, once: the same card with a new token replaces the old one. Null if the token
 * belongs to somebody else, or if the person has too many cards.
 */
export async function saveCard(
  tx: Tx,
  personId: number,
  biller: BillerName,
  { token, face }: NewCard,
  most: number,
): Promise<Card | null> {
  // Of two concurrent cards only one can be the first.
  await lockBuyer(tx, personId);
  const known = await tables(tx).selectFrom('billing.cards').select(CARD)
    .where('biller', '=', biller).where('token', '=', token).executeTakeFirst();
  if (known) return known.personId === personId ? known : null;
  const own = await cardsOf(tx, personId);
  const same = own.find((card) =>
    card.biller === biller && card.last4 === face.last4
    && card.brand === face.brand && card.expiry === face.expiry && card.first6 === face.first6
  );
  if (same) {
    await tables(tx).updateTable('billing.cards').set({ token }).where('id', '=', same.id).execute();
    return { ...same, token };
  }
  if (own.length >= most) return null;
  return tables(tx).insertInto('billing.cards')
    .values({
      person_id: personId,
      biller,
      token,
      brand: face.brand,
      first6: face.first6,
      last4: face.last4,
      expiry: face.expiry,
      is_default: own.length === 0,
      created_at: tx.now,
    })
    .returning(CARD).executeTakeFirstOrThrow();
}

export async function makeDefault(tx: Tx, personId: number, cardId: number): Promise<void> {
  // Two statements, because the index allows one default at a time.
  await tables(tx).updateTable('billing.cards').set({ is_default: false })
    .where('person_id', '=', personId).where('is_default', '=', true).execute();
  await tables(tx).updateTable('billing.cards').set({ is_default: true })
    .where('person_id', '=', personId).where('id', '=', cardId).execute();
}

/**
 * Deletes a card, and turns off its re-up and post-pay charge. Clears `keep_card` of earlier orders, because
 * their next renewal would save the card again.
 */
export async function deleteCard(tx: Tx, personId: number, cardId: number): Promise<void> {
  await tables(tx).updateTable('billing.orders').set({ keep_card: false })
    .where('person_id', '=', personId).where('keep_card', '=', true).execute();
  await tables(tx).updateTable('billing.re_ups').set({ enabled: false, card_id: null })
    .where('card_id', '=', cardId).execute();
  await tables(tx).updateTable('billing.post_pay').set({ card_id: null }).where('card_id', '=', cardId)
    .execute();
  await tables(tx).deleteFrom('billing.cards').where('id', '=', cardId).execute();
}

export interface ReUpRow extends ReUp {
  /** The person turned it off; failed charges did not. */
  readonly disabledByUser: boolean;
  readonly internalId: string;
  readonly cardId: number | null;
  /** The offer that the person confirmed; null for re-ups from before it was stored. */
  readonly confirmed: Confirmed | null;
}

const RE_UP = [
  'enabled',
  'threshold',
  'internal_id as internalId',
  'card_id as cardId',
  'per_day as perDay',
  'in_flight as inFlight',
  'failures',
  'disabled_by_user as disabledByUser',
  'tokens',
  'price_minor as priceMinor',
  'currency',
] as const;

function reUpRow({ tokens, priceMinor, currency, ...row }:
  & Omit<ReUpRow, 'confirmed'>
  & { readonly [Name in keyof Confirmed]: Confirmed[Name] | null }): ReUpRow
{
  const isComplete = tokens !== null && priceMinor !== null && currency !== null;
  return { ...row, confirmed: isComplete ? { tokens, priceMinor, currency } : null };
}

export async function reUpOf(tx: Tx, personId: number): Promise<ReUpRow | null> {
  const row = await tables(tx).selectFrom('billing.re_ups').select(RE_UP).where('person_id', '=', personId)
    .executeTakeFirst();
  return row ? reUpRow(row) : null;
}

/** The same, locked until the unit of work ends. */
export async function lockReUp(tx: Tx, personId: number): Promise<ReUpRow | null> {
  const row = await tables(tx).selectFrom('billing.re_ups').select(RE_UP).where('person_id', '=', personId)
    .forUpdate().executeTakeFirst();
  return row ? reUpRow(row) : null;
}

/** Turns re-ups off as if the person had: nothing is bought any more. */
export async function turnReUpOff(tx: Tx, personId: number): Promise<void> {
  await tables(tx).updateTable('billing.re_ups').set({ enabled: false, disabled_by_user: true })
    .where('person_id', '=', personId).execute();
}

export async function saveReUp(tx: Tx, personId: number, set: {
  readonly enabled: boolean;
  readonly threshold: number;
  readonly internalId: string;
  readonly cardId: number | null;
  readonly perDay: number;
  readonly confirmed: Confirmed | null;
}): Promise<void> {
  const { confirmed } = set;
  const values = {
    enabled: set.enabled,
    threshold: set.threshold,
    internal_id: set.internalId,
    card_id: set.cardId,
    per_day: set.perDay,
    failures: 0,
    disabled_by_user: !set.enabled,
    tokens: confirmed?.tokens ?? null,
    price_minor: confirmed?.priceMinor ?? null,
    currency: confirmed?.currency ?? null,
  };
  await tables(tx).insertInto('billing.re_ups')
    .values({ person_id: personId, in_flight: null, ...values })
    .onConflict((conflict) => conflict.columns(['operator_id', 'person_id']).doUpdateSet(values)).execute();
}

/** Turns re-ups off at the person's request. */
export async function disableReUp(tx: Tx, personId: number): Promise<void> {
  await tables(tx).updateTable('billing.re_ups').set({ enabled: false, disabled_by_user: true })
    .where('person_id', '=', personId).execute();
}

export async function noteReUp(tx: Tx, personId: number, changes: {
  readonly inFlight: string | null;
  readonly failures?: number;
  readonly enabled?: boolean;
}): Promise<void> {
  const { inFlight, ...rest } = changes;
  await tables(tx).updateTable('billing.re_ups').set({ in_flight: inFlight, ...rest })
    .where('person_id', '=', personId).execute();
}

export interface PostpayRow {
  readonly enabled: boolean;
  readonly cardFailed: boolean;
  readonly cardId: number | null;
  readonly nextChargeAt: Date | null;
}

export async function postpayOf(tx: Tx, personId: number): Promise<PostpayRow | null> {
  const row = await tables(tx).selectFrom('billing.post_pay')
    .select(['enabled', 'card_failed as cardFailed', 'card_id as cardId', 'next_charge_at as nextChargeAt'])
    .where('person_id', '=', personId).executeTakeFirst();
  return row ?? null;
}

export async function savePostpay(tx: Tx, personId: number, row: PostpayRow): Promise<void> {
  const values = {
    enabled: row.enabled,
    card_failed: row.cardFailed,
    card_id: row.cardId,
    next_charge_at: row.nextChargeAt,
  };
  await tables(tx).insertInto('billing.post_pay').values({ person_id: personId, ...values })
    .onConflict((conflict) => conflict.columns(['operator_id', 'person_id']).doUpdateSet(values)).execute();
}

export interface MembershipRow {
  readonly orderId: string;
  readonly personId: number;
  readonly membership: Membership;
  readonly endsAt: Date;
  readonly renews: boolean;
  readonly priceMinor: number;
  readonly currency: string;
}

const MEMBERSHIP = [
  'order_id as orderId',
  'person_id as personId',
  'membership',
  'ends_at as endsAt',
  'renews',
  'price_minor as priceMinor',
  'currency',
] as const;

export async function saveMembership(tx: Tx, row: MembershipRow): Promise<void> {
  const values = {
    membership: row.membership,
    ends_at: row.endsAt,
    renews: row.renews,
    price_minor: row.priceMinor,
    currency: row.currency,
  };
  await tables(tx).insertInto('billing.memberships')
    .values({ order_id: row.orderId, person_id: row.personId, ...values })
    .onConflict((conflict) => conflict.columns(['operator_id', 'order_id']).doUpdateSet(values)).execute();
}

/** Memberships of people that have not ended, by end. */
export async function runningMemberships(tx: Tx, personIds: readonly number[]): Promise<MembershipRow[]> {
  if (personIds.length === 0) return [];
  return tables(tx).selectFrom('billing.memberships').select(MEMBERSHIP)
    .where('person_id', '=', sql<number>`any(${[...personIds]}::bigint[])`).where('ends_at', '>', tx.now)
    .orderBy('ends_at').execute();
}

/** When the membership of an order ends; null for an unpaid order, or one without a membership. */
export async function membershipEnd(tx: Tx, orderId: string): Promise<Date | null> {
  const row = await tables(tx).selectFrom('billing.memberships').select('ends_at')
    .where('order_id', '=', orderId).executeTakeFirst();
  return row?.ends_at ?? null;
}

/** When a person's last membership ended or will end; null for none. */
export async function lastMembershipEnd(tx: Tx, personId: number): Promise<Date | null> {
  const row = await tables(tx).selectFrom('billing.memberships').select('ends_at')
    .where('person_id', '=', personId).orderBy('ends_at', 'desc').limit(1).executeTakeFirst();
  return row?.ends_at ?? null;
}
