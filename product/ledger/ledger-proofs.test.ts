import { VirtualClock } from '#platform/data/clock.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { openTestDriver } from '#platform/data/testing.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { order } from '#product/order.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Leg, Operation, PostOutcome } from './server.ts';

/** Proofs of the ledger: seals, past balances, alarms, and cover for every token in circulation. */

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Book = 'tokens' | 'earnings' | 'held' | 'debt';
const of = (personId: number, book: Book, tokens: number, lot?: Leg['lot']): Leg => ({
  account: { kind: 'person', personId, book },
  tokens,
  ...(lot ? { lot } : {}),
});
const ofOperator = (name: 'float' | 'promo' | 'losses' | 'fees', tokens: number): Leg => ({
  account: { kind: 'operator', name },
  tokens,
});
const operation = (legs: Leg[], more: Partial<Operation> = {}): Operation => ({
  id: uuidV4(),
  kind: 'test',
  legs,
  memo: {},
  facts: [],
  parameterHash: '',
  ...more,
});
const credit = (who: Member, tokens: number, cents: number, promotional = false): Operation =>
  operation([
    ofOperator(promotional ? 'promo' : 'float', -tokens),
    of(who.id, 'tokens', tokens, { promotional, backingCents: cents }),
  ]);
const tip = (from: Member, to: Member, tokens: number): Operation =>
  operation([of(from.id, 'tokens', -tokens), of(to.id, 'earnings', tokens)]);
const post = (...operations: Operation[]): Promise<readonly PostOutcome[]> =>
  site.tx((tx) => site.services.ledger.post(tx, operations));
const rows = <Row>(text: string): Promise<Row[]> =>
  site.tx(async (tx) => (await sql.raw<Row>(text).execute(tx.sql())).rows);
const now = (): string => `'${site.clock.now().toISOString()}'`;

interface Cover {
  readonly owed_cents: number;
  readonly outstanding_cents: number;
  readonly cash_cents: number;
  readonly marketing_cents: number;
  readonly receivable_cents: number;
  readonly loss_cents: number;
}
async function cover(): Promise<Cover> {
  const [found] = await rows<Cover>('select * from ledger.cover()');
  if (!found) throw new Error('ledger.cover answers one row');
  return found;
}
const covering = ({ cash_cents: cash, marketing_cents: marketing, ...rest }: Cover): number =>
  cash + marketing + rest.receivable_cents + rest.loss_cents;

describe('cover', () => {
  it('is booked with every token: cash first, the rest as marketing', async () => {
    const [viewer, performer] = [await site.viewer(), await site.viewer()];
    const before = await cover();
    await post(credit(viewer, 100, 1_000), credit(viewer, 100, 300), credit(viewer, 40, 0, true));
    const after = await cover();
    expect(after.cash_cents - before.cash_cents).toBe(1_300);
    expect(after.marketing_cents - before.marketing_cents).toBe(200 + 200);
    await post(tip(viewer, performer, 240));
    const paid = await cover();
    expect(paid.owed_cents - before.owed_cents).toBe(1_200);
    expect(covering(paid)).toBeGreaterThanOrEqual(paid.outstanding_cents);
  });

  it('ends at the cap: nobody cashes out more promotion than the operator booked', async () => {
    const [viewer, performer] = [await site.viewer(), await site.viewer()];
    const { marketing_cents: booked } = await cover();
    const room = Math.floor((10_000_000 - booked) / 5);
    const [over, most, more] = await post(
      credit(viewer, room + 1, 0, true),
      credit(viewer, room, 0, true),
      credit(viewer, 1, 0, true),
    );
    expect([over, most, more].map((outcome) => outcome?.status))
      .toEqual(['marketing_cap', 'posted', 'marketing_cap']);
    // Bought tokens are not promotional: they don't count towards the cap.
    expect((await post(credit(viewer, 100, 1_000)))[0]?.status).toBe('posted');
    // One person earns at most 1,000 promotional tokens a day.
    const [all, part] = await post(tip(viewer, performer, room + 100), tip(viewer, performer, 1_100));
    expect([all?.status, part?.status]).toEqual(['performer_cap', 'posted']);
    const found = await cover();
    expect(found.marketing_cents).toBeLessThanOrEqual(10_000_000);
    expect(covering(found)).toBeGreaterThanOrEqual(found.outstanding_cents);
    await site.tx(async (tx) => {
      const given = await sql<{ id: string }>`select operation as id from ledger.journal j
        join ledger.lots l on l.journal_id = j.id where l.person_id = ${viewer.id} and l.promotional`
        .execute(tx.sql());
      // It is spent: a refund frees the marketing budget only together with the tokens.
      const [reversed] = await site.services.ledger.post(tx, [operation([], {
        reverses: { operation: given.rows[0]?.id ?? '', mode: 'refund' },
      })]);
      expect(reversed?.status).toBe('not_reversible');
    });
  });

  it('holds through chargebacks, debts, repayments and losses', async () => {
    const [viewer, performer] = [await site.viewer(), await site.viewer()];
    const isCovered = async (): Promise<void> => {
      const found = await cover();
      expect(covering(found)).toBeGreaterThanOrEqual(found.outstanding_cents);
    };
    const bought = credit(viewer, 1_000, 10_000);
    await post(bought, tip(viewer, performer, 600));
    const { cash_cents: cash } = await cover();
    await post(operation([], { reverses: { operation: bought.id, mode: 'chargeback' } }));
    const charged = await cover();
    expect(cash - charged.cash_cents).toBe(10_000);
    expect(charged.receivable_cents).toBe(600 * 5);
    await isCovered();
    await post(operation([
      ofOperator('float', -200),
      of(viewer.id, 'debt', 200, { promotional: false, backingCents: 2_000 }),
    ]));
    await isCovered();
    // The rest is never paid: it is a loss, and nobody's gain.
    await post(operation([ofOperator('losses', -400), of(viewer.id, 'debt', 400)]));
    expect((await cover()).loss_cents).toBe(400 * 5);
    await isCovered();
    await site.tx((tx) => site.services.ledger.setCredit(tx, viewer.id, 50));
    await post(tip(viewer, performer, 50));
    await isCovered();
    expect(await rows('select * from ledger.faults()')).toEqual([]);
  });
});

