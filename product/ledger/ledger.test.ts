import { VirtualClock } from '#platform/data/clock.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { openTestDriver } from '#platform/data/testing.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { order } from '#product/order.ts';
import { key } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { balanceChanged, getBalance, getHistory, takeDemoGrant, tokenUpdate } from './contract.ts';
import { DEMO_GRANT_TOKENS, DEMO_GRANTS_PER_DAY } from './rules.ts';
import type { Leg, Operation, PostOutcome } from './server.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tip = (from: number, to: number, tokens: number, id = uuidV4()): Operation => ({
  id,
  kind: 'tip',
  memo: {},
  parameterHash: `${from} ${to} ${tokens}`,
  facts: [],
  legs: [
    { account: { kind: 'person', personId: from, book: 'tokens' }, tokens: -tokens },
    { account: { kind: 'person', personId: to, book: 'earnings' }, tokens },
  ],
});
const withLegs = (...legs: Leg[]): Operation => ({
  id: uuidV4(),
  kind: 'test',
  memo: {},
  parameterHash: '',
  facts: [],
  legs,
});
const post = (...operations: Operation[]): Promise<readonly PostOutcome[]> =>
  site.tx((tx) => site.services.ledger.post(tx, operations));
const balance = ({ id }: Member): Promise<number> => site.tx((tx) => site.services.ledger.balance(tx, id));
const statuses = (outcomes: readonly PostOutcome[]): string[] => outcomes.map(({ status }) => status);
const query = async (text: string): Promise<unknown[]> =>
  site.tx(async (tx) => (await sql.raw(text).execute(tx.sql())).rows);
const grant = (member: Member, tokens: number): Promise<void> =>
  site.tx((tx) => site.services.ledger.grant(tx, member.id, tokens, 'test', uuidV4()));

/** A viewer with tokens, and somebody to give them to. */
async function pairWith(tokens: number): Promise<{ payer: Member; payee: Member }> {
  const [payer, payee] = [await site.viewer(), await site.viewer()];
  await grant(payer, tokens);
  return { payer, payee };
}

describe('posting', () => {
  it('moves tokens once, whatever comes again', async () => {
    const { payer, payee } = await pairWith(100);
    const operation = tip(payer.id, payee.id, 30);
    const [first] = await post(operation);
    expect(first).toEqual({ status: 'posted', balances: new Map([[payer.id, 70], [payee.id, 0]]) });
    expect(await post(operation)).toEqual([{ ...first, status: 'duplicate' }]);
    expect(statuses(await post(operation, operation))).toEqual(['duplicate', 'duplicate']);
    expect(await balance(payer)).toBe(70);
  });

  it('refuses a known id with other parameters', async () => {
    const { payer, payee } = await pairWith(100);
    const operation = tip(payer.id, payee.id, 30);
    await post(operation);
    expect(await post(tip(payer.id, payee.id, 40, operation.id))).toEqual([{ status: 'mismatch' }]);
    expect(await post(tip(payee.id, payer.id, 30, operation.id))).toEqual([{ status: 'mismatch' }]);
    expect(await balance(payer)).toBe(70);
  });

  it('refuses what the balance does not hold, and voids nothing else of the batch', async () => {
    const { payer, payee } = await pairWith(50);
    const operations = [30, 30, 20, 1].map((tokens) => tip(payer.id, payee.id, tokens));
    expect(statuses(await post(...operations))).toEqual(['posted', 'insufficient', 'posted', 'insufficient']);
    expect(await balance(payer)).toBe(0);
    await grant(payer, 30);
    expect(statuses(await post(operations[1] as Operation))).toEqual(['posted']);
  });

  it('spends a balance once when all spend it at the same time', async () => {
    const { payer, payee } = await pairWith(25);
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => post(tip(payer.id, payee.id, 25))));
    expect(statuses(outcomes.flat()).sort()).toEqual([...Array<string>(11).fill('insufficient'), 'posted']);
    expect(await balance(payer)).toBe(0);
  });

  it('posts one operation once when it arrives many times at the same time', async () => {
    const { payer, payee } = await pairWith(100);
    const operation = tip(payer.id, payee.id, 10);
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => post(operation)));
    expect(statuses(outcomes.flat()).sort()).toEqual([...Array<string>(11).fill('duplicate'), 'posted']);
    expect(await balance(payer)).toBe(90);
  });

  it('lets people pay each other at the same time without locking each other out', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => site.viewer()));
    for (const person of people) await grant(person, 1_000);
    const ids = people.map(({ id }) => id);
    const circle = ids.map((from, n) => [from, ids[(n + 1) % ids.length] ?? from] as const);
    const batches = Array.from(
      { length: 40 },
      (_, n) => (n % 2 === 0 ? circle : circle.toReversed()).map(([from, to]) => tip(from, to, 1 + (n % 3))),
    );
    const outcomes = await Promise.all(batches.map((batch) => post(...batch)));
    expect(new Set(statuses(outcomes.flat()))).toEqual(new Set(['posted']));
  });

  it('publishes the facts of an operation when it posts, and only then', async () => {
    const { payer, payee } = await pairWith(10);
    const socket = await site.socketOf(payer);
    const noting = (mark: number, operation: Operation): Operation => {
      const payload = {
        operationId: operation.id,
        kind: 'mark',
        changes: [
          { personId: payer.id, tokens: 0, change: mark },
        ],
      };
      return { ...operation, facts: [{ name: balanceChanged.name, key: 'marks', payload }] };
    };
    const operation = noting(1, tip(payer.id, payee.id, 10));
    await post(operation, noting(2, tip(payer.id, payee.id, 1)), operation, noting(3, { ...operation }));
    await grant(payer, 1);
    await site.settle();
    await socket.waitFor(tokenUpdate, ({ tokens }) => tokens === 1);
    const marks = socket.received(tokenUpdate).filter(({ type }) => type === 'mark');
    expect(marks.map(({ token_change: mark }) => mark)).toEqual([1]);
  });

  it('sends the change of each posted operation, in order', async () => {
    const { payer, payee } = await pairWith(10);
    const member = await site.socketOf(payer);
    await site.settle();
    await member.waitFor(tokenUpdate, ({ tokens }) => tokens === 10);
    const operations = [tip(payer.id, payee.id, 4), tip(payer.id, payee.id, 7), tip(payer.id, payee.id, 6)];
    await post(...operations, ...operations);
    await site.settle();
    await member.waitFor(tokenUpdate, ({ tokens }) => tokens === 0);
    expect(member.received(tokenUpdate).map(({ token_change: change }) => change)).toEqual([10, -4, -6]);
  });
});

