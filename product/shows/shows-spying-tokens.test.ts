import { getBalance } from '#product/ledger/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { boughtBy } from '#product/testkit/payments/wallet.ts';
import { mediaPasses, watches } from '#product/testkit/shows/private-show.ts';
import { lastSpyReceipt, spiedShow, spies, stopsSpying } from '#product/testkit/shows/spying.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf as inBook, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { showsPart } from './contract.ts';
import { saveShowSettings } from './contract/settings.ts';
import { checkSpying, spyEnded, startSpying } from './contract/spying.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const bookOf = (member: Member, book: 'earnings' | 'held'): Promise<number> => inBook(site, member, book);
const modeOf = async (spy: Member, performer: Member) =>
  (await spy.call(getRoom, { username: performer.username })).chat.mode;

describe('the tip to start', () => {
  const tipped = { startupTipInToken: 7 };
  it('is paid with the first second that is counted, where the performer asks for one [C-210]', async () => {
    const [asks, plain] = [await spiedShow(site, { spy: tipped }), await spiedShow(site)];
    const can = async (spy: Member, { username }: Member): Promise<boolean> =>
      readPart(await spy.call(getRoom, { username }), showsPart).user.canChargeSpyStartupTip;
    const { spy } = await spies(site, asks.performer);
    expect([await can(spy, asks.performer), await can(spy, plain.performer)]).toEqual([true, false]);
    await mediaPasses(site, asks.performer, 10);
    expect(await tokensOf(spy)).toBe(100);
    await mediaPasses(site, asks.performer, 1);
    expect([await tokensOf(spy), await bookOf(spy, 'held')]).toEqual([81, 12]);
    expect(await stopsSpying(spy, asks.performer)).toMatchObject({ startup_tip: 7, seconds: 1, tokens: 0 });
    // Five more are for the ten seconds of the private show that were captured.
    expect([await tokensOf(spy), await bookOf(asks.performer, 'earnings')]).toEqual([93, 5 + 7]);
    const free = await spies(site, plain.performer);
    await mediaPasses(site, plain.performer, 11);
    expect(await stopsSpying(free.spy, plain.performer)).toMatchObject({ startup_tip: 0 });
    expect(await tokensOf(free.spy)).toBe(100);
    // If spying is turned off during the preview, no tip to start is charged either.
    const late = await spies(site, asks.performer);
    await mediaPasses(site, asks.performer, 5);
    await asks.performer.call(saveShowSettings, { spy: { isEnabled: false } });
    await mediaPasses(site, asks.performer, 7);
    expect(await stopsSpying(late.spy, asks.performer)).toMatchObject({ startup_tip: 0, seconds: 2 });
    expect(await tokensOf(late.spy)).toBe(100);
  });

  it('is not paid within ten minutes of another tip, and of the one to start [C-211, C-403]', async () => {
    const { performer } = await spiedShow(site, { spy: tipped });
    const { username } = performer;
    const spy = await site.viewer({ tokens: 1_000 });
    const due = async (): Promise<number> => (await spy.call(checkSpying, { username })).startup_tip;
    expect(await due()).toBe(7);
    // A tip to another performer does not count.
    await spy.tips(await site.performer({ live: true }), 5);
    await site.settle();
    expect(await due()).toBe(7);
    await spy.tips(performer, 5);
    await site.settle();
    expect(await due()).toBe(0);
    const idol = await site.viewer({ tokens: 100 });
    expect((await idol.call(checkSpying, { username })).startup_tip).toBe(7);
    await mediaPasses(site, performer, 599);
    expect(await due()).toBe(0);
    await mediaPasses(site, performer, 1);
    expect(await due()).toBe(7);
    await spy.call(startSpying, { username });
    await watches(spy, performer);
    await mediaPasses(site, performer, 12);
    expect(await stopsSpying(spy, performer)).toMatchObject({ startup_tip: 7 });
    const before = await tokensOf(spy);
    await spy.call(startSpying, { username });
    await watches(spy, performer);
    await mediaPasses(site, performer, 3);
    expect(await stopsSpying(spy, performer)).toMatchObject({ startup_tip: 0, seconds: 3 });
    // The two seconds before and these three cost one token; another tip to start would be seven.
    expect(await tokensOf(spy)).toBe(before - 1);
    // The tip counts only for this spy and this performer.
    expect((await idol.call(checkSpying, { username })).startup_tip).toBe(7);
    const { performer: rival } = await spiedShow(site, { spy: tipped });
    expect((await spy.call(checkSpying, { username: rival.username })).startup_tip).toBe(7);
    // The tip was paid four seconds ago; the spying after it paid none.
    await mediaPasses(site, performer, 595);
    expect(await due()).toBe(0);
    await mediaPasses(site, performer, 1);
    expect(await due()).toBe(7);
    // Of several tips the last one counts, whether tips to start or others.
    await spy.call(startSpying, { username });
    await watches(spy, performer);
    await mediaPasses(site, performer, 3);
    expect(await stopsSpying(spy, performer)).toMatchObject({ startup_tip: 7 });
    expect(await due()).toBe(0);
    await mediaPasses(site, performer, 600);
    expect(await due()).toBe(7);
    await spy.tips(performer, 5);
    await site.settle();
    expect(await due()).toBe(0);
  });

  it('is not charged after a tip in the preview, and is after one to somebody else [C-211]', async () => {
    const { performer } = await spiedShow(site, { spy: tipped });
    const other = await site.performer({ live: true });
    const paid: number[] = [];
    for (const tippedOne of [performer, other]) {
      const { spy } = await spies(site, performer);
      await mediaPasses(site, performer, 5);
      await spy.tips(tippedOne, 3);
      await mediaPasses(site, performer, 6);
      expect(await stopsSpying(spy, performer)).toMatchObject({ seconds: 1, tokens: 0 });
      paid.push(100 - await tokensOf(spy));
    }
    expect(paid).toEqual([3, 3 + 7]);
  });
});

