import type { Tx } from '#platform/data/data.ts';
import { Dice } from '#platform/streaming/conformance/network/dice.ts';
import { runPaymentStorm, type Aftermath } from '#product/testkit/payments/payment-storm.ts';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { insertOrder } from './store/orders.ts';

const CALLBACKS = 120;
const SEED = 11;

let storm: Aftermath | null = null;
afterAll(() => storm?.site.close());

const moneyOf = async (tx: Tx): Promise<{ account: string; currency: string; minor: number }[]> =>
  (await sql<{ account: string; currency: string; minor: number }>`
    select account, currency, sum(minor)::bigint as minor from ledger.money_postings
    where account like 'biller:%' group by account, currency`.execute(tx.sql())).rows;

it('credits the right amounts from repeated, shuffled and forged callbacks', async () => {
  const dice = new Dice(SEED);
  const chance = { fraction: () => dice.fraction(), below: (limit: number) => dice.below(limit) };
  storm = await runPaymentStorm(CALLBACKS, chance, { insert: insertOrder, moneyOf });
  expect(storm.wrong).toEqual([]);
  expect(storm.tokens).toBeGreaterThan(10_000);
  expect(storm.counts.forged).toBeGreaterThan(3);
  expect(storm.counts.duplicated).toBeGreaterThan(25);
});
