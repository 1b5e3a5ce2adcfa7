import type { Tx } from '#platform/data/data.ts';
import { writeProof } from '#platform/streaming/conformance/load/proof-report.ts';
import { inSlices } from '#platform/streaming/conformance/load/proof-slices.ts';
import { Dice } from '#platform/streaming/conformance/network/dice.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { runPaymentStorm, type Aftermath } from '#product/testkit/payments/payment-storm.ts';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { insertOrder } from './store/orders.ts';

/** The committed result is of the full size; smaller runs are for experiments. */
const CALLBACKS = Number(process.env['CALLBACKS'] ?? 100_000);
const SEED = Number(process.env['SEED'] ?? 20_260_115);
/** Callbacks per slice; each slice has its own site and simulators. */
const SLICE = 10_000;
/** A callback takes about 20 ms on two cores. */
const LIMIT_MS = 6 * HOUR_MS;
/** Folders the proof depends on. */
const FOLDERS = ['product', 'platform'];

const moneyOf = async (tx: Tx): Promise<{ account: string; currency: string; minor: number }[]> =>
  (await sql<{ account: string; currency: string; minor: number }>`
    select account, currency, sum(minor)::bigint as minor from ledger.money_postings
    where account like 'biller:%' group by account, currency`.execute(tx.sql())).rows;

interface Slice extends Pick<Aftermath, 'counts' | 'orders' | 'tokens' | 'wrong'> {
  readonly database: string;
}

async function storm(seed: number, callbacks: number): Promise<Slice> {
  const dice = new Dice(seed);
  const chance = { fraction: () => dice.fraction(), below: (limit: number) => dice.below(limit) };
  const { site, ...found } = await runPaymentStorm(callbacks, chance, { insert: insertOrder, moneyOf });
  const database = site.data.driver;
  await site.close();
  expect(found.wrong).toEqual([]);
  process.stdout.write(`storm ${seed}: ${JSON.stringify(found)}\n`);
  return { ...found, database };
}

it('a hundred thousand callbacks through the inbox into the ledger credit the right amounts', async () => {
  const count = Math.ceil(CALLBACKS / SLICE);
  const size = Math.ceil(CALLBACKS / count);
  const slices = await inSlices<Slice>({
    name: 'purchases-by-callbacks',
    seed: String(SEED),
    size,
    count,
    folders: FOLDERS,
    run: (_seed, nth) => storm(SEED + nth, size),
  });
  const sum = (of: (one: Slice) => number): number => slices.reduce((total, slice) => total + of(slice), 0);
  const duplicated = sum(({ counts }) => counts.duplicated);
  const reordered = sum(({ counts }) => counts.reordered);
  const forged = sum(({ counts }) => counts.forged);
  const all = sum(({ counts }) => counts.none) + duplicated + reordered + forged;
  const share = (part: number): string => `${part} (${((100 * part) / all).toFixed(1)}%)`;
  expect(all).toBeGreaterThanOrEqual(CALLBACKS);
  if (CALLBACKS < 100_000) return;
  writeProof({
    name: 'purchases-by-callbacks',
    title: 'Purchases by callbacks',
    claim: 'People pay at simulators of all six billers. Every callback goes through the inbox of a whole '
      + 'site: stored, authenticated or asked about, applied once, entered into the ledger. In the end '
      + 'everybody has the tokens of their right payments that nobody took back, and the account of each '
      + 'biller in the book of money holds what its simulator collected.',
    facts: [
      ['Seeds', `${SEED} to ${SEED + count - 1}`],
      ['Database', [...new Set(slices.map(({ database }) => database))].join(', ')],
      ['Callbacks', all],
      ['… second copies', share(duplicated)],
      ['… out of order', share(reordered)],
      ['… forged', share(forged)],
      ['Orders', sum(({ orders }) => orders)],
      ['Tokens credited and not reversed', sum(({ tokens }) => tokens)],
      ['Wrong balances of people or billers', sum(({ wrong }) => wrong.length)],
    ],
  });
}, LIMIT_MS);
