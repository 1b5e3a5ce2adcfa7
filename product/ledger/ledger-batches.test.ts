import type { Tx } from '#platform/data/data.ts';
import { uuidV4, uuidV5 } from '#platform/data/ids.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Leg, Operation } from './server.ts';
import { refusalOf } from './server/journal/refusing.ts';

/** Batches: concurrent operations have the same result as one after another. */

const NAMESPACE = '8f0e7f3a-52b1-4c0d-9d5e-3a6b0c9d7e21';
const PEOPLE = 5;
/** Enough to meet every pair of kinds; `npm run prove` runs millions. */
const RUNS = 40;

let site: TestSite;
let people: Member[];
beforeAll(async () => {
  site = await createSite();
  people = await Promise.all(Array.from({ length: PEOPLE }, () => site.viewer()));
});
afterAll(() => site.close());

const idOf = (index: number): number => people[index]?.id ?? 0;
const of = (person: number, book: 'tokens' | 'earnings' | 'held', tokens: number, lot?: Leg['lot']): Leg => ({
  account: { kind: 'person', personId: person, book },
  tokens,
  ...(lot ? { lot } : {}),
});
const operation = (id: string, legs: Leg[], more: Partial<Operation> = {}): Operation => ({
  id,
  kind: 'test',
  legs: legs.filter(({ tokens }) => tokens !== 0),
  memo: {},
  facts: [],
  parameterHash: 'x',
  ...more,
});
const tip = (from: number, to: number, tokens: number, id = uuidV4()): Operation =>
  operation(id, [of(from, 'tokens', -tokens), of(to, 'earnings', tokens)]);
const purchase = (
  who: number,
  tokens: number,
  promotional = false,
  id = uuidV4(),
): Operation =>
  operation(id, [
    { account: { kind: 'operator', name: promotional ? 'promo' : 'float' }, tokens: -tokens },
    of(who, 'tokens', tokens, { promotional, backingCents: promotional ? 0 : tokens * 10 }),
  ]);

type Intent = Readonly<Record<'kind' | 'id' | 'who' | 'whom' | 'tokens', number>>;
const intent: fc.Arbitrary<Intent> = fc.record({
  kind: fc.nat({ max: 9 }),
  id: fc.nat({ max: 30 }),
  who: fc.nat({ max: PEOPLE - 1 }),
  whom: fc.nat({ max: PEOPLE - 1 }),
  tokens: fc.integer({ min: 1, max: 60 }),
});

/** Mostly tips; the rest are operations that a batch must run one after another. */
function operationOf({ kind, id, who, whom, tokens }: Intent): Operation {
  const uuid = uuidV5(NAMESPACE, String(id));
  const [from, to] = [idOf(who), idOf(whom)];
  if (kind === 0) return purchase(from, tokens, false, uuid);
  if (kind === 1) return purchase(from, tokens, true, uuid);
  if (kind === 2) {
    const expiresAt = new Date(site.clock.now().getTime() + HOUR_MS);
    return operation(uuid, [of(from, 'tokens', -tokens), of(from, 'held', tokens)], { hold: { expiresAt } });
  }
  if (kind === 3) {
    const settles = { hold: uuidV5(NAMESPACE, String(whom)), close: true };
    return operation(uuid, [], { settles });
  }
  if (kind === 4) {
    const reverses = { operation: uuidV5(NAMESPACE, String(whom * 3)), mode: 'refund' as const };
    return operation(uuid, [], { reverses });
  }
  const fee = tokens % 3;
  return operation(uuid, [
    of(from, 'tokens', -tokens),
    of(to, 'earnings', tokens - fee),
    { account: { kind: 'operator', name: 'fees' }, tokens: fee },
  ], { parameterHash: `${kind}` });
}

/** Everything that matters, without the ids that rows got by their order. */
async function stateOf(tx: Tx): Promise<unknown> {
  const read = async (text: string): Promise<unknown[]> => (await sql.raw(text).execute(tx.sql())).rows;
  return Promise.all([
    read('select person_id, account, balance from ledger.accounts where balance <> 0 order by 1, 2'),
    read(`select person_id, promotional, sum(tokens_left)::bigint as left from ledger.lots
      group by person_id, promotional order by 1, 2`),
    read(`select j.operation, p.person_id, p.account, p.tokens from ledger.journal j
      join ledger.postings p on p.journal_id = j.id order by 1, 2, 3`),
    read(`select j.operation, sum(d.tokens)::bigint as drawn from ledger.journal j
      join ledger.draws d on d.journal_id = j.id group by 1 order by 1`),
    read('select operation, kind, spending, memo, facts from ledger.journal order by 1'),
  ]);
}

