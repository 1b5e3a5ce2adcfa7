import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { linesOf } from './history.ts';

/** What a performer earned in a span of time by one kind of operation, or by one show. */
export interface Earned {
  readonly kind: string;
  readonly tokens: number;
  readonly count: number;
}

/** Earnings of a UTC day (`YYYY-MM-DD`) by kind and show; `show` is null for what belongs to none. */
export interface EarnedOfDay extends Earned {
  readonly day: string;
  readonly show: string | null;
  readonly since: Date;
  /** The payer, if it was one person who is named. */
  readonly payer: string | null;
}

const tokens = sql<number>`sum(p.tokens)::bigint`;
const count = sql<number>`count(*)`;

/** Taken from the postings of a performer's earnings, so that the sums always match what is owed. */
export async function earnedByDay(tx: Tx, personId: number, from: Date, to: Date): Promise<EarnedOfDay[]> {
  const day = sql<string>`to_char(j.at at time zone 'UTC', 'YYYY-MM-DD')`;
  // A payment may be for a part of a show, such as spying; older ones name the show in `earned_in`.
  const show = sql<string | null>`coalesce(
    j.memo ->> 'part_of', j.memo ->> 'earned_in', j.memo ->> 'show')`;
  const payer = sql<string | null>`case when count(distinct j.memo ->> 'from') = 1
    and count(*) = count(j.memo ->> 'from') then min(j.memo ->> 'from') end`;
  return linesOf(tx, personId, 'earnings')
    .where('j.at', '>=', from).where('j.at', '<', to)
    .select([
      day.as('day'),
      'j.kind',
      show.as('show'),
      tokens.as('tokens'),
      count.as('count'),
      sql<Date>`min(j.at)`.as('since'),
      payer.as('payer'),
    ])
    .groupBy([sql`1`, 'j.kind', sql`3`])
    .orderBy('day', 'desc').orderBy('tokens', 'desc').orderBy('j.kind').execute();
}

/** Earnings of a span by kind, highest first. */
export async function earnedByKind(tx: Tx, personId: number, from: Date, to: Date): Promise<Earned[]> {
  return linesOf(tx, personId, 'earnings')
    .where('j.at', '>=', from).where('j.at', '<', to)
    .select(['j.kind', tokens.as('tokens'), count.as('count')])
    .groupBy('j.kind').orderBy('tokens', 'desc').orderBy('j.kind').execute();
}

/** The minute of a span with the most earnings; null without any. */
export async function bestMinute(
  tx: Tx,
  personId: number,
  from: Date,
  to: Date,
): Promise<{ at: Date; tokens: number } | null> {
  const minute = sql<Date>`date_trunc('minute', j.at)`;
  const best = await linesOf(tx, personId, 'earnings')
    .where('j.at', '>=', from).where('j.at', '<', to)
    .select([minute.as('at'), tokens.as('tokens')])
    .groupBy(sql`1`).orderBy('tokens', 'desc').orderBy('at').limit(1).executeTakeFirst();
  return best && best.tokens > 0 ? best : null;
}

/** Everything a performer earned in all, and before a moment; both from the postings. */
export async function earnedInAll(
  tx: Tx,
  personId: number,
  before: Date,
): Promise<{ tokens: number; hasOlder: boolean }> {
  const row = await linesOf(tx, personId, 'earnings')
    .select([
      sql<number>`coalesce(sum(p.tokens), 0)::bigint`.as('tokens'),
      sql<boolean>`coalesce(bool_or(j.at < ${before}), false)`.as('hasOlder'),
    ])
    .executeTakeFirstOrThrow();
  return row;
}
