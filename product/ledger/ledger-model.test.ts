import type { Tx } from '#platform/data/data.ts';
import { uuidV5 } from '#platform/data/ids.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Leg, Operation, PostOutcome } from './server.ts';

/** The ledger against a small model of it: random batches; compares each answer and the whole state. */

const PEOPLE = 3;
const NAMESPACE = '8f0e7f3a-52b1-4c0d-9d5e-3a6b0c9d7e21';
/** The defaults of `ledger.settings`. */
const PAYOUT_CENTS = 5;
const MARKETING_CAP_CENTS = 10_000_000;
/** What one person may earn of promotional tokens in a day: 5,000 cents. */
const PERFORMER_CAP_TOKENS = 1_000;
/** Enough runs to meet every pair of cases; `npm run prove` runs millions. */
const RUNS = 60;

let site: TestSite;
let people: readonly number[];
beforeAll(async () => {
  site = await createSite();
  people = await Promise.all(Array.from({ length: PEOPLE }, async () => (await site.viewer()).id));
});
afterAll(() => site.close());

/** What somebody requests: people by index, ids from so small a range that they repeat. */
type Intent =
  | { readonly do: 'grant' | 'buy'; readonly id: number; readonly who: number; readonly tokens: number }
  | {
    readonly do: 'tip';
    readonly id: number;
    readonly who: number;
    readonly whom: number;
    readonly tokens: number;
    readonly fee: number;
  };

const who = fc.nat({ max: PEOPLE - 1 });
const id = fc.nat({ max: 25 });
const tokens = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1_000_000 }));
const intent: fc.Arbitrary<Intent> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('grant', 'buy'), id, who, tokens }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('tip'), id, who, whom: who, tokens, fee: fc.nat({ max: 100 }) }),
  },
);

const personLeg = (index: number, book: 'tokens' | 'earnings', moved: number, lot?: Leg['lot']): Leg => ({
  account: { kind: 'person', personId: people[index] ?? 0, book },
  tokens: moved,
  lot,
});

function legsOf(asked: Intent): Leg[] {
  if (asked.do !== 'tip') {
    const promotional = asked.do === 'grant';
    const lot = { promotional, backingCents: promotional ? 0 : asked.tokens * 10 };
    return [
      { account: { kind: 'operator', name: promotional ? 'grants' : 'float' }, tokens: -asked.tokens },
      personLeg(asked.who, 'tokens', asked.tokens, lot),
    ];
  }
  const fee = Math.floor((asked.tokens * asked.fee) / 100);
  const legs: Leg[] = [
    personLeg(asked.who, 'tokens', -asked.tokens),
    personLeg(asked.whom, 'earnings', asked.tokens - fee),
    { account: { kind: 'operator', name: 'fees' }, tokens: fee },
  ];
  return legs.filter((leg) => leg.tokens !== 0);
}

const operationOf = (asked: Intent): Operation => ({
  id: uuidV5(NAMESPACE, String(asked.id)),
  kind: asked.do,
  memo: {},
  facts: [],
  parameterHash: JSON.stringify(asked),
  legs: legsOf(asked),
});

const nameOf = ({ account }: Leg): string =>
  account.kind === 'person' ? `${account.personId} ${account.book}` : account.name;

/** The ledger in thirty lines: one thread, no database. */
class Model {
  readonly balances = new Map<string, number>();
  /** Spendable tokens by person: promotional ones and bought ones. */
  readonly lots = new Map<number, { given: number; bought: number }>();
  readonly #known = new Map<string, string>();
  /** Promotional tokens that people earned; everything happens on one day. */
  readonly #earnedOfGiven = new Map<number, number>();
  #marketingCents = 0;

  post({ id: operation, parameterHash, legs }: Operation): string {
    const known = this.#known.get(operation);
    if (known !== undefined) return known === parameterHash ? 'duplicate' : 'mismatch';
    const after = legs.map((leg) => (this.balances.get(nameOf(leg)) ?? 0) + leg.tokens);
    if (legs.some((leg, n) => leg.account.kind === 'person' && (after[n] ?? 0) < 0)) return 'insufficient';
    const given = legs.reduce((sum, leg) => sum + (leg.lot?.promotional ? leg.tokens : 0), 0);
    if (this.#marketingCents + given * PAYOUT_CENTS > MARKETING_CAP_CENTS) return 'marketing_cap';
    const fromGiven = this.#fromGiven(legs);
    if (fromGiven === null) return 'performer_cap';
    this.#marketingCents += given * PAYOUT_CENTS;
    this.#known.set(operation, parameterHash);
    legs.forEach((leg, n) => this.balances.set(nameOf(leg), after[n] ?? 0));
    for (const leg of legs) this.#move(leg, fromGiven);
    return 'posted';
  }

  /** How many promotional tokens a tip takes; null when its earner would earn too many of them. */
  #fromGiven(legs: readonly Leg[]): number | null {
    const payer = legs.find(({ tokens: moved }) => moved < 0)?.account;
    const earned = legs.find(({ account }) => account.kind === 'person' && account.book === 'earnings');
    const paid = -Math.min(...legs.map(({ tokens: moved }) => moved));
    const own = payer?.kind === 'person' ? this.lots.get(payer.personId) : undefined;
    const { given = 0, bought = 0 } = own ?? {};
    if (earned?.account.kind !== 'person') return Math.min(given, paid);
    const { personId } = earned.account;
    const before = this.#earnedOfGiven.get(personId) ?? 0;
    const partOf = (taken: number): number => Math.ceil(taken * earned.tokens / paid);
    const takes = [Math.min(given, paid), Math.max(0, paid - bought)]
      .find((taken) => before + partOf(taken) <= PERFORMER_CAP_TOKENS);
    if (takes === undefined) return null;
    this.#earnedOfGiven.set(personId, before + partOf(takes));
    return takes;
  }