describe('attacks', () => {
  it('throws for legs no balance could make right, and moves nothing', async () => {
    const { payer, payee } = await pairWith(100);
    const person = (id: number, tokens: number): Leg => ({
      account: { kind: 'person', personId: id, book: 'tokens' },
      tokens,
    });
    const bad = [
      withLegs(person(payer.id, -10), person(payee.id, 11)),
      withLegs(person(payer.id, -0.5), person(payee.id, 0.5)),
      withLegs(person(payer.id, -(2 ** 60)), person(payee.id, 2 ** 60)),
      withLegs(person(payer.id, 10)),
      withLegs(person(payer.id, -5), person(payer.id, 5)),
      withLegs(person(999_999_999, 5), { account: { kind: 'operator', name: 'grants' }, tokens: -5 }),
    ];
    for (const operation of bad) {
      await expect(post(tip(payer.id, payee.id, 1), operation)).rejects.toThrow();
    }
    expect(await balance(payer)).toBe(100);
  });

  it('checks the same in the database, for callers who do not ask the rules', async () => {
    const { payer, payee } = await pairWith(100);
    const raw = (...legs: object[]): Promise<unknown> =>
      query(`select ledger.post('${
        JSON.stringify([
          { id: uuidV4(), kind: 'x', parameterHash: '', memo: {}, facts: [], legs },
        ])
      }', now())`);
    const from = { person: payer.id, account: 'tokens', tokens: -5 };
    const to = { person: payee.id, account: 'tokens', tokens: 5 };
    await expect(raw(from, { ...to, tokens: 6 })).rejects.toThrow('sum to zero');
    await expect(raw({ ...from, tokens: 5 })).rejects.toThrow('sum to zero');
    await expect(raw(from, { ...from, tokens: 5 })).rejects.toThrow('duplicate key');
    await expect(raw({ ...from, tokens: -0.5 }, { account: 'fees', tokens: 0.5 })).rejects.toThrow('bigint');
    await expect(raw({ ...from, tokens: -1e30 }, { ...to, tokens: 1e30 })).rejects.toThrow('bigint');
    await expect(raw(from, { account: 'pocket', tokens: 5 })).rejects.toThrow('check constraint');
    await expect(raw(from, { ...to, account: 'pocket' })).rejects.toThrow('check constraint');
    expect(await balance(payer)).toBe(100);
  });

  it('touches nobody of another operator', async () => {
    const { payer, payee } = await pairWith(100);
    const foreign = site.data.tx(
      { operatorId: 2 },
      (tx) => site.services.ledger.post(tx, [tip(payer.id, payee.id, 10)]),
    );
    await expect(foreign).rejects.toMatchObject({ code: '23503' });
    const seen = await site.data.tx({ operatorId: 2 }, (tx) => site.services.ledger.balance(tx, payer.id));
    expect(seen).toBe(0);
    expect(await balance(payer)).toBe(100);
  });

  it('gives nobody a way around ledger.post', async () => {
    const denied = { code: '42501' };
    for (const attack of [
      'update ledger.accounts set balance = 1000000',
      'update ledger.lots set tokens_left = tokens',
      'delete from ledger.postings',
      `insert into ledger.journal (operation, kind, parameter_hash, memo, at)
         values (gen_random_uuid(), 'x', '', '{}', now())`,
      `select ledger.write_entry(1, '{}', 1, now())`,
      `select ledger.spend_lots(1, 1, 1, 1, false)`,
      'truncate ledger.postings',
      'alter table ledger.postings disable trigger append_only',
    ]) {
      await expect(query(attack)).rejects.toMatchObject(denied);
    }
  });

  it('keeps history as it was, even from the owner of the schema', async () => {
    const attempt = `do $$ declare statement text; refused int := 0; begin
      foreach statement in array array['update ledger.postings set tokens = 1', 'delete from ledger.journal',
        'truncate ledger.draws', 'update ledger.journal set memo = null', 'delete from ledger.postings'] loop
        begin execute statement; exception when raise_exception then refused := refused + 1; end;
      end loop;
      raise exception 'refused % of 5', refused; end $$;`;
    const driver = await openTestDriver({ clock: new VirtualClock(), slices: order.map(([slice]) => slice) });
    await expect(driver.pool.query(attempt)).rejects.toThrow(/^refused 5 of 5$/u);
    await driver.close();
  });
});

