import { endBroadcast } from '#product/broadcast/contract.ts';
import { whepEnd } from '#product/broadcast/contract/webrtc.ts';
import { getBalance, getHistory } from '#product/ledger/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { media, playbackOf } from '#product/testkit/media/media-client.ts';
import { endsPrivate, mediaPasses, watches } from '#product/testkit/shows/private-show.ts';
import {
  lastSpyReceipt,
  offersSpying,
  spiedShow,
  spies,
  stopsSpying,
} from '#product/testkit/shows/spying.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf as inBook, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { showsPart } from './contract.ts';
import { acceptPrivate, requestPrivate } from './contract/private-show.ts';
import { saveShowSettings } from './contract/settings.ts';
import {
  checkSpying,
  getSpyAudience,
  getSpyPreview,
  getSpyReceipts,
  spyAudience,
  spyEnded,
  spyStarted,
  spyTick,
  startSpying,
  type SpyReceiptView,
} from './contract/spying.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const bookOf = (member: Member, book: 'earnings' | 'held'): Promise<number> => inBook(site, member, book);
const modeOf = async (spy: Member, performer: Member) =>
  (await spy.call(getRoom, { username: performer.username })).chat.mode;

describe('spying on a private show', () => {
  it('costs by the second after the free preview, and both sides have a receipt [B-298, C-259]', async () => {
    const { performer } = await spiedShow(site);
    const console = await performer.joins(performer);
    const spy = await site.viewer({ tokens: 100 });
    const room = await spy.joins(performer);
    const { username } = performer;
    expect(await spy.call(checkSpying, { username })).toEqual({
      bar: null,
      cost_per_minute: 12,
      startup_tip: 0,
      preview_seconds: 10,
      tokens: 100,
      seconds: 500,
      running: null,
    });
    const guest = await site.visitor({ ofAge: true });
    expect(await guest.refused(startSpying, { username }))
      .toMatchObject({ status: 401, errorType: 'not_authenticated' });
    await spy.call(startSpying, { username });
    await watches(spy, performer);
    await mediaPasses(site, performer, 10);
    expect([await tokensOf(spy), await bookOf(spy, 'held')]).toEqual([100, 0]);
    await mediaPasses(site, performer, 25);
    expect([await tokensOf(spy), await bookOf(spy, 'held')]).toEqual([88, 8]);
    expect(await room.waitFor(spyTick, ({ seconds }) => seconds === 25)).toEqual({
      broadcaster: username,
      cost_per_minute: 12,
      seconds: 25,
      tokens: 5,
      startup_tip: 0,
      preview_seconds: 0,
      seconds_left: 475,
      is_paused: false,
    });
    expect(await performer.call(getSpyAudience, {})).toEqual({ count: 1, tokens: 4 });
    const ended = await spy.request({
      method: 'POST',
      url: `/api/v1/video/spyend/${username}`,
      payload: {},
    });
    const receipt = ended.json<SpyReceiptView>();
    expect(receipt).toMatchObject({
      username: spy.username,
      broadcaster: username,
      cost_per_minute: 12,
      seconds: 25,
      preview_seconds: 10,
      tokens: 5,
      startup_tip: 0,
      released: 7,
      reason_ended: 'user_ended',
      free_seconds: { performer: 0, viewer: 0 },
    });
    await site.settle();
    expect(await lastSpyReceipt(spy)).toEqual(receipt);
    // Neither the receipt nor the token history reveals who spied.
    expect(await lastSpyReceipt(performer)).toEqual({ ...receipt, username: null });
    expect(JSON.stringify(await performer.call(getHistory, {}))).not.toContain(spy.username);
    expect(JSON.stringify(console.received(spyAudience))).not.toContain(spy.username);
    expect(await console.waitFor(spyAudience, ({ count }) => count === 0)).toEqual({ count: 0, tokens: 5 });
    expect([await tokensOf(spy), await bookOf(spy, 'held')]).toEqual([95, 0]);
  });

  it(
    'starts by the call with status, price and message, and has this viewer in its mode [C-258, C-115]',
    async () => {
      const { performer, viewer } = await spiedShow(site);
      const [spy, other] = [await site.viewer({ tokens: 100 }), await site.viewer({ tokens: 100 })];
      const { username } = performer;
      const [own, elsewhere] = [await spy.joins(performer), await other.joins(performer)];
      const begun = await spy.request({ method: 'POST', url: `/api/v1/video/spy/${username}`, payload: {} });
      expect(begun.json()).toEqual({
        status: 1,
        cost_per_minute: 12,
        message: 'You’re spying on the private show.',
      });
      await site.settle();
      const { stream } = await playbackOf(viewer, performer);
      expect(await own.waitFor(spyStarted)).toEqual({
        broadcaster: username,
        cost_per_minute: 12,
        preview_seconds: 10,
        stream,
      });
      const seen = [];
      for (const person of [spy, other, viewer, performer]) {
        const room = await person.call(getRoom, { username });
        const { spyRunningPricePerMinuteInToken: price } = readPart(room, showsPart);
        seen.push([room.chat.mode, room.chat.status, price]);
      }
      expect(seen).toEqual([
        ['spy', 'private', 12],
        ['public', 'private', null],
        ['private', 'private', null],
        ['private', 'private', null],
      ]);
      await site.says(elsewhere, 'a line after the start');
      expect(elsewhere.received(spyStarted)).toEqual([]);
    },
  );

  it('keeps the price that it began with, whatever the offer becomes [C-115]', async () => {
    const { performer } = await spiedShow(site);
    const { spy } = await spies(site, performer);
    const room = await spy.joins(performer);
    await performer.call(saveShowSettings, { spy: { pricePerMinuteInToken: 20 } });
    await site.settle();
    await mediaPasses(site, performer, 15);
    const { username } = performer;
    expect(readPart(await spy.call(getRoom, { username }), showsPart))
      .toMatchObject({ spyRunningPricePerMinuteInToken: 12 });
    expect((await spy.call(checkSpying, { username })).running)
      .toMatchObject({ cost_per_minute: 12, tokens: 1 });
    expect(room.received(spyTick).at(-1)).toMatchObject({ cost_per_minute: 12 });
    expect(await stopsSpying(spy, performer)).toMatchObject({ cost_per_minute: 12, seconds: 5, tokens: 1 });
  });

  it('ends with an event to its viewer, whose mode is public again [B-346, C-158]', async () => {
    const { performer } = await spiedShow(site);
    const { spy } = await spies(site, performer);
    const [room, other] = [await spy.joins(performer), await (await site.viewer()).joins(performer)];
    await mediaPasses(site, performer, 12);
    expect(await modeOf(spy, performer)).toBe('spy');
    const endedAt = site.clock.now();
    const receipt = {
      id: expect.any(Number),
      private_id: expect.any(Number),
      username: spy.username,
      broadcaster: performer.username,
      cost_per_minute: 12,
      seconds: 2,
      preview_seconds: 10,
      free_seconds: { performer: 0, viewer: 0 },
      tokens: 0,
      startup_tip: 0,
      released: 12,
      reason_ended: 'user_ended',
      started_at: new Date(endedAt.getTime() - 12_000).toISOString(),
      ended_at: endedAt.toISOString(),
    };
    expect(await stopsSpying(spy, performer)).toEqual(receipt);
    await site.settle();
    expect(await room.waitFor(spyEnded)).toEqual({ reason_ended: 'user_ended', receipt });
    expect(await modeOf(spy, performer)).toBe('public');
    await site.says(other, 'a line after the end');
    expect(other.received(spyEnded)).toEqual([]);
  });

  it('ends with an event when the show does, too [C-158]', async () => {
    const { performer, viewer } = await spiedShow(site);
    const { spy } = await spies(site, performer);
    const room = await spy.joins(performer);
    await mediaPasses(site, performer, 25);
    await endsPrivate(viewer, performer);
    await site.settle();
    expect(await room.waitFor(spyEnded)).toMatchObject({
      reason_ended: 'show_ended',
      receipt: { username: spy.username, seconds: 15, tokens: 3, reason_ended: 'show_ended' },
    });
    expect(await modeOf(spy, performer)).toBe('public');
  });

  it('ends with the show, when its viewer is away, is banned or elsewhere, and without tokens', async () => {
    const reasons: [string, number, number][] = [];
    const note = async (spy: Member): Promise<void> => {
      const { reason_ended: reason, seconds, tokens } = await lastSpyReceipt(spy);
      reasons.push([reason, seconds, tokens]);
    };
    const ended = await spiedShow(site);
    const one = await spies(site, ended.performer);
    await mediaPasses(site, ended.performer, 15);
    await endsPrivate(ended.viewer, ended.performer);
    await site.settle();
    await note(one.spy);
    expect(await modeOf(one.spy, ended.performer)).toBe('public');
    const gone = await spiedShow(site);
    const two = await spies(site, gone.performer);
    await mediaPasses(site, gone.performer, 15);
    await gone.performer.call(endBroadcast, {});
    await site.settle();
    await note(two.spy);
    const { performer } = await spiedShow(site);
    const [away, banned, leaves, short] = [
      await spies(site, performer),
      await spies(site, performer),
      await spies(site, performer),
      await spies(site, performer, { tokens: 13 }),
    ];
    await mediaPasses(site, performer, 15);
    await performer.moderates('ban', banned.spy);
    await site.settle();
    await media(away.spy, whepEnd, { session: away.session });
    const other = (await spiedShow(site)).performer;
    await leaves.spy.call(startSpying, { username: other.username });
    await note(leaves.spy);
    expect(await modeOf(leaves.spy, other)).toBe('spy');
    await mediaPasses(site, performer, 31);
    for (const { spy } of [away, banned]) await note(spy);
    await mediaPasses(site, performer, 60);
    await note(short.spy);
    expect(reasons).toEqual([
      ['show_ended', 5, 1],
      ['show_ended', 5, 1],
      ['user_ended', 5, 1],
      ['user_left', 5, 1],
      ['removed', 5, 1],
      ['out_of_tokens', 60, 12],
    ]);
  });

  it('goes on when its viewer is refused to spy elsewhere, and ends when they are let in', async () => {
    const { performer } = await spiedShow(site);
    const { spy } = await spies(site, performer, { tokens: 14 });
    await mediaPasses(site, performer, 12);
    const disabled = (await spiedShow(site, { spy: { isEnabled: false } })).performer;
    const exclusive = (await spiedShow(site, { exclusive: true })).performer;
    const refused = [];
    for (const { username } of [disabled, exclusive, await site.performer({ live: true })]) {
      refused.push((await spy.refused(startSpying, { username })).errorType);
    }
    const { performer: other } = await spiedShow(site);
    const wish = { username: other.username, price: 11 };
    refused.push((await spy.refused(startSpying, wish)).errorType);
    expect(refused).toEqual(['spy_disabled', 'spy_exclusive', 'spy_not_private', 'spy_price_differs']);
    expect(await modeOf(spy, performer)).toBe('spy');
    await mediaPasses(site, performer, 8);
    expect((await spy.call(checkSpying, { username: performer.username })).running)
      .toMatchObject({ seconds: 10, tokens: 2 });
    expect((await spy.call(getSpyReceipts, {})).receipts).toEqual([]);
    await spy.call(startSpying, { username: other.username });
    expect(await lastSpyReceipt(spy)).toMatchObject({ reason_ended: 'user_ended', tokens: 2, released: 10 });
    expect([await modeOf(spy, performer), await modeOf(spy, other)]).toEqual(['public', 'spy']);
    expect([await tokensOf(spy), await bookOf(spy, 'held')]).toEqual([12, 0]);
  });

  it('elsewhere without a preview is paid from what comes back', async () => {
    const { performer } = await spiedShow(site);
    const { performer: other } = await spiedShow(site);
    const { spy } = await spies(site, other, { tokens: 14 });
    await mediaPasses(site, other, 10);
    await stopsSpying(spy, other);
    await spy.call(startSpying, { username: performer.username });
    await watches(spy, performer);
    await mediaPasses(site, performer, 12);
    expect(await tokensOf(spy)).toBe(2);
    await spy.call(startSpying, { username: other.username });
    expect([await modeOf(spy, other), await tokensOf(spy)]).toEqual(['spy', 14]);
  });

  it('ends when its viewer\'s own private show begins', async () => {
    const { performer } = await spiedShow(site);
    const { spy } = await spies(site, performer, { tokens: 1_000 });
    const other = await offersSpying(site);
    await spy.call(requestPrivate, { username: other.username, price: 30 });
    await other.call(acceptPrivate, { username: spy.username });
    await site.settle();
    expect((await lastSpyReceipt(spy)).reason_ended).toBe('user_ended');
    expect((await spy.refused(startSpying, { username: performer.username })).errorType)
      .toBe('in_private_show');
  });
});