  #move({ account, tokens: moved, lot }: Leg, fromGiven: number): void {
    if (account.kind !== 'person' || account.book !== 'tokens') return;
    const { given, bought } = this.lots.get(account.personId) ?? { given: 0, bought: 0 };
    this.lots.set(
      account.personId,
      moved < 0
        ? { given: given - fromGiven, bought: bought + moved + fromGiven }
        : { given: given + (lot?.promotional ? moved : 0), bought: bought + (lot?.promotional ? 0 : moved) },
    );
  }
}

/** Every invariant, checked in the database itself. */
async function checkState(tx: Tx, model: Model): Promise<void> {
  const read = async <Row>(text: string): Promise<Row[]> => (await sql.raw<Row>(text).execute(tx.sql())).rows;
  expect(
    await read(`select journal_id from ledger.postings
    group by journal_id having sum(tokens) <> 0`),
  ).toEqual([]);
  expect(
    await read(`select * from ledger.accounts a where balance < 0 or balance <> (
    select coalesce(sum(tokens), 0) from ledger.postings p
    where p.person_id = a.person_id and p.account = a.account)`),
  ).toEqual([]);
  expect(
    await read(`select * from ledger.accounts a where account = 'tokens' and balance <> (
    select coalesce(sum(tokens_left), 0) from ledger.lots l where l.person_id = a.person_id)`),
  ).toEqual([]);
  expect(
    await read(`select l.id from ledger.lots l where tokens - tokens_left <> (
    select coalesce(sum(d.tokens), 0) from ledger.draws d where d.lot_id = l.id)`),
  ).toEqual([]);
  const sums = await read<{ name: string; tokens: number }>(
    `select coalesce(person_id || ' ', '') || account as name, sum(tokens)::bigint as tokens
     from ledger.postings group by person_id, account`,
  );
  const byName = [...model.balances].filter(([name]) => sums.some((sum) => sum.name === name));
  expect(new Map(sums.map(({ name, tokens: sum }) => [name, sum]))).toEqual(new Map(byName));
  expect([...model.balances.values()].reduce((total, balance) => total + balance, 0)).toBe(0);
  const lots = await read<{ person_id: number; given: number; bought: number }>(
    `select person_id, coalesce(sum(tokens_left) filter (where promotional), 0)::bigint as given,
       coalesce(sum(tokens_left) filter (where not promotional), 0)::bigint as bought
     from ledger.lots group by person_id`,
  );
  expect(new Map(lots.map(({ person_id: person, ...left }) => [person, left]))).toEqual(model.lots);
}

function expectSame(outcome: PostOutcome | undefined, operation: Operation, model: Model): void {
  const status = model.post(operation);
  expect(outcome?.status).toBe(status);
  if (outcome?.status !== 'posted' && outcome?.status !== 'duplicate') return;
  for (const { account } of operation.legs) {
    // The earner's balance is returned too; other operations of the batch may not be in it yet.
    if (account.kind !== 'person' || account.book !== 'tokens') continue;
    const [person, balance] = [account.personId, outcome.balances.get(account.personId)];
    expect(balance).toBe(model.balances.get(`${person} tokens`) ?? 0);
  }
}

it('answers as the model does, and keeps its sums, whatever is asked in whatever batches', async () => {
  const undone = new Error('every run starts from nothing');
  const batches = fc.array(fc.array(intent, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(batches, async (asked) => {
      const run = site.tx(async (tx) => {
        const model = new Model();
        for (const batch of asked) {
          const operations = batch.map(operationOf);
          const outcomes = await site.services.ledger.post(tx, operations);
          expect(outcomes).toHaveLength(operations.length);
          operations.forEach((operation, n) => expectSame(outcomes[n], operation, model));
          await checkState(tx, model);
        }
        throw undone;
      });
      await run.catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    }),
    { numRuns: RUNS },
  );
});