describe('lots', () => {
  const bought = (personId: number, tokens: number, backingCents: number): Operation =>
    withLegs(
      { account: { kind: 'operator', name: 'float' }, tokens: -tokens },
      {
        account: { kind: 'person', personId, book: 'tokens' },
        tokens,
        lot: { promotional: false, backingCents },
      },
    );
  const lotsOf = (id: number): Promise<unknown[]> =>
    query(
      `select promotional, backing_cents, tokens_left from ledger.lots where person_id = ${id} order by id`,
    );

  it('spends promotional tokens first, then the oldest, and remembers which', async () => {
    const [payer, payee] = [await site.viewer(), await site.viewer()];
    await post(bought(payer.id, 100, 1_000), bought(payer.id, 50, 400));
    await grant(payer, 20);
    const operation = tip(payer.id, payee.id, 130);
    await post(operation);
    expect(await lotsOf(payer.id)).toEqual([
      { promotional: false, backing_cents: 1_000, tokens_left: 0 },
      { promotional: false, backing_cents: 400, tokens_left: 40 },
      { promotional: true, backing_cents: 0, tokens_left: 0 },
    ]);
    expect(
      await query(`select d.tokens, l.promotional from ledger.draws d
      join ledger.journal j on j.id = d.journal_id join ledger.lots l on l.id = d.lot_id
      where j.operation = '${operation.id}' order by l.id`),
    ).toEqual([
      { tokens: 100, promotional: false },
      { tokens: 10, promotional: false },
      { tokens: 20, promotional: true },
    ]);
  });

  it('takes a credit of unknown origin for promotional', async () => {
    const { payer, payee } = await pairWith(10);
    await post(withLegs(
      { account: { kind: 'person', personId: payer.id, book: 'tokens' }, tokens: -10 },
      { account: { kind: 'person', personId: payee.id, book: 'tokens' }, tokens: 10 },
    ));
    expect(await lotsOf(payee.id)).toEqual([{ promotional: true, backing_cents: 0, tokens_left: 10 }]);
  });
});