/** Posts the batches in a unit of work that is rolled back, and returns statuses and state. */
async function outcomeOf(batches: readonly (readonly Operation[])[], apart: boolean): Promise<unknown> {
  const undone = new Error('every run starts from nothing');
  let outcome: unknown;
  await site.tx(async (tx) => {
    const statuses: string[][] = [];
    for (const batch of batches) {
      const ops = batch.map((item) => ({
        ...item,
        legs: item.legs.map(({ account, ...leg }) => ({
          ...leg,
          ...(account.kind === 'person'
            ? { person: account.personId, account: account.book }
            : { account: account.name }),
        })),
      }));
      const { rows: [row] } = await sql<{ found: { status: string }[] }>`
        select ledger.post(${JSON.stringify(ops)}::jsonb, ${tx.now}, ${apart}) as found`.execute(tx.sql());
      statuses.push((row?.found ?? []).map(({ status }) => status));
    }
    outcome = { statuses, state: await stateOf(tx) };
    throw undone;
  }).catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  return outcome;
}

describe('a batch', () => {
  it('ends as the same operations one after the other', async () => {
    const batch = fc.array(intent, { minLength: 1, maxLength: 24 });
    const batches = fc.array(batch, { minLength: 1, maxLength: 3 });
    const first = people.map((_, n) => purchase(idOf(n), 100, false, uuidV5(NAMESPACE, `first ${n}`)));
    await fc.assert(
      fc.asyncProperty(batches, async (asked) => {
        const posted = [first, ...asked.map((intents) => intents.map(operationOf))];
        expect(await outcomeOf(posted, false)).toEqual(await outcomeOf(posted, true));
      }),
      { numRuns: RUNS },
    );
  });

  it('draws the same lots as one after the other, across the ends of many', async () => {
    const [viewer, performer] = [await site.viewer(), await site.viewer()];
    const lots = [7, 1, 30, 2, 60].map((tokens, n) => purchase(viewer.id, tokens, n % 2 === 1));
    const tips = [3, 10, 1, 40, 20, 9].map((tokens) => tip(viewer.id, performer.id, tokens));
    await site.tx((tx) => site.services.ledger.post(tx, lots));
    await site.tx((tx) => site.services.ledger.post(tx, tips));
    const drawn = await site.tx(async (tx) =>
      (await sql<{ tokens: number; promotional: boolean }>`
      select d.tokens, l.promotional from ledger.draws d join ledger.lots l on l.id = d.lot_id
      where l.person_id = ${viewer.id}
      order by d.journal_id, l.promotional desc, l.id`.execute(tx.sql())).rows
    );
    expect(drawn.map(({ tokens, promotional }) => (promotional ? -tokens : tokens)))
      .toEqual([-1, -2, 7, 3, 1, 26, 14, 20, 9]);
  });
});

