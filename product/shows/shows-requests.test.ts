import { endBroadcast, getPlayback } from '#product/broadcast/contract.ts';
import { setStandby } from '#product/broadcast/contract/settings.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { chatUpdate } from '#product/rooms/contract.ts';
import {
  FULL_OFFER,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateDeclined, privateFailed, privateStarted } from './contract.ts';
import { getReceipts } from './contract/private-running.ts';
import {
  acceptPrivate,
  checkPrivate,
  declinePrivate,
  getPrivateRequests,
  privateExpired,
  privateQueue,
  privateRequestReceived,
  privateWithdrawn,
  requestPrivate,
  withdrawPrivate,
} from './contract/private-show.ts';
import { saveShowSettings } from './contract/settings.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Private show events that a socket received; a bystander receives none. */
const privatesOf = (socket: Awaited<ReturnType<Member['joins']>>): string[] =>
  socket.events.map(({ name }) => name).filter((name) => name.startsWith('v3.private.'));
const refusalOf = async (viewer: Member, performer: Member, wish: object = {}): Promise<string> =>
  (await viewer.refused(requestPrivate, { username: performer.username, price: 30, ...wish })).errorType;

describe('a request for a private show', () => {
  it('reaches the performer with a band of the balance, the viewer\'s pages without [C-150]', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    const [room, console] = [await viewer.joins(performer), await performer.joins(performer)];
    const bystander = await (await site.viewer()).joins(performer);
    const asked = await viewer.call(requestPrivate, { username: performer.username, price: 30 });
    await site.settle();
    expect(asked).toEqual({
      username: viewer.username,
      broadcaster: performer.username,
      exclusive: false,
      recording: false,
      cost_per_minute: 30,
      pre_tip: 0,
      balance_band: null,
      requested_at: site.clock.now().toISOString(),
      expires_in_seconds: 120,
      expires_at: new Date(site.clock.now().getTime() + 120_000).toISOString(),
    });
    expect(await room.waitFor(privateRequestReceived)).toEqual(asked);
    const seen = { ...asked, balance_band: 'up_to_15_minutes' };
    expect(await console.waitFor(privateRequestReceived)).toEqual(seen);
    expect((await console.waitFor(privateQueue)).requests).toEqual([seen]);
    expect(await performer.call(getPrivateRequests, {})).toEqual({
      requests: [seen],
      running: null,
      can_watch_together: false,
    });
    expect((await viewer.call(checkPrivate, { username: performer.username })).request).toEqual(asked);
    expect((await viewer.call(getBalance, {})).tokens).toBe(300);
    expect(privatesOf(bystander)).toEqual([]);
  });

  it('is declined by the performer, and withdrawn by its viewer [C-154]', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    const [room, console] = [await viewer.joins(performer), await performer.joins(performer)];
    const bystander = await (await site.viewer()).joins(performer);
    const { username } = performer;
    await viewer.call(requestPrivate, { username, price: 30 });
    await performer.call(declinePrivate, { username: viewer.username });
    await site.settle();
    expect(await room.waitFor(privateDeclined)).toEqual({ username });
    expect(privatesOf(bystander)).toEqual([]);
    expect((await performer.refused(acceptPrivate, { username: viewer.username })).errorType)
      .toBe('private_request_unknown');
    await viewer.call(requestPrivate, { username, price: 30 });
    await viewer.call(withdrawPrivate, { username });
    await site.settle();
    expect(await console.waitFor(privateWithdrawn))
      .toEqual({ username: viewer.username, broadcaster: username });
    expect((await viewer.refused(withdrawPrivate, { username })).errorType).toBe('private_request_unknown');
    expect((await performer.refused(declinePrivate, { username: viewer.username })).errorType)
      .toBe('private_request_unknown');
    expect((await performer.call(getPrivateRequests, {})).requests).toEqual([]);
    expect((await viewer.call(getReceipts, {})).receipts).toEqual([]);
  });

  it('expires after 120 seconds without an answer [C-155]', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    const [room, console] = [await viewer.joins(performer), await performer.joins(performer)];
    const bystander = await (await site.viewer()).joins(performer);
    await viewer.call(requestPrivate, { username: performer.username, price: 30 });
    await site.passes(119_000);
    expect([...room.received(privateExpired), ...console.received(privateExpired)]).toEqual([]);
    expect((await console.waitFor(privateQueue)).requests).toHaveLength(1);
    expect((await performer.call(getPrivateRequests, {})).requests)
      .toMatchObject([{ expires_in_seconds: 1 }]);
    await site.passes(1_000);
    for (const socket of [room, console]) {
      expect(await socket.waitFor(privateExpired))
        .toEqual({ username: viewer.username, broadcaster: performer.username });
    }
    await console.waitFor(privateQueue, ({ requests }) => requests.length === 0);
    await site.settle();
    expect(privatesOf(bystander)).toEqual([]);
    expect((await performer.refused(acceptPrivate, { username: viewer.username })).errorType)
      .toBe('private_request_unknown');
    await viewer.call(requestPrivate, { username: performer.username, price: 30 });
  });

  it('is answered for everybody else when one is accepted', async () => {
    const [performer, elsewhere] = [await privatePerformer(site), await privatePerformer(site)];
    const [one, other] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
    const [room, console] = [await other.joins(performer), await elsewhere.joins(elsewhere)];
    await other.call(requestPrivate, { username: performer.username, price: 30 });
    await one.call(requestPrivate, { username: elsewhere.username, price: 30 });
    await startsPrivate(one, performer);
    expect(await room.waitFor(privateDeclined)).toEqual({ username: performer.username });
    expect((await console.waitFor(privateQueue, ({ requests }) => requests.length === 0)).requests)
      .toEqual([]);
    expect(await refusalOf(other, performer)).toBe('private_unavailable');
    expect(await refusalOf(one, elsewhere)).toBe('in_private_show');
    await other.call(requestPrivate, { username: elsewhere.username, price: 30 });
  });

  it('is refused to guests, to oneself, and while another of one\'s own waits [B-297, C-221]', async () => {
    const performer = await privatePerformer(site);
    const guest = await site.visitor({ ofAge: true });
    const { username } = performer;
    expect(await guest.refused(requestPrivate, { username, price: 30 }))
      .toMatchObject({ status: 401, errorType: 'not_authenticated' });
    expect(await refusalOf(performer, performer)).toBe('own_private');
    const viewer = await site.viewer({ tokens: 300 });
    await viewer.call(requestPrivate, { username, price: 30 });
    expect(await refusalOf(viewer, performer)).toBe('private_requested');
    for (let more = 0; more < 2; more += 1) {
      await viewer.call(requestPrivate, { username: (await privatePerformer(site)).username, price: 30 });
    }
    expect(await refusalOf(viewer, await privatePerformer(site))).toBe('private_too_many_requests');
    const banned = await site.viewer({ tokens: 300 });
    await performer.moderates('ban', banned);
    expect(await refusalOf(banned, performer)).toBe('room_banned');
  });

  it('is refused where the room is neither online nor in standby [B-257]', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    await performer.call(endBroadcast, {});
    await site.settle();
    expect(await viewer.refused(requestPrivate, { username: performer.username, price: 30 }))
      .toMatchObject({ status: 409, errorType: 'private_unavailable' });
    expect((await viewer.call(checkPrivate, { username: performer.username })).bar)
      .toBe('private_unavailable');
    await performer.goesLive();
    const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
    site.engine.drop(stream ?? '', 'silent');
    await site.settle();
    expect(await refusalOf(viewer, performer)).toBe('private_unavailable');
  });

  it('is refused in a voyeur room, and where no private shows are offered [B-259, B-261]', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    await performer.call(saveListingProfile, { voyeur_room: 'kitchen' });
    expect(await refusalOf(viewer, performer)).toBe('private_voyeur');
    await performer.call(saveListingProfile, { voyeur_room: null });
    await performer.call(saveShowSettings, { private: { isEnabled: false } });
    expect(await refusalOf(viewer, performer)).toBe('private_disabled');
    await performer.call(saveShowSettings, { private: { isEnabled: true } });
    await viewer.call(requestPrivate, { username: performer.username, price: 30 });
  });

  it('is declined when what it asks for is no longer offered', async () => {
    const performer = await privatePerformer(site);
    await performer.call(saveShowSettings, {
      private: { isExclusiveEnabled: true, exclusivePricePerMinuteInToken: 60 },
    });
    const [plain, alone] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
    const waits = async (): Promise<readonly string[]> => {
      await site.settle();
      return (await performer.call(getPrivateRequests, {})).requests.map(({ username }) => username);
    };
    const ask = async (): Promise<void> => {
      await plain.call(requestPrivate, { username: performer.username, price: 30 });
      await alone.call(requestPrivate, { username: performer.username, price: 60, exclusive: true });
    };
    await ask();
    const room = await alone.joins(performer);
    await performer.call(saveShowSettings, { private: { isExclusiveEnabled: false } });
    await expect.poll(waits).toEqual([plain.username]);
    expect(await room.waitFor(privateDeclined)).toEqual({ username: performer.username });
    await performer.call(saveListingProfile, { voyeur_room: 'kitchen' });
    await expect.poll(waits).toEqual([]);
    await performer.call(saveListingProfile, { voyeur_room: null });
    await performer.call(saveShowSettings, { private: { isExclusiveEnabled: true } });
    await ask();
    // Both calls at once: neither waits for the other.
    await performer.call(saveShowSettings, { private: { isEnabled: false } });
    const late = await performer.refused(acceptPrivate, { username: plain.username });
    expect(late.errorType).toBe('private_request_unknown');
    await expect.poll(waits).toEqual([]);
    expect((await plain.call(getBalance, {})).tokens).toBe(300);
  });

  it('is refused while a versus holds the performer', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    const { takeActivity, releaseActivity } = site.services.rooms;
    await site.tx((tx) => takeActivity(tx, performer.id, 'versus'));
    expect(await refusalOf(viewer, performer)).toBe('private_versus');
    await site.tx((tx) => releaseActivity(tx, performer.id, 'versus'));
    await viewer.call(requestPrivate, { username: performer.username, price: 30 });
    await site.tx((tx) => takeActivity(tx, performer.id, 'versus'));
    expect((await performer.refused(acceptPrivate, { username: viewer.username })).errorType)
      .toBe('private_versus');
  });

  it('is refused without the tokens to start, at another price, and for what is not offered', async () => {
    const performer = await privatePerformer(site, { ...FULL_OFFER, isExclusiveEnabled: false });
    const poor = await site.viewer({ tokens: 224 });
    expect(await poor.refused(requestPrivate, { username: performer.username, price: 48, pre_tip: 25 }))
      .toMatchObject({ status: 402, errorType: 'private_minimum', needed: 225 });
    const viewer = await site.viewer({ tokens: 225 });
    expect(await refusalOf(viewer, performer, { price: 48, limit: 224, pre_tip: 25 })).toBe('limit_too_low');
    expect(await refusalOf(viewer, performer, { exclusive: true })).toBe('exclusive_disabled');
    expect(await viewer.refused(requestPrivate, { username: performer.username, price: 30 }))
      .toMatchObject({ status: 409, errorType: 'private_price_differs', price: 48 });
    // Without the shown price the viewer has agreed to nothing.
    expect(await viewer.refused(requestPrivate, { username: performer.username, pre_tip: 25 }))
      .toMatchObject({ status: 422, errorType: 'invalid_input' });
    await performer.call(saveShowSettings, { private: { isRecordingEnabled: false } });
    expect(await refusalOf(viewer, performer, { recording: true })).toBe('recording_disabled');
    await viewer.call(requestPrivate, {
      username: performer.username,
      limit: 225,
      price: 48,
      pre_tip: 25,
    });
    const plain = await privatePerformer(site);
    expect(await refusalOf(await site.viewer({ tokens: 29 }), plain)).toBe('not_enough_tokens');
  });

  it('is refused with another tip before the show than the viewer was shown', async () => {
    const performer = await privatePerformer(site, { isPreTipEnabled: true, preTipCost: 25 });
    const { username } = performer;
    const viewer = await site.viewer({ tokens: 2_000 });
    await performer.call(saveShowSettings, { private: { preTipCost: 900 } });
    for (const shown of [{}, { pre_tip: 25 }, { pre_tip: 901 }]) {
      expect(await viewer.refused(requestPrivate, { username, price: 30, ...shown })).toMatchObject({
        status: 409,
        errorType: 'private_tip_differs',
        pre_tip: 900,
        message: 'The tip before the show has changed: it’s 900 tokens now.',
      });
    }
    expect((await performer.call(getPrivateRequests, {})).requests).toEqual([]);
    expect(await viewer.call(requestPrivate, { username, price: 30, pre_tip: 900 }))
      .toMatchObject({ pre_tip: 900 });
    // A tip that is no longer required is not what the viewer agreed to.
    const other = await site.viewer({ tokens: 2_000 });
    await performer.call(saveShowSettings, { private: { isPreTipEnabled: false } });
    expect(await refusalOf(other, performer, { pre_tip: 900 })).toBe('private_tip_differs');
    expect(await other.call(requestPrivate, { username, price: 30 })).toMatchObject({ pre_tip: 0 });
  });

  it('that cannot be paid any more is over when accepted; its viewer learns why [C-157, C-171]', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 40 });
    const [room, bystander] = [await viewer.joins(performer), await (await site.viewer()).joins(performer)];
    await viewer.call(requestPrivate, { username: performer.username, price: 30 });
    await viewer.tips(performer, 30);
    expect((await performer.refused(acceptPrivate, { username: viewer.username })).errorType)
      .toBe('private_viewer_short');
    await site.settle();
    expect(await room.waitFor(privateFailed)).toEqual({
      errorType: 'not_enough_tokens',
      error: 'You no longer have enough tokens for the first minute of the private show.',
    });
    expect(privatesOf(bystander)).toEqual([]);
    expect((await performer.call(getPrivateRequests, {})).requests).toEqual([]);
    expect((await performer.refused(acceptPrivate, { username: viewer.username })).status).toBe(404);
    expect(await bookOf(site, viewer, 'held')).toBe(0);
    expect(room.received(privateDeclined)).toEqual([]);
  });

  it.each(['ban', 'kick'] as const)('of a viewer who is out by a %s waits no more', async (out) => {
    const performer = await privatePerformer(site);
    const [gone, other] = [await site.viewer({ tokens: 100 }), await site.viewer({ tokens: 100 })];
    const console = await performer.joins(performer);
    for (const viewer of [gone, other]) {
      await viewer.call(requestPrivate, { username: performer.username, price: 30 });
    }
    await performer.moderates(out, gone);
    await site.settle();
    expect(
      (await console.waitFor(privateQueue, ({ requests }) =>
        requests.length === 1
        && requests[0]?.username === other.username)).requests,
    ).toHaveLength(1);
    expect((await performer.refused(acceptPrivate, { username: gone.username })).errorType)
      .toBe('private_request_unknown');
    expect((await performer.call(getPrivateRequests, {})).requests.map(({ username }) => username))
      .toEqual([other.username]);
    expect(await bookOf(site, gone, 'held')).toBe(0);
    expect(await refusalOf(gone, performer)).toMatch(/^room_(?:banned|kicked)$/u);
  });

  it('of a viewer who is suspended meanwhile is withdrawn, and costs nobody else theirs', async () => {
    const performer = await privatePerformer(site);
    const [gone, other] = [await site.viewer({ tokens: 100 }), await site.viewer({ tokens: 100 })];
    const console = await performer.joins(performer);
    for (const viewer of [gone, other]) {
      await viewer.call(requestPrivate, { username: performer.username, price: 30 });
    }
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, gone.id, {
        suspended: true,
        actorId: null,
        reason: 'a test',
      })
    );
    await site.settle();
    expect((await performer.refused(acceptPrivate, { username: gone.username })).errorType)
      .toBe('private_request_unknown');
    await site.settle();
    expect(await console.waitFor(privateWithdrawn)).toMatchObject({ username: gone.username });
    const { requests, running } = await performer.call(getPrivateRequests, {});
    expect([requests.map(({ username }) => username), running]).toEqual([[other.username], null]);
    expect(await bookOf(site, gone, 'held')).toBe(0);
    await performer.call(acceptPrivate, { username: other.username });
    await site.settle();
  });

  it('from standby waits for the camera, and then has the picture alone', async () => {
    const { configure, viewOf } = site.services.site;
    const { domain_name: domain } = await viewOf(site.scope);
    await site.tx((tx) => configure(tx, { standby: { domains: [domain], studios: [] } }, null));
    const performer = await site.performer();
    await performer.call(saveShowSettings, { private: { isEnabled: true } });
    await performer.call(setStandby, { on: true });
    await site.settle();
    const viewer = await site.viewer({ tokens: 100 });
    const room = await viewer.joins(performer);
    const onlooker = await site.viewer();
    const outside = await onlooker.joins(performer);
    await startsPrivate(viewer, performer);
    expect((await room.waitFor(privateStarted)).stream).toBeNull();
    await site.passes(10_000);
    await performer.goesLive();
    // Not even the first video was public.
    await outside.waitFor(chatUpdate, ({ status }) => status === 'private');
    expect(outside.received(chatUpdate).filter(({ status }) => status === 'online')).toEqual([]);
    expect((await onlooker.refused(getPlayback, { username: performer.username })).errorType)
      .toBe('stream_offline');
    expect((await room.waitFor(privateStarted, ({ stream }) => stream !== null)).stream).not.toBeNull();
    await watches(viewer, performer);
    await mediaPasses(site, performer, 6);
    expect((await viewer.call(checkPrivate, { username: performer.username })).running)
      .toMatchObject({ phase: 'running', privateStreamTimeInSecond: 6, is_paused: false });
  });
});

it('leaves no fault in the ledger, and logs no errors', async () => {
  expect(await faultsOf(site)).toEqual([]);
  expect(site.log).toEqual([]);
});