describe('the free preview', () => {
  it('is ten seconds, once a performer and day, whoever pays for it afterwards [C-257]', async () => {
    const { performer } = await spiedShow(site);
    const { username } = performer;
    const poor = await site.viewer({ tokens: 0 });
    const preview = async (): Promise<number> => (await poor.call(getSpyPreview, { username })).seconds;
    expect(await preview()).toBe(10);
    const url = `/api/v1/video/spy/${username}/preview-duration`;
    expect((await poor.request({ method: 'GET', url })).json()).toEqual({ seconds: 10 });
    await poor.call(startSpying, { username });
    await watches(poor, performer);
    await mediaPasses(site, performer, 9);
    expect((await poor.call(checkSpying, { username })).running).toMatchObject({ preview_seconds: 1 });
    await mediaPasses(site, performer, 2);
    expect(await lastSpyReceipt(poor)).toMatchObject({
      reason_ended: 'out_of_tokens',
      seconds: 0,
      preview_seconds: 10,
      tokens: 0,
    });
    expect(await preview()).toBe(0);
    expect((await poor.refused(startSpying, { username })).errorType).toBe('not_enough_tokens');
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(getSpyPreview, { username })).status).toBe(401);
    // Until midnight UTC, and not a second longer.
    const dayMs = 86_400_000;
    await site.passes(dayMs - site.clock.now().getTime() % dayMs - 1_000);
    expect(await preview()).toBe(0);
    await site.passes(1_000);
    expect(await preview()).toBe(10);
  });
});

it('leaves no fault in the ledger, and logs no errors', async () => {
  expect(await faultsOf(site)).toEqual([]);
  expect(site.log).toEqual([]);
});
