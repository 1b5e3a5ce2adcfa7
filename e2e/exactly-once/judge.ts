import type { BillerName } from '#platform/contract/payment.ts';
import pg from 'pg';
import type { Bank } from './bank.ts';
import type { Intent, Person } from './intents.ts';

/** Findings. `doubled` and `lost` count intents. */
export interface Judgement {
  readonly doubled: number;
  readonly lost: number;
  /** Purchases that were declined, as reported: no charge, no tokens. */
  readonly declined: number;
  /** Payments of orders that the billers approved. */
  readonly charges: number;
  readonly problems: readonly string[];
}

interface OrderRow {
  readonly id: string;
  readonly person_id: string;
  readonly state: string;
  readonly tokens: number;
  readonly purpose: string;
  readonly biller: BillerName;
  readonly amount_minor: string;
}
interface Rows {
  readonly tips: readonly { readonly operation: string; readonly times: string }[];
  readonly balances: readonly {
    readonly person_id: string;
    readonly balance: string;
    readonly moved: string;
  }[];
  readonly earned: number;
  readonly uneven: number;
  readonly orders: readonly OrderRow[];
  readonly credits: readonly { readonly order_id: string; readonly times: string }[];
  readonly money: readonly { readonly account: string; readonly minor: string }[];
}

export async function rowsOf(url: string): Promise<Rows> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const read = async <T>(text: string): Promise<T[]> => (await client.query(text)).rows as T[];
  const rows = {
    tips: await read<Rows['tips'][number]>(
      `select operation, count(*) as times from ledger.journal where kind = 'tip' group by operation`,
    ),
    balances: await read<Rows['balances'][number]>(
      `select person_id, balance, (select sum(tokens) from ledger.postings p
         where p.person_id = a.person_id and p.account = a.account) as moved
       from ledger.accounts a where account = 'tokens'`,
    ),
    earned: Number(
      (await read<{ tokens: string | null }>(
        `select sum(tokens) as tokens from ledger.postings where account = 'earnings'`,
      ))[0]?.tokens ?? 0,
    ),
    uneven: (await read('select from ledger.postings group by journal_id having sum(tokens) <> 0')).length
      + (await read('select from ledger.money_postings group by journal_id, currency having sum(minor) <> 0'))
        .length,
    orders: await read<OrderRow>(`select id, person_id, state, tokens + free_tokens as tokens, purpose,
      biller, amount_minor from billing.orders`),
    credits: await read<Rows['credits'][number]>(
      `select memo ->> 'order' as order_id, count(*) as times from ledger.journal
       where kind = 'purchase_tokens' group by 1`,
    ),
    money: await read<Rows['money'][number]>(
      `select account, sum(minor) as minor from ledger.money_postings group by account`,
    ),
  };
  await client.end();
  return rows;
}

