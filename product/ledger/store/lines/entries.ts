import type { Tx } from '#platform/data/data.ts';
import { sql, type RawBuilder } from 'kysely';
import { ENTRY_KINDS, HOLD_EXPIRED, MAX_PARTS } from '../../rules/entries.ts';
import { PURCHASE } from '../../rules/kinds.ts';
import { tables } from '../../store.ts';
import { moneyOfLine, selected, undoneByLine, type LineFilter, type TokenLine } from './history.ts';

/** A line of a show, of an order, or a single one, with the total of all lines of its group. */
export interface GroupedLine extends TokenLine {
  readonly newest: number;
  /** Kind of the entry it belongs to. */
  readonly entry_kind: string;
  readonly since: Date;
  readonly sum: number;
  readonly count: number;
}

/**
 * The show that a memo names, or whose part it names, such as a session of spying. Both are numbers
 * from different tables.
 */
const showIn = (memo: RawBuilder<unknown>) =>
  sql<string | null>`coalesce('part of ' || (${memo} ->> 'part_of'), ${memo} ->> 'show')`;
/** What an expired hold was for: its own memo only names the hold. */
const HELD_FOR = sql`(select jsonb_build_object('kind', h.kind, 'show', ${showIn(sql`h.memo`)})
  from ledger.journal h where j.kind = ${HOLD_EXPIRED} and h.operator_id = p.operator_id
    and h.operation = (j.memo ->> 'hold')::uuid)`;
const SHOW_KIND = sql<string | null>`${JSON.stringify(ENTRY_KINDS)}::jsonb
  ->> coalesce(${HELD_FOR} ->> 'kind', j.kind)`;
const SHOW = sql<string | null>`coalesce(${HELD_FOR} ->> 'show', ${showIn(sql`j.memo`)})`;

/**
 * A person's lines grouped by show and by order, most recently changed first; of each group the newest
 * lines. A group is positioned by its newest line, so paging misses and repeats none. Reads all lines of
 * the filter, as kinds and months do.
 */
export async function groupedLines(tx: Tx, filter: LineFilter): Promise<GroupedLine[]> {
  const { before = null, limit } = filter;
  const keyed = selected(tx, filter).select([
    'p.id',
    'p.journal_id',
    'p.operator_id',
    'p.tokens',
    'p.balance',
    'j.operation',
    'j.kind',
    'j.memo',
    'j.at',
    sql<string>`coalesce(${SHOW_KIND}, j.kind)`.as('entry_kind'),
    sql<string>`coalesce(${SHOW_KIND} || ' ' || ${SHOW},
      case when j.kind in (${PURCHASE}, 'post_pay') then 'order ' || (j.memo ->> 'order') end,
      'line ' || p.id)`.as('key'),
  ]);
  const { rows } = await sql<GroupedLine>`
    with keyed as materialized (${keyed}), page as (
      select key, max(id) as newest, min(at) as since, sum(tokens)::bigint as sum, count(*) as count
      from keyed group by key having max(id) < coalesce(${before}::bigint, 9007199254740991)
      order by newest desc limit ${limit}
    ), p as (
      select page.newest, page.since, page.sum, page.count, k.*,
        row_number() over (partition by page.key order by k.id desc) as nth
      from page join keyed k on k.key = page.key
    )
    select p.newest, p.since, p.sum, p.count, p.entry_kind, p.id, p.operation, p.kind, p.tokens, p.balance,
      p.memo, p.at, ${moneyOfLine} as money, ${undoneByLine} as reverses
    from p where p.nth <= ${MAX_PARTS} order by p.newest desc, p.id desc`.execute(tables(tx));
  return rows;
}
