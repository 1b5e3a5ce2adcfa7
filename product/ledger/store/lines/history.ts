import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { monthOf } from '../../rules.ts';
import { HOLD_EXPIRED, kindsBehind } from '../../rules/entries.ts';
import { tables } from '../../store.ts';

export interface TokenLine {
  readonly id: number;
  readonly operation: string;
  readonly kind: string;
  readonly tokens: number;
  readonly balance: number | null;
  readonly memo: Record<string, unknown>;
  readonly at: Date;
  /** Money that a biller collected or refunded for it. */
  readonly money: { readonly minor: number; readonly currency: string } | null;
  readonly reverses: { readonly kind: string; readonly to: string | null } | null;
}

/** Which of a person's lines to read: spendable tokens, or earnings as a performer. */
export type LineAccount = 'tokens' | 'earnings';

/** Which lines of whom: of one kind, of one month (`YYYY-MM`, UTC), since a moment. */
export interface LineFilter {
  readonly personId: number;
  /** Spendable tokens by default. */
  readonly account?: LineAccount;
  readonly limit: number;
  readonly kind?: string | undefined;
  readonly month?: string | undefined;
  readonly since?: Date | undefined;
  /** Newest first, older than this line; null for the newest. */
  readonly before?: number | null;
  /** Oldest first instead, newer than this line; null for the oldest. */
  readonly after?: number | null;
}

/** Money that moved with the entry of a posting `p`: a purchase has one biller. */
export const moneyOfLine = sql<TokenLine['money']>`(
  select jsonb_build_object('minor', m.minor, 'currency', m.currency) from ledger.money_postings m
  where m.operator_id = p.operator_id and m.journal_id = p.journal_id and m.account like 'biller:%'
  order by m.id limit 1)`;
/** The entry that a posting `p` reversed. */
export const undoneByLine = sql<TokenLine['reverses']>`(
  select jsonb_build_object('kind', o.kind, 'to', o.memo ->> 'to') from ledger.reversals r
  join ledger.journal o on o.operator_id = r.operator_id and o.id = r.reversed_id
  where r.operator_id = p.operator_id and r.journal_id = p.journal_id)`;

/**
 * Changes of a person's spendable tokens. An account is locked while it changes, so its lines are
 * numbered in the order they become visible: paging by number misses and repeats none.
 */
export async function tokenLines(tx: Tx, filter: LineFilter): Promise<TokenLine[]> {
  const { before = null, after, limit } = filter;
  let query = selected(tx, filter).select([
    'p.id',
    'j.operation',
    'j.kind',
    'p.tokens',
    'p.balance',
    'j.memo',
    'j.at',
    moneyOfLine.as('money'),
    undoneByLine.as('reverses'),
  ]);
  if (before !== null) query = query.where('p.id', '<', before);
  if (after !== undefined && after !== null) query = query.where('p.id', '>', after);
  return query.orderBy('p.id', after === undefined ? 'desc' : 'asc').limit(limit).execute();
}

/** Whether more than `most` lines match. Reads only one more than that. */
export async function hasMoreLines(
  tx: Tx,
  filter: Omit<LineFilter, 'limit'>,
  most: number,
): Promise<boolean> {
  const beyond = await selected(tx, filter).select('p.id').orderBy('p.id').offset(most).limit(1).execute();
  return beyond.length > 0;
}

/** The lines of a filter, whatever their ids. */
export function selected(tx: Tx, { personId, account, kind, month, since }: Omit<LineFilter, 'limit'>) {
  let query = linesOf(tx, personId, account);
  if (kind !== undefined) query = query.where(isOfKind(kind));
  if (since !== undefined) query = query.where('j.at', '>=', since);
  if (month !== undefined) {
    const { start, end } = monthOf(month);
    query = query.where('j.at', '>=', start).where('j.at', '<', end);
  }
  return query;
}

/** Entries of this kind, including tokens returned because a hold of the show expired. */
function isOfKind(kind: string) {
  const kinds = kindsBehind(kind);
  return sql<boolean>`(j.kind in (${sql.join(kinds)}) or (j.kind = ${HOLD_EXPIRED} and exists (
    select from ledger.journal h where h.operator_id = p.operator_id
      and h.operation = (j.memo ->> 'hold')::uuid and h.kind in (${sql.join(kinds)}))))`;
}