describe('calls', () => {
  it('shows the balance, also in the current user', async () => {
    const viewer = await site.viewer();
    expect(await viewer.call(getBalance, {})).toEqual({ tokens: 0 });
    await grant(viewer, 42);
    expect(await viewer.call(getBalance, {})).toEqual({ tokens: 42 });
    expect((await viewer.call(getCurrentUser, {})).tokens).toBe(42);
  });

  it('is sent to every tab of the person, and nobody else', async () => {
    const viewer = await site.viewer();
    const sockets = [viewer, await site.anotherTabOf(viewer), await site.viewer()];
    const [one, two, stranger] = await Promise.all(sockets.map((member) => site.socketOf(member)));
    await viewer.call(takeDemoGrant, {}, key());
    await site.settle();
    const update = {
      username: viewer.username,
      tokens: DEMO_GRANT_TOKENS,
      token_change: DEMO_GRANT_TOKENS,
      membership: null,
      type: 'demo_grant',
      pmIsEnabled: true,
    };
    expect(await one?.waitFor(tokenUpdate)).toEqual(update);
    expect(await two?.waitFor(tokenUpdate)).toEqual(update);
    expect(stranger?.received(tokenUpdate)).toEqual([]);
  });

  it('pages the own history, newest first, without gaps or repeats', async () => {
    const { payer, payee } = await pairWith(100);
    for (let n = 1; n <= 6; n += 1) await post(tip(payer.id, payee.id, n));
    const changes: number[] = [];
    let before: number | undefined;
    do {
      const page = await payer.call(getHistory, { before, limit: 3 });
      expect(page.lines.length).toBeLessThanOrEqual(3);
      changes.push(...page.lines.map(({ tokens }) => tokens));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(changes).toEqual([-6, -5, -4, -3, -2, -1, 100]);
    const [newest] = (await payer.call(getHistory, {})).lines;
    const at = site.clock.now().toISOString();
    expect(newest).toMatchObject({ kind: 'tip', tokens: -6, balance: 79, at });
    expect((await payee.call(getHistory, {})).lines).toEqual([]);
    expect((await payer.call(getHistory, { before: 1 })).lines).toEqual([]);
  });

  it('refuses pages that are too long, and guests', async () => {
    const viewer = await site.viewer();
    expect(await viewer.refused(getHistory, { limit: 101 })).toMatchObject({ errorType: 'invalid_input' });
    const guest = await site.visitor();
    expect((await guest.refused(getBalance, {})).status).toBe(401);
    expect((await guest.refused(takeDemoGrant, {}, key())).status).toBe(401);
  });
});

describe('development grants', () => {
  it('gives the same key one grant, and so many a day', async () => {
    const viewer = await site.viewer();
    const first = key();
    for (let again = 0; again < 3; again += 1) {
      expect(await viewer.call(takeDemoGrant, {}, first)).toMatchObject({ tokens: DEMO_GRANT_TOKENS });
    }
    for (let n = 1; n < DEMO_GRANTS_PER_DAY; n += 1) await viewer.call(takeDemoGrant, {}, key());
    expect(await viewer.refused(takeDemoGrant, {}, key())).toMatchObject({ errorType: 'demo_grant_used' });
    expect(await viewer.call(takeDemoGrant, {}, first)).toMatchObject({
      tokens: DEMO_GRANT_TOKENS * DEMO_GRANTS_PER_DAY,
    });
    await site.passes(DAY_MS);
    await viewer.call(takeDemoGrant, {}, key());
  });

  it('counts them also when they are taken at the same time', async () => {
    const viewer = await site.viewer();
    const takes = Array.from(
      { length: DEMO_GRANTS_PER_DAY + 5 },
      () => viewer.call(takeDemoGrant, {}, key()).catch(() => null),
    );
    const granted = (await Promise.all(takes)).filter((answer) => answer !== null);
    expect(granted).toHaveLength(DEMO_GRANTS_PER_DAY);
    expect(await balance(viewer)).toBe(DEMO_GRANT_TOKENS * DEMO_GRANTS_PER_DAY);
  });

  it('is a grant once: the same id with other parameters throws', async () => {
    const viewer = await site.viewer();
    const id = uuidV4();
    const give = (tokens: number): Promise<void> =>
      site.tx((tx) => site.services.ledger.grant(tx, viewer.id, tokens, 'test', id));
    await give(5);
    await give(5);
    await expect(give(6)).rejects.toThrow('other parameters');
    expect(await balance(viewer)).toBe(5);
  });

  it('does not exist in production', async () => {
    const production = await createSite({
      settings: { mode: 'production', publicUrl: 'http://cam.example' },
    });
    try {
      const viewer = await production.viewer({ host: 'cam.example', ofAge: false });
      const refused = await viewer.refused(takeDemoGrant, {}, key());
      expect(refused).toMatchObject({ errorType: 'demo_grant_unavailable' });
      expect(await viewer.call(getBalance, {})).toEqual({ tokens: 0 });
    } finally {
      await production.close();
    }
  });
});