describe('the past', () => {
  it('is rebuilt from postings, at any time', async () => {
    const [viewer, performer] = [await site.viewer(), await site.viewer()];
    const at = async (time: Date): Promise<unknown> =>
      rows(
        `select account, tokens from ledger.balances_at('${time.toISOString()}')
       where person_id in (${viewer.id}, ${performer.id}) order by 1`,
      );
    const start = site.clock.now();
    await post(credit(viewer, 100, 1_000));
    await site.passes(60_000);
    const between = site.clock.now();
    await site.passes(60_000);
    await post(tip(viewer, performer, 30));
    expect(await at(new Date(start.getTime() - 1))).toEqual([]);
    expect(await at(between)).toEqual([{ account: 'tokens', tokens: 100 }]);
    expect(await at(site.clock.now())).toEqual([
      { account: 'earnings', tokens: 30 },
      { account: 'tokens', tokens: 70 },
    ]);
  });

  it('is sealed once a day, and is then as it was', async () => {
    const viewer = await site.viewer();
    await post(credit(viewer, 100, 1_000));
    const day = site.clock.now().toISOString().slice(0, 10);
    await site.passes(DAY_MS + 2 * HOUR_MS);
    expect(await rows(`select entries > 0 as found from ledger.seals where day = '${day}'`))
      .toEqual([{ found: true }]);
    expect(await rows('select * from ledger.broken_seals()')).toEqual([]);
    expect(await rows(`select * from ledger.alarms(${now()})`)).toEqual([]);
  });

  it('names the day somebody edited, added to or deleted from, the owner included', async () => {
    const second = `journal_id = (select id from ledger.journal where at = ''2026-01-02 12:00Z'')`;
    const entry = `insert into ledger.journal (operator_id, operation, kind, parameter_hash, memo, at)
      values (1, gen_random_uuid(), ''x'', '''', ''{}'',`;
    const changes = [
      ['null', 'select'],
      ['edited', `update ledger.postings set tokens = 6 where tokens = 5 and ${second}`],
      ['memo', `update ledger.journal set memo = ''{"a": 1}'' where at = ''2026-01-01 12:00Z''`],
      ['deleted', `delete from ledger.postings where ${second}`],
      ['added', `${entry} ''2026-01-03 13:00Z'')`],
      ['before', `${entry} ''2025-12-30 13:00Z'')`],
    ];
    // Each change is rolled back after the check.
    const attack = `do $$
      declare change text; found text; report text := ''; begin
      perform set_config('app.operator', '1', true);
      for day in 1..3 loop
        perform ledger.post(jsonb_build_array(jsonb_build_object('id', gen_random_uuid(), 'kind', 'x',
          'parameterHash', '', 'memo', '{}'::jsonb, 'facts', '[]'::jsonb, 'legs', jsonb_build_array(
            jsonb_build_object('account', 'float', 'tokens', -5),
            jsonb_build_object('account', 'fees', 'tokens', 5)))),
          ('2026-01-0' || day || ' 12:00Z')::timestamptz);
      end loop;
      perform ledger.seal_days('2026-01-04 03:00Z');
      alter table ledger.journal disable trigger append_only;
      alter table ledger.postings disable trigger append_only;
      foreach change in array array[${changes.map(([, change]) => `'${change}'`).join(', ')}] loop
        begin
          execute change;
          select string_agg(to_char(day, 'MM-DD'), ' ') into found from ledger.broken_seals() as day;
          raise exception using message = 'undo';
        exception when raise_exception then report := report || coalesce(found, 'none') || ', ';
        end;
      end loop;
      raise exception '%', report; end $$;`;
    const driver = await openTestDriver({ clock: new VirtualClock(), slices: order.map(([slice]) => slice) });
    await expect(driver.pool.query(attack)).rejects.toThrow(/^none, 01-02, 01-01, 01-02, 01-03, 12-30, $/u);
    await driver.close();
  });
});