/**
 * Postings of an account of a person, joined to their journal. `offset 0` makes the planner look up each
 * entry by its key: without statistics, as in PGlite, it joins in the other order and takes a minute for
 * 20,000 lines.
 */
export const linesOf = (tx: Tx, personId: number, account: LineAccount = 'tokens') =>
  tables(tx)
    .selectFrom('ledger.postings as p')
    .innerJoinLateral(
      (from) =>
        from.selectFrom('ledger.journal as entry').selectAll('entry')
          .whereRef('entry.operator_id', '=', 'p.operator_id').whereRef('entry.id', '=', 'p.journal_id')
          .offset(0).as('j'),
      (join) => join.onTrue(),
    )
    .where('p.person_id', '=', personId)
    .where('p.account', '=', account);

/** Kinds of operation that ever changed a person's spendable tokens, by name. */
export async function kindsOf(tx: Tx, personId: number): Promise<string[]> {
  const rows = await linesOf(tx, personId).select('j.kind').distinct().orderBy('j.kind').execute();
  return rows.map(({ kind }) => kind);
}

/** The sums of a month. */
export interface MonthSums {
  /** Balance before the month. */
  readonly opening: number;
  readonly kinds: readonly {
    readonly kind: string;
    readonly count: number;
    readonly credited: number;
    readonly spent: number;
  }[];
}

/** Sums of a person's spendable tokens by kind; from the lines themselves, so that they always add up. */
export async function sumsOfMonth(tx: Tx, personId: number, month: string): Promise<MonthSums> {
  const { start, end } = monthOf(month);
  const within = sql<boolean>`j.at >= ${start}`;
  const total = sql<number>`coalesce(sum(p.tokens) filter (where j.at < ${start}), 0)::bigint`;
  const rows = await linesOf(tx, personId)
    .where('j.at', '<', end)
    .select([
      'j.kind',
      total.as('before'),
      sql<number>`count(*) filter (where ${within})`.as('count'),
      sql<number>`coalesce(sum(p.tokens) filter (where ${within} and p.tokens > 0), 0)::bigint`
        .as('credited'),
      sql<number>`coalesce(-sum(p.tokens) filter (where ${within} and p.tokens < 0), 0)::bigint`.as('spent'),
    ])
    .groupBy('j.kind').orderBy('j.kind').execute();
  return {
    opening: rows.reduce((sum, { before }) => sum + before, 0),
    kinds: rows.filter(({ count }) => count > 0).map(({ before: _before, ...kind }) => kind),
  };
}

/** Tokens a person bought in a month, and what billers charged for them: one amount for each currency. */
export async function boughtIn(tx: Tx, personId: number, month: string): Promise<{
  readonly tokens: number;
  readonly money: { minor: number; currency: string }[];
}> {
  const { start, end } = monthOf(month);
  const { rows } = await sql<{ tokens: number; money: { minor: number; currency: string }[] }>`
    with bought as (
      select l.operator_id, l.journal_id, sum(l.tokens)::bigint as tokens
      from ledger.lots l join ledger.journal j on j.operator_id = l.operator_id and j.id = l.journal_id
      where l.person_id = ${personId} and l.backing_cents > 0 and j.at >= ${start} and j.at < ${end}
      group by 1, 2),
    paid as (
      select m.currency, sum(m.minor)::bigint as minor
      from bought b join ledger.money_postings m on m.operator_id = b.operator_id
        and m.journal_id = b.journal_id
      where m.account like 'biller:%' group by 1)
    select (select coalesce(sum(tokens), 0)::bigint from bought) as tokens,
      (select coalesce(jsonb_agg(jsonb_build_object('minor', minor, 'currency', currency)
        order by currency), '[]') from paid) as money`
    .execute(tables(tx));
  return rows[0] ?? { tokens: 0, money: [] };
}

/** Months (UTC) of which a person has lines, newest first. */
export async function monthsOf(tx: Tx, personId: number): Promise<string[]> {
  const month = sql<string>`to_char(j.at at time zone 'UTC', 'YYYY-MM')`;
  const rows = await linesOf(tx, personId).select(month.as('month')).distinct()
    .orderBy('month', 'desc').execute();
  return rows.map((row) => row.month);
}
