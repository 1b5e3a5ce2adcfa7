import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { of, operation, operatorLeg, tipOf as tip } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from './server.ts';

/** What one person may earn of promotional tokens: 5,000 cents a day, which are 1,000 tokens. */

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const statuses = (...operations: Operation[]): Promise<string[]> =>
  site.tx(async (tx) => (await site.services.ledger.post(tx, operations)).map(({ status }) => status));
const grant = (who: Member, tokens: number): Promise<void> =>
  site.tx((tx) => site.services.ledger.grant(tx, who.id, tokens, 'test', uuidV4()));
const given = async (tokens: number): Promise<Member> => {
  const viewer = await site.viewer();
  await grant(viewer, tokens);
  return viewer;
};
/** Somebody's remaining tokens, promotional and bought. */
const leftTo = async ({ id }: Member): Promise<{ given: number; bought: number }> => {
  const { rows: [row] } = await site.tx((tx) =>
    sql<{ given: number; bought: number }>`
    select coalesce(sum(tokens_left) filter (where promotional), 0)::int as given,
      coalesce(sum(tokens_left) filter (where not promotional), 0)::int as bought
    from ledger.lots where person_id = ${id}`.execute(tx.sql())
  );
  return row ?? { given: 0, bought: 0 };
};

describe('earnings from promotional tokens', () => {
  it('end at 1,000 tokens a day, by tips of however many people', async () => {
    const performer = await site.performer();
    for (let count = 0; count < 9; count += 1) {
      expect(await statuses(tip(await given(100), performer, 100))).toEqual(['posted']);
    }
    const last = await given(200);
    expect(await statuses(tip(last, performer, 101))).toEqual(['performer_cap']);
    expect(await statuses(tip(last, performer, 100), tip(last, performer, 1)))
      .toEqual(['posted', 'performer_cap']);
    expect(await leftTo(last)).toEqual({ given: 100, bought: 0 });
    expect(await statuses(tip(last, await site.performer(), 1))).toEqual(['posted']);
    await site.passes(DAY_MS);
    expect(await statuses(tip(last, performer, 1))).toEqual(['posted']);
  });

  it('stop nobody who has bought enough: those tokens are spent then', async () => {
    const performer = await site.performer();
    await statuses(tip(await given(1_000), performer, 1_000));
    const viewer = await site.viewer({ tokens: 60 });
    await grant(viewer, 50);
    expect(await statuses(tip(viewer, performer, 40))).toEqual(['posted']);
    expect(await leftTo(viewer)).toEqual({ given: 50, bought: 20 });
    expect(await statuses(tip(viewer, performer, 21))).toEqual(['performer_cap']);
    expect(await statuses(tip(viewer, await site.performer(), 40))).toEqual(['posted']);
    expect(await leftTo(viewer)).toEqual({ given: 10, bought: 20 });
  });

  it('are counted in proportion where a tip is divided', async () => {
    const [performer, viewer] = [await site.performer(), await given(2_100)];
    const half = (tokens: number): Operation =>
      operation('tip', [
        of(viewer.id, 'tokens', -tokens),
        of(performer.id, 'earnings', tokens / 2),
        operatorLeg('fees', tokens / 2),
      ]);
    expect(await statuses(half(2_000), half(2))).toEqual(['posted', 'performer_cap']);
  });

  it('are free again when a tip is reversed', async () => {
    const [performer, viewer] = [await site.performer(), await given(1_100)];
    const all = tip(viewer, performer, 1_000);
    expect(await statuses(all, tip(viewer, performer, 100))).toEqual(['posted', 'performer_cap']);
    await site.tx((tx) =>
      site.services.ledger.reverse(
        tx,
        { id: uuidV4(), operation: all.id, mode: 'refund', reason: 'test', actorId: null },
      )
    );
    expect(await statuses(tip(viewer, performer, 1_000), tip(viewer, performer, 1)))
      .toEqual(['posted', 'performer_cap']);
  });

  it('count what a hold pays, which is never refused', async () => {
    const [performer, viewer] = [await site.performer(), await given(1_300)];
    const held = operation('hold', [of(viewer.id, 'tokens', -1_200), of(viewer.id, 'held', 1_200)], {
      hold: { expiresAt: new Date(site.clock.now().getTime() + DAY_MS) },
    });
    const tick = (tokens: number, close = false): Operation =>
      operation('tick', [of(viewer.id, 'held', -tokens), of(performer.id, 'earnings', tokens)], {
        settles: { hold: held.id, close },
      });
    expect(await statuses(held, tick(900), tip(viewer, performer, 100)))
      .toEqual(['posted', 'posted', 'posted']);
    expect(await statuses(tick(200, true), tip(viewer, performer, 1))).toEqual(['posted', 'performer_cap']);
  });

  it('of two tips at once never pass the limit together', async () => {
    const performer = await site.performer();
    const viewers = await Promise.all(Array.from({ length: 12 }, () => given(100)));
    const outcomes = await Promise.all(
      viewers.map((viewer) => site.services.ledger.submit(site.scope, tip(viewer, performer, 100))),
    );
    expect(outcomes.map(({ status }) => status).toSorted())
      .toEqual([...Array<string>(2).fill('performer_cap'), ...Array<string>(10).fill('posted')]);
  });
});