describe('alarms', () => {
  it('report money in suspense until it is cleared', async () => {
    const suspense = (minor: number): Operation =>
      operation([], {
        money: [
          { account: 'biller:segpay', minor, currency: 'EUR' },
          { account: 'suspense', minor: -minor, currency: 'EUR' },
        ],
      });
    const alarms = (): Promise<unknown[]> =>
      rows(`select alarm, subject, detail from ledger.alarms(${now()}) where alarm = 'suspense_open'`);
    await post(suspense(500), suspense(-500));
    await site.passes(DAY_MS);
    await post(suspense(700));
    expect(await alarms()).toEqual([]);
    await site.passes(3 * DAY_MS + 1);
    expect(await alarms()).toEqual([{ alarm: 'suspense_open', subject: 'EUR', detail: '-700' }]);
    await post(suspense(-700));
    expect(await alarms()).toEqual([]);
  });

  it('refuse money that does not sum to zero in each currency, also in the database', async () => {
    const uneven = operation([], {
      money: [
        { account: 'bank', minor: 5, currency: 'USD' },
        { account: 'sales', minor: -5, currency: 'EUR' },
      ],
    });
    await expect(post(uneven)).rejects.toThrow('sums to 5');
    await expect(rows(`select ledger.post('${JSON.stringify([uneven])}', now())`))
      .rejects.toThrow('sums to zero');
  });
});

describe('attacks', () => {
  it('do not write past ledger.post', async () => {
    for (const attack of [
      'insert into ledger.coverage (journal_id, cash_cents, marketing_cents) values (1, 1000, 0)',
      `insert into ledger.money_postings (journal_id, account, currency, minor)
        values (1, 'bank', 'USD', 5)`,
      'update ledger.standings set credit_tokens = 100000',
      'update ledger.budgets set tokens = null',
      'delete from ledger.seals',
      'update ledger.holds set tokens_left = tokens',
      'delete from ledger.reversals',
      'update ledger.settings set payout_cents = 100',
      'update ledger.marketing set booked_cents = 0',
      `select ledger.write_caused_entry(1, 1, 'x', 'post_pay', 1, 5, now())`,
      `select ledger.spend_lots_of_batch(1, '{}', '{}', '{}', '{}')`,
      `select ledger.post_one(1, '{}', now())`,
      `select ledger.move_lots(1, '[]', 1, 1)`,
    ]) {
      await expect(rows(attack)).rejects.toMatchObject({ code: '42501' });
    }
  });

  it('do not pass for what only the ledger decides', async () => {
    const [viewer, performer] = [await site.viewer(), await site.viewer()];
    await post(credit(viewer, 10, 100));
    const forged = {
      ...tip(viewer, performer, 50),
      plan: { gives: [] },
      lends: true,
      spending: 0,
      refused: null,
      legs: [{ person: viewer.id, account: 'tokens', tokens: -50 }, {
        person: performer.id,
        account: 'earnings',
        tokens: 50,
      }],
    };
    const found = await rows<{ post: { status: string }[] }>(
      `select ledger.post('${JSON.stringify([forged])}', now()) as post`,
    );
    expect(found[0]?.post).toEqual([{ status: 'insufficient' }]);
  });
});