/** Compares requests and replies with the rows, and the rows with the billers' records. */
export function judge(
  rows: Rows,
  bank: Bank,
  people: readonly Person[],
  intents: readonly Intent[],
): Judgement {
  const problems: string[] = rows.uneven > 0 ? [`${rows.uneven} entries do not sum to zero`] : [];
  const charges = bank.approved();
  const tips = judgeTips(rows, intents, problems);
  const bought = judgePurchases(rows, timesOf(charges.map(({ orderId }) => orderId)), intents, problems);
  judgeBalances(rows, people, intents, problems);
  judgeMoney(rows, charges, problems);
  return {
    doubled: tips.doubled + bought.doubled,
    lost: tips.lost + bought.lost,
    declined: bought.declined,
    charges: charges.length,
    problems,
  };
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

function timesOf(names: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return times;
}

/** The id of an intent. A problem is noted when it has several or none, or shares it with another intent. */
function idOf({ key, ids }: Intent, seen: Set<string>, problems: string[]): string {
  const [id = ''] = ids;
  if (new Set(ids).size !== 1 || seen.has(id)) {
    problems.push(
      `${key} has the ids ${[...new Set(ids)].join()}`,
    );
  }
  seen.add(id);
  return id;
}

function judgeTips(
  { tips, earned }: Rows,
  intents: readonly Intent[],
  problems: string[],
): { doubled: number; lost: number } {
  const posted = new Map(tips.map(({ operation, times }) => [operation, Number(times)]));
  const seen = new Set<string>();
  const own = intents.filter(({ kind }) => kind === 'tip');
  const times = own.map((intent) => posted.get(idOf(intent, seen, problems)) ?? 0);
  for (const id of posted.keys()) if (!seen.has(id)) problems.push(`nobody sent the tip ${id}`);
  const tipped = sum(own, ({ tokens }) => tokens);
  if (earned !== tipped) problems.push(`${earned} were earned, ${tipped} tipped`);
  return { doubled: times.filter((n) => n > 1).length, lost: times.filter((n) => n === 0).length };
}

/** A completed purchase has one order, one charge and one credit; any other has no charge or credit. */
function judgePurchases(
  { orders, credits }: Rows,
  charges: ReadonlyMap<string, number>,
  intents: readonly Intent[],
  problems: string[],
): { doubled: number; lost: number; declined: number } {
  const credited = new Map(credits.map(({ order_id: id, times }) => [id, Number(times)]));
  const rowOf = new Map(orders.map((row) => [row.id, row]));
  let [doubled, lost, declined] = [0, 0, 0];
  for (const { id, state } of orders) {
    const [charge, credit] = [charges.get(id) ?? 0, credited.get(id) ?? 0];
    if (charge > 1 || credit > 1) doubled += 1;
    if (charge > 0 && credit === 0) lost += 1;
    if ((charge > 0) !== (state === 'paid') || (credit > 0 && charge === 0)) {
      problems.push(`order ${id} is ${state}, charged ${charge} times and credited ${credit} times`);
    }
  }
  for (const id of [...charges.keys(), ...credited.keys()]) {
    if (!rowOf.has(id)) problems.push(`there is no order ${id}`);
  }
  const seen = new Set<string>();
  for (const intent of intents) {
    if (intent.kind !== 'card' && intent.kind !== 'page') continue;
    const { key, person, tokens, outcome } = intent;
    const row = rowOf.get(idOf(intent, seen, problems));
    if (outcome === 'done' && row?.state !== 'paid') lost += 1;
    if (outcome === 'declined') declined += 1;
    if (outcome === 'declined' && row?.state !== 'declined' && row?.state !== 'expired') {
      problems.push(`${key} was reported as declined and is ${row?.state}`);
    }
    if (row && (Number(row.person_id) !== person.id || row.tokens !== tokens)) {
      problems.push(`${key} is ${row.tokens} tokens of person ${row.person_id}`);
    }
  }
  const atOnce = orders.filter(({ purpose }) => purpose === 'one_click').length;
  const wanted = intents.filter(({ kind }) => kind === 'card').length;
  if (atOnce !== wanted) problems.push(`${atOnce} orders charge saved cards, ${wanted} were wanted`);
  return { doubled, lost, declined };
}

function judgeBalances(
  { balances }: Rows,
  people: readonly Person[],
  intents: readonly Intent[],
  problems: string[],
): void {
  const balanceOf = new Map(balances.map((row) => [Number(row.person_id), row]));
  const movedBy = ({ kind, tokens, outcome }: Intent): number =>
    kind === 'tip' ? -tokens : outcome === 'done' ? tokens : 0;
  for (const { id, name } of people) {
    const wanted = sum(intents.filter(({ person }) => person.id === id), movedBy);
    const row = balanceOf.get(id);
    if (Number(row?.balance) !== wanted || Number(row?.moved) !== wanted) {
      problems.push(`${name} has ${row?.balance}, by postings ${row?.moved}, and asked for ${wanted}`);
    }
  }
}

/** Checks that what each biller holds, by the site's journal, is what that biller collected. */
function judgeMoney({ money }: Rows, charges: ReturnType<Bank['approved']>, problems: string[]): void {
  const booked = new Map(money.map(({ account, minor }) => [account, Number(minor)]));
  for (const biller of new Set(charges.map((charge) => charge.biller))) {
    const collected = sum(charges.filter((charge) => charge.biller === biller), ({ amount }) => amount.minor);
    const held = booked.get(`biller:${biller}`) ?? 0;
    if (held !== collected) problems.push(`${biller} holds ${held} by the books, and collected ${collected}`);
  }
  if ((booked.get('suspense') ?? 0) !== 0) problems.push('money is in suspense');
}
