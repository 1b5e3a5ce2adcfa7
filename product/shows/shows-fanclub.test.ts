import { uuidV4 } from '#platform/data/ids.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { joinFanclub, saveOwnClub } from '#product/fanclubs/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateEnded } from './contract.ts';
import { getReceipts } from './contract/private-running.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const PRICES = { supporter: 100, insider: 250, legend: 500 } as const;

/** A performer with a fan club who offers private shows at 60 tokens a minute. */
async function clubOwner(): Promise<Member> {
  const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
  await performer.call(saveOwnClub, {
    enabled: true,
    description: 'Hello there.',
    prices: PRICES,
    perks: { supporter: [], insider: [], legend: [] },
  });
  return performer;
}
const joins = (viewer: Member, { username }: Member, level: FanclubLevel) =>
  viewer.call(joinFanclub, { username, level, price: PRICES[level] }, { idempotencyKey: uuidV4() });

/** What a show of this many seconds costs, earns, and gives back; null for a viewer in no fan club. */
async function comesTo(level: FanclubLevel | null, seconds: number): Promise<object> {
  const performer = await clubOwner();
  const viewer = await site.viewer({ tokens: 1_000 });
  if (level !== null) await joins(viewer, performer, level);
  const before = (await viewer.call(getBalance, {})).tokens;
  const earned = await bookOf(site, performer, 'earnings');
  const socket = await viewer.joins(performer);
  await startsPrivate(viewer, performer);
  await watches(viewer, performer);
  await mediaPasses(site, performer, seconds);
  const receipt = await endsPrivate(viewer, performer);
  await site.settle();
  expect((await socket.waitFor(privateEnded)).fanclub_refund).toBe(receipt.fanclub_refund);
  expect((await performer.call(getReceipts, {})).receipts).toEqual([receipt]);
  expect(await bookOf(site, viewer, 'held')).toBe(0);
  return {
    tokens: receipt.tokens,
    refund: receipt.fanclub_refund,
    paid: before - (await viewer.call(getBalance, {})).tokens,
    earned: await bookOf(site, performer, 'earnings') - earned,
  };
}

describe('the refund of a fan club', () => {
  it('is 10 percent for insiders and 25 for legends of what a show cost, rounded down', async () => {
    expect(await comesTo(null, 75)).toEqual({ tokens: 75, refund: 0, paid: 75, earned: 75 });
    expect(await comesTo('supporter', 75)).toEqual({ tokens: 75, refund: 0, paid: 75, earned: 75 });
    expect(await comesTo('insider', 75)).toEqual({ tokens: 75, refund: 7, paid: 68, earned: 68 });
    expect(await comesTo('legend', 75)).toEqual({ tokens: 75, refund: 18, paid: 57, earned: 57 });
    expect(await comesTo('legend', 1)).toEqual({ tokens: 1, refund: 0, paid: 1, earned: 1 });
  });

  it('is of the seconds after who joins while a show runs', async () => {
    const performer = await clubOwner();
    const viewer = await site.viewer({ tokens: 1_000 });
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await mediaPasses(site, performer, 40);
    await joins(viewer, performer, 'legend');
    await mediaPasses(site, performer, 40);
    expect(await endsPrivate(viewer, performer))
      .toMatchObject({ seconds: 80, tokens: 80, fanclub_refund: 10 });
    expect((await viewer.call(getBalance, {})).tokens).toBe(1_000 - 500 - 70);
  });

  it('leaves no fault in the ledger, and no error in the log', async () => {
    expect(await faultsOf(site)).toEqual([]);
    expect(site.log).toEqual([]);
  });
});