describe('too few tokens', () => {
  it('end spying below a sixth of a minute\'s price, and not at it [B-236, B-409]', async () => {
    const { performer } = await spiedShow(site, { spy: { pricePerMinuteInToken: 60 } });
    const { spy } = await spies(site, performer, { tokens: 60 });
    const room = await spy.joins(performer);
    await mediaPasses(site, performer, 10 + 50);
    expect((await spy.call(checkSpying, { username: performer.username })).running)
      .toMatchObject({ seconds: 50, tokens: 50 });
    await mediaPasses(site, performer, 1);
    expect((await room.waitFor(spyEnded)).reason_ended).toBe('out_of_tokens');
    expect(await lastSpyReceipt(spy)).toMatchObject({ seconds: 51, tokens: 51, released: 9 });
    expect([await tokensOf(spy), await modeOf(spy, performer)]).toEqual([9, 'public']);
    // A sixth of 15 is two and a half.
    const cheap = (await spiedShow(site, { spy: { pricePerMinuteInToken: 15 } })).performer;
    const other = (await spies(site, cheap, { tokens: 15 })).spy;
    await mediaPasses(site, cheap, 10 + 51);
    expect((await other.call(checkSpying, { username: cheap.username })).running)
      .toMatchObject({ seconds: 51, tokens: 12 });
    await mediaPasses(site, cheap, 1);
    expect(await lastSpyReceipt(other))
      .toMatchObject({ reason_ended: 'out_of_tokens', seconds: 52, tokens: 13, released: 2 });
  });

  it('are those of now: whoever buys some in the last seconds spies on [B-236]', async () => {
    const { performer } = await spiedShow(site, { spy: { pricePerMinuteInToken: 60 } });
    const { spy } = await spies(site, performer, { tokens: 60 });
    const left = async (): Promise<number | null | undefined> =>
      (await spy.call(checkSpying, { username: performer.username })).running?.seconds_left;
    await mediaPasses(site, performer, 10 + 50);
    expect(await left()).toBe(10);
    await site.tx((tx) => site.services.ledger.post(tx, [boughtBy(spy, 100)]));
    await mediaPasses(site, performer, 1);
    expect(await left()).toBe(109);
    await mediaPasses(site, performer, 99);
    expect(await left()).toBe(10);
    await mediaPasses(site, performer, 1);
    expect(await lastSpyReceipt(spy)).toMatchObject({ reason_ended: 'out_of_tokens', seconds: 151 });
  });

  const secondsOf = async (spy: Member, { username }: Member): Promise<number | undefined> =>
    (await spy.call(checkSpying, { username })).running?.seconds;

  it('never end a streamer\'s spying before the last token is spent [B-236, B-237]', async () => {
    const { performer } = await spiedShow(site, { spy: { pricePerMinuteInToken: 60 } });
    const streamer = await site.performer({ tokens: 60 });
    await streamer.call(startSpying, { username: performer.username });
    await watches(streamer, performer);
    await mediaPasses(site, performer, 10 + 60);
    expect(await secondsOf(streamer, performer)).toBe(60);
    await mediaPasses(site, performer, 1);
    expect((await lastSpyReceipt(streamer)).seconds).toBe(60);
  });

  it('never end a post-pay viewer\'s spying before the credit is used up [B-236, B-239]', async () => {
    const { performer } = await spiedShow(site, { spy: { pricePerMinuteInToken: 60 } });
    const postPay = await site.viewer({ tokens: 60 });
    await site.tx((tx) => site.services.ledger.setCredit(tx, postPay.id, 60));
    await postPay.call(startSpying, { username: performer.username });
    await watches(postPay, performer);
    await mediaPasses(site, performer, 10 + 60);
    expect(await secondsOf(postPay, performer)).toBe(60);
    await mediaPasses(site, performer, 55);
    expect(await secondsOf(postPay, performer)).toBe(115);
    await mediaPasses(site, performer, 10);
    expect(await lastSpyReceipt(postPay)).toMatchObject({ reason_ended: 'out_of_tokens', seconds: 120 });
  });

  it('are judged by what the viewer is now: post-pay may begin and end meanwhile [B-236]', async () => {
    const { performer } = await spiedShow(site, { spy: { pricePerMinuteInToken: 60 } });
    const [begins, ends] = [await site.viewer({ tokens: 60 }), await site.viewer({ tokens: 60 })];
    const credit = (viewer: Member, tokens: number) =>
      site.tx((tx) => site.services.ledger.setCredit(tx, viewer.id, tokens));
    await credit(ends, 60);
    for (const spy of [begins, ends]) {
      await spy.call(startSpying, { username: performer.username });
      await watches(spy, performer);
    }
    await mediaPasses(site, performer, 10 + 45);
    await credit(begins, 60);
    await credit(ends, 0);
    await mediaPasses(site, performer, 10);
    expect((await begins.call(checkSpying, { username: performer.username })).running)
      .toMatchObject({ seconds: 55 });
    expect(await lastSpyReceipt(ends)).toMatchObject({ reason_ended: 'out_of_tokens', seconds: 51 });
  });

  it('do not end a preview that runs [B-236, B-238]', async () => {
    const { performer } = await spiedShow(site, { spy: { pricePerMinuteInToken: 60 } });
    const { spy } = await spies(site, performer, { tokens: 9 });
    await mediaPasses(site, performer, 9);
    expect((await spy.call(checkSpying, { username: performer.username })).running)
      .toMatchObject({ preview_seconds: 1, seconds: 0 });
    await mediaPasses(site, performer, 1);
    expect(await lastSpyReceipt(spy)).toMatchObject({ reason_ended: 'out_of_tokens', tokens: 0 });
    expect(await tokensOf(spy)).toBe(9);
  });
});

it('leaves no fault in the ledger, and logs no errors', async () => {
  expect(await faultsOf(site)).toEqual([]);
  expect(site.log).toEqual([]);
});