describe('submitted operations', () => {
  const submit = (item: Operation): ReturnType<typeof site.services.ledger.submit> =>
    site.services.ledger.submit(site.scope, item);

  it('are each answered for themselves, whatever they share a commit with', async () => {
    const [viewer, performer] = [await site.viewer({ tokens: 100 }), await site.viewer()];
    const twice = tip(viewer.id, performer.id, 10);
    const nobody = tip(999_999_999, performer.id, 5);
    const uneven = operation(uuidV4(), [of(viewer.id, 'tokens', -5), of(performer.id, 'earnings', 6)]);
    const tipped = (tokens: number): Operation => tip(viewer.id, performer.id, tokens);
    const asked = [twice, tipped(60), nobody, uneven, twice, tipped(40)];
    const found = await Promise.allSettled(asked.map(submit));
    expect(found.map((result) => (result.status === 'fulfilled' ? result.value.status : 'fault')))
      .toEqual(['posted', 'posted', 'fault', 'fault', 'duplicate', 'insufficient']);
    expect(await site.tx((tx) => site.services.ledger.balance(tx, viewer.id))).toBe(30);
  });

  it('keep a person\'s own order and every sum, however many come at once', async () => {
    const viewers = await Promise.all(Array.from({ length: 6 }, () => site.viewer({ tokens: 1_000 })));
    const [one, two] = [await site.viewer(), await site.viewer()];
    const asked = Array.from(
      { length: 300 },
      (_, n) => tip(viewers[n % 6]?.id ?? 0, n % 4 === 0 ? one.id : two.id, 1 + (n % 7)),
    );
    const outcomes = await Promise.all(asked.map(submit));
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['posted']));
    const orders = await site.tx(async (tx) =>
      (await sql<{ person_id: number; operation: string }>`
      select p.person_id, j.operation from ledger.postings p join ledger.journal j on j.id = p.journal_id
      where p.account = 'tokens' and p.tokens < 0 order by p.id`.execute(tx.sql())).rows
    );
    for (const { id } of viewers) {
      const own = asked.filter(({ legs }) =>
        legs.some(({ account, tokens }) => account.kind === 'person' && account.personId === id && tokens < 0)
      );
      expect(orders.filter((row) => row.person_id === id).map((row) => row.operation))
        .toEqual(own.map((tipped) => tipped.id));
    }
    const earned = await site.tx(async (tx) =>
      (await sql<{ sum: number }>`
      select sum(balance)::bigint as sum from ledger.accounts where person_id in (${one.id}, ${two.id})`
        .execute(tx.sql())).rows
    );
    const sum = Array.from({ length: 300 }, (_, n) => 1 + (n % 7)).reduce((a, b) => a + b);
    expect(earned).toEqual([{ sum }]);
  });

  /** While `work` runs, an unfinished unit of work locks the payer of `first`; then it finishes. */
  async function whileHeld<T>(first: Operation, work: () => Promise<T>): Promise<T> {
    let release = (): void => {};
    const released = new Promise<void>((done) => {
      release = done;
    });
    let held: Promise<unknown> = Promise.resolve();
    await new Promise<void>((ready, fail) => {
      held = site.tx(async (tx) => {
        await site.services.ledger.post(tx, [first]);
        ready();
        await released;
      });
      held.catch(fail);
    });
    try {
      return await work();
    } finally {
      release();
      await held;
    }
  }
  /** Submitted operations go to the database at the end of a turn of the event loop. */
  const turn = (): Promise<void> =>
    new Promise((done) => {
      setImmediate(done);
    });

  it('of somebody never overtake each other, whoever else they are about', async () => {
    const [payer, first] = [await site.viewer({ tokens: 101 }), await site.viewer()];
    const second = await site.viewer();
    const asked = await whileHeld(tip(payer.id, first.id, 1), async () => {
      const underWay = submit(tip(payer.id, first.id, 10));
      await turn();
      const waiting = submit(tip(payer.id, first.id, 60));
      await turn();
      const late = submit(tip(payer.id, second.id, 60));
      await turn();
      return [underWay, waiting, late];
    });
    const outcomes = await Promise.all(asked);
    expect(outcomes.map(({ status }) => status)).toEqual(['posted', 'posted', 'insufficient']);
  });

  it('are refused at once when thousands wait already, and those that wait are answered', async () => {
    const [payer, payee] = [await site.viewer({ tokens: 10 }), await site.viewer()];
    const one = tip(payer.id, payee.id, 5);
    const answers: string[] = [];
    const ask = (): Promise<string> =>
      submit(one)
        .then(({ status }) => status, (error: Error) => error.message)
        .then((answer) => {
          answers.push(answer);
          return answer;
        });
    const asked = await whileHeld(tip(payer.id, payee.id, 1), async () => {
      const first = ask();
      await turn();
      return [first, ...Array.from({ length: 5_010 }, ask)];
    });
    const full = '5000 operations wait for the ledger';
    // Refused at once, while the payer is still locked; if that stops, the number of answers shows where.
    expect(answers.slice(0, 10)).toEqual(Array(10).fill(full));
    await expect.poll(() => answers.length, { timeout: 50_000 }).toBe(5_011);
    const inOrder = await Promise.all(asked);
    expect(new Set(inOrder.slice(-10))).toEqual(new Set([full]));
    expect(new Set(inOrder.slice(0, -10))).toEqual(new Set(['posted', 'duplicate']));
    expect(answers.filter((answer) => answer === 'posted')).toHaveLength(1);
  });

  it('are refused by every slice with the same words', () => {
    const codeOf = (outcome: Parameters<typeof refusalOf>[0]): string =>
      refusalOf(outcome, ({ code }, detail) => `${code} ${JSON.stringify(detail?.extra ?? {})}`);
    const until = new Date('2026-01-16T00:00:00Z');
    expect(codeOf({ status: 'insufficient' })).toBe('not_enough_tokens {}');
    expect(codeOf({ status: 'credit_exhausted' })).toBe('postpay_card_fail {}');
    expect(codeOf({ status: 'mismatch' })).toBe('idempotency_key_reused {}');
    expect(codeOf({ status: 'over_budget', period: 'day', until }))
      .toBe('user_daily_limit {"until":"2026-01-16T00:00:00.000Z"}');
    expect(codeOf({ status: 'over_budget', period: 'month', until })).toContain('user_monthly_limit');
    // A payer's balance and debt only matter if tokens or credit are lacking.
    const payer = { creditTokens: 50, debtTokens: 0, tokens: 10, amount: 100 };
    const codeFor = (status: 'insufficient' | 'credit_exhausted' | 'cooling_off', tokens: number): string =>
      refusalOf({ status }, ({ code }, detail) => `${code} ${JSON.stringify(detail?.extra ?? {})}`, {
        ...payer,
        tokens,
      });
    expect(codeFor('cooling_off', 10)).toBe('cooling_off {}');
    expect(codeFor('credit_exhausted', 10)).toBe('postpay_card_fail {"exhausted":true}');
    expect(codeFor('credit_exhausted', 90)).toBe('postpay_card_fail {}');
  });
});
