import { updateProfile } from '#product/accounts/contract.ts';
import { endBroadcast } from '#product/broadcast/contract.ts';
import { setStandby } from '#product/broadcast/contract/settings.ts';
import { hideMe } from '#product/compliance/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { getListingProfile, saveListingProfile } from '#product/performers/contract.ts';
import { chatUpdate, getRoom } from '#product/rooms/contract.ts';
import { privatePerformer, startsPrivate } from '#product/testkit/shows/private-show.ts';
import {
  cameraPasses,
  connectsSharecam,
  runsSharecam,
  sharecamPerformer,
  sharecamWish,
  startsSharecam,
} from '#product/testkit/shows/sharecam.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf as inBook } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endPrivate } from './contract/private-running.ts';
import { getShowSettings, saveShowSettings, sharecamSettingChanged } from './contract/settings.ts';
import {
  acceptSharecam,
  cam2camEnded,
  cam2camReady,
  cam2camStarted,
  declineSharecam,
  endSharecam,
  getSharecamReceipts,
  getSharecams,
  requestSharecam,
  sharecamAccepted,
  sharecamDeclined,
  sharecamExpired,
  sharecamRequested,
  sharecamTick,
  withdrawSharecam,
} from './contract/sharecam.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  const { configure, viewOf } = site.services.site;
  const { domain_name: domain } = await viewOf(site.scope);
  await site.tx((tx) => configure(tx, { standby: { domains: [domain], studios: [] } }, null));
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const bookOf = (member: Member, book: 'earnings' | 'held'): Promise<number> => inBook(site, member, book);
/** Camera events that a socket received; a bystander receives none. */
const camerasOf = (socket: Awaited<ReturnType<Member['joins']>>): string[] =>
  socket.events.map(({ name }) => name).filter((name) => /^v3\.(?:sharecam|cam2cam)\./u.test(name));
const codeOf = async (viewer: Member, performer: Member, mode: 'public' | 'private'): Promise<string> =>
  viewer.call(requestSharecam, sharecamWish(performer, mode))
    .then(async () => {
      await viewer.call(withdrawSharecam, { username: performer.username });
      return 'asked';
    }, (error: unknown) => (error as { problem: { errorType: string } }).problem.errorType);

describe('what a performer allows', () => {
  it('is saved, is in the room data, and reaches open rooms and listings [B-145]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const room = await viewer.joins(performer);
    const settingOf = () => viewer.call(getRoom, { username: performer.username });
    expect(await settingOf()).toMatchObject({
      userSetting: {
        sharecam: { isAllowedInPrivate: false, isAllowedInPublic: false, pricePerMinuteInPublicInToken: 10 },
      },
    });
    const sharecam = { isAllowedInPrivate: true, isAllowedInPublic: true, pricePerMinuteInPublicInToken: 12 };
    expect((await performer.call(saveShowSettings, { sharecam })).sharecam).toEqual(sharecam);
    await site.settle();
    expect(await room.waitFor(sharecamSettingChanged)).toEqual({ sharecam });
    expect(await settingOf()).toMatchObject({ userSetting: { sharecam } });
    expect((await performer.call(getListingProfile, {})).offers_cam2cam).toBe(true);
    // Either setting is enough to be listed, neither is not, and an absent field changes nothing.
    await performer.call(saveShowSettings, { sharecam: { isAllowedInPrivate: false } });
    expect(await settingOf()).toMatchObject({
      userSetting: { sharecam: { ...sharecam, isAllowedInPrivate: false } },
    });
    expect((await performer.call(getListingProfile, {})).offers_cam2cam).toBe(true);
    await performer.call(saveShowSettings, { sharecam: { isAllowedInPublic: false } });
    expect((await performer.call(getListingProfile, {})).offers_cam2cam).toBe(false);
    expect((await performer.call(getShowSettings, {})).sharecam)
      .toEqual({ isAllowedInPrivate: false, isAllowedInPublic: false, pricePerMinuteInPublicInToken: 12 });
    // Listed on the other page with nothing chosen here, the performer takes cameras in private.
    await performer.call(saveListingProfile, { offers_cam2cam: true });
    await site.settle();
    expect(
      await room.waitFor(
        sharecamSettingChanged,
        ({ sharecam: now }) => now.isAllowedInPrivate && !now.isAllowedInPublic,
      ),
    ).toBeDefined();
  });

  it('is said with each update of the room, as cam2cam', async () => {
    const performer = await sharecamPerformer(site);
    const room = await (await site.viewer()).joins(performer);
    await performer.call(endBroadcast, {});
    await site.settle();
    expect(await room.waitFor(chatUpdate, ({ status }) => status === 'offline'))
      .toMatchObject({ cam2cam: true });
  });
});

describe('when a camera can be shared', () => {
  it('in private: allowed, and online, standby or the own private show [B-274]', async () => {
    const performer = await privatePerformer(site);
    const [viewer, other] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    const found: [string, string, string][] = [];
    const look = async (name: string) =>
      found.push([
        name,
        await codeOf(viewer, performer, 'private'),
        await codeOf(other, performer, 'private'),
      ]);
    await performer.call(saveShowSettings, { sharecam: { isAllowedInPublic: true } });
    await look('online, not allowed');
    await performer.call(saveShowSettings, { sharecam: { isAllowedInPrivate: true } });
    await look('online');
    await startsPrivate(viewer, performer);
    await look('private show of the first');
    await viewer.call(endPrivate, { username: performer.username });
    await performer.call(endBroadcast, {});
    await site.settle();
    await look('offline');
    await performer.call(setStandby, { on: true });
    await site.settle();
    await look('standby');
    await performer.goesLive();
    const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
    site.engine.drop(stream ?? '', 'silent');
    await site.settle();
    await look('reconnecting');
    expect(found).toEqual([
      ['online, not allowed', 'sharecam_disabled', 'sharecam_disabled'],
      ['online', 'asked', 'asked'],
      ['private show of the first', 'asked', 'sharecam_unavailable'],
      ['offline', 'sharecam_unavailable', 'sharecam_unavailable'],
      ['standby', 'asked', 'asked'],
      ['reconnecting', 'sharecam_unavailable', 'sharecam_unavailable'],
    ]);
  });

  it('in private: not while a ticket show runs [B-274]', async () => {
    const performer = await ticketPerformer(site);
    await performer.call(saveShowSettings, { sharecam: { isAllowedInPrivate: true } });
    const holder = await site.viewer({ tokens: 500 });
    await offersTickets(performer);
    await sellsTickets(performer, holder);
    await startsTicketShow(performer);
    expect(await codeOf(holder, performer, 'private')).toBe('sharecam_unavailable');
  });

  it('in public: allowed, and a ticket show, online or standby [B-275]', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    const found: [string, string][] = [];
    const look = async (name: string) => found.push([name, await codeOf(viewer, performer, 'public')]);
    await performer.call(saveShowSettings, {
      sharecam: { isAllowedInPrivate: true, pricePerMinuteInPublicInToken: 30 },
    });
    await look('online, not allowed');
    await performer.call(saveShowSettings, { sharecam: { isAllowedInPublic: true } });
    await look('online');
    await startsPrivate(viewer, performer);
    await look('private');
    await viewer.call(endPrivate, { username: performer.username });
    await performer.call(endBroadcast, {});
    await site.settle();
    await look('offline');
    await performer.call(setStandby, { on: true });
    await site.settle();
    await look('standby');
    expect(found).toEqual([
      ['online, not allowed', 'sharecam_disabled'],
      ['online', 'asked'],
      ['private', 'sharecam_unavailable'],
      ['offline', 'sharecam_unavailable'],
      ['standby', 'asked'],
    ]);
    const ticketed = await ticketPerformer(site);
    await ticketed.call(saveShowSettings, {
      sharecam: { isAllowedInPrivate: true, isAllowedInPublic: true, pricePerMinuteInPublicInToken: 30 },
    });
    await offersTickets(ticketed);
    const holder = await site.viewer({ tokens: 500 });
    await sellsTickets(ticketed, holder);
    await startsTicketShow(ticketed);
    await site.settle();
    expect([await codeOf(holder, ticketed, 'public'), await codeOf(holder, ticketed, 'private')])
      .toEqual(['asked', 'sharecam_unavailable']);
  });
});

describe('a camera in public', () => {
  it('is asked for, accepted, seen and over: each learns of it [B-347]', async () => {
    const performer = await sharecamPerformer(site);
    const viewer = await site.viewer({ tokens: 100 });
    const [room, console] = [await viewer.joins(performer), await site.socketOf(performer)];
    const bystander = await (await site.viewer()).joins(performer);
    const names = { username: viewer.username, broadcaster: performer.username };
    const request = await viewer.call(requestSharecam, sharecamWish(performer));
    expect(request).toMatchObject({
      ...names,
      mode: 'public',
      cost_per_minute: 30,
      expires_in_seconds: 120,
      expires_at: new Date(site.clock.now().getTime() + 120_000).toISOString(),
    });
    await site.settle();
    expect(await console.waitFor(sharecamRequested)).toEqual(request);
    expect((await performer.call(getSharecams, {})).requests).toEqual([request]);
    await performer.call(acceptSharecam, { username: viewer.username });
    await site.settle();
    expect(await room.waitFor(sharecamAccepted))
      .toMatchObject({ ...names, mode: 'public', cost_per_minute: 30, is_ready: false });
    for (const socket of [room, console]) {
      expect(await socket.waitFor(cam2camStarted)).toEqual({ ...names, mode: 'public' });
    }
    const { stream } = await connectsSharecam(viewer, performer);
    expect(console.received(cam2camReady)).toEqual([]);
    await cameraPasses(site, stream, 25);
    for (const socket of [room, console]) {
      expect(await socket.waitFor(cam2camReady)).toEqual({ ...names, mode: 'public' });
    }
    expect(await room.waitFor(sharecamTick, ({ seconds }) => seconds === 25))
      .toMatchObject({ tokens: 12, seconds_left: 175, is_ready: true, is_paused: false });
    // The performer must not learn how long the viewer's tokens last.
    expect(await console.waitFor(sharecamTick, ({ seconds }) => seconds === 25))
      .toMatchObject({ tokens: 12, seconds_left: null });
    await viewer.call(endSharecam, { username: performer.username });
    expect([site.engine.streams.includes(stream), site.engine.readersOf(stream)]).toEqual([false, 0]);
    await site.settle();
    for (const socket of [room, console]) {
      expect(await socket.waitFor(cam2camEnded))
        .toEqual({ ...names, mode: 'public', reason: 'user_ended', seconds: 25, tokens: 12 });
    }
    expect([await tokensOf(viewer), await bookOf(viewer, 'held'), await bookOf(performer, 'earnings')])
      .toEqual([88, 0, 12]);
    expect(camerasOf(bystander)).toEqual([]);
  });

  it('its start and its first media reach the two, and nobody else [C-159, C-161]', async () => {
    const performer = await sharecamPerformer(site);
    const viewer = await site.viewer({ tokens: 100 });
    const both = [await viewer.joins(performer), await site.socketOf(performer)];
    const bystander = await (await site.viewer()).joins(performer);
    const said = { username: viewer.username, broadcaster: performer.username, mode: 'public' };
    await startsSharecam(viewer, performer);
    for (const socket of both) expect(await socket.waitFor(cam2camStarted)).toEqual(said);
    const { stream } = await connectsSharecam(viewer, performer);
    await site.passes(3_000);
    for (const socket of both) expect(socket.received(cam2camReady)).toEqual([]);
    await cameraPasses(site, stream, 1);
    for (const socket of both) expect(await socket.waitFor(cam2camReady)).toEqual(said);
    for (const event of [cam2camStarted, cam2camReady]) expect(bystander.received(event)).toEqual([]);
    expect([cam2camStarted.name, cam2camReady.name]).toEqual(['v3.cam2cam.start', 'v3.cam2cam.ready']);
  });

  it('in a private show says the same to the two of it, and to nobody else [C-159, C-161]', async () => {
    const performer = await privatePerformer(site);
    await performer.call(saveShowSettings, { sharecam: { isAllowedInPrivate: true } });
    const viewer = await site.viewer({ tokens: 500 });
    await startsPrivate(viewer, performer);
    const both = [await viewer.joins(performer), await site.socketOf(performer)];
    const bystander = await (await site.viewer()).joins(performer);
    const said = { username: viewer.username, broadcaster: performer.username, mode: 'private' };
    await startsSharecam(viewer, performer, 'private');
    for (const socket of both) expect(await socket.waitFor(cam2camStarted)).toEqual(said);
    const { stream } = await connectsSharecam(viewer, performer);
    await cameraPasses(site, stream, 1);
    for (const socket of both) expect(await socket.waitFor(cam2camReady)).toEqual(said);
    for (const event of [cam2camStarted, cam2camReady]) expect(bystander.received(event)).toEqual([]);
  });

  it('its end reaches the two, with the reason and what it came to [C-160]', async () => {
    const { viewer, performer, stream } = await runsSharecam(site);
    const both = [await viewer.joins(performer), await site.socketOf(performer)];
    const bystander = await (await site.viewer()).joins(performer);
    await cameraPasses(site, stream, 6);
    // The viewer's camera stops sending: nothing is charged, and after 30 s it is over.
    site.engine.drop(stream, 'silent');
    await cameraPasses(site, stream, 31);
    await site.settle();
    for (const socket of both) {
      expect(await socket.waitFor(cam2camEnded)).toEqual({
        username: viewer.username,
        broadcaster: performer.username,
        mode: 'public',
        reason: 'no_media',
        seconds: 6,
        tokens: 3,
      });
    }
    expect(bystander.received(cam2camEnded)).toEqual([]);
    expect([cam2camEnded.name, await tokensOf(viewer)]).toEqual(['v3.cam2cam.end', 997]);
  });

  it('is declined with the performer\'s display name, or expires after 120 s [B-348]', async () => {
    const performer = await sharecamPerformer(site);
    const viewer = await site.viewer({ tokens: 100 });
    const room = await viewer.joins(performer);
    const bystander = await (await site.viewer()).joins(performer);
    await performer.call(updateProfile, { display_name: 'Ivy of the Rain' });
    await viewer.call(requestSharecam, sharecamWish(performer));
    await performer.call(declineSharecam, { username: viewer.username });
    await site.settle();
    expect(await room.waitFor(sharecamDeclined)).toEqual({ model_display_name: 'Ivy of the Rain' });
    await viewer.call(requestSharecam, sharecamWish(performer));
    await site.passes(119_000);
    expect(room.received(sharecamExpired)).toEqual([]);
    await site.passes(2_000);
    await site.settle();
    expect(await room.waitFor(sharecamExpired))
      .toEqual({ username: viewer.username, broadcaster: performer.username });
    expect(await performer.refused(acceptSharecam, { username: viewer.username }))
      .toMatchObject({ errorType: 'sharecam_unknown' });
    expect([await tokensOf(viewer), camerasOf(bystander)]).toEqual([100, []]);
  });

  it('is paid by the second that reached the performer, until tokens are out', async () => {
    const { viewer, performer, stream, player } = await runsSharecam(site, { tokens: 45 });
    const console = await site.socketOf(performer);
    const at: [number, number, number][] = [];
    const look = async () =>
      at.push([await tokensOf(viewer), await bookOf(viewer, 'held'), await bookOf(performer, 'earnings')]);
    await cameraPasses(site, stream, 9);
    await look();
    await cameraPasses(site, stream, 1);
    await look();
    // The performer's network receives nothing: those seconds are free.
    site.engine.sends(player, 0);
    await cameraPasses(site, stream, 20);
    await look();
    site.engine.sends(player, 100);
    await cameraPasses(site, stream, 90);
    await site.settle();
    await look();
    expect(at).toEqual([[15, 30, 0], [15, 25, 5], [15, 25, 5], [0, 0, 45]]);
    expect(await console.waitFor(cam2camEnded))
      .toMatchObject({ reason: 'out_of_tokens', seconds: 90, tokens: 45 });
    expect(site.engine.streams).not.toContain(stream);
  });

  it('has a receipt for the two of it, and for nobody else', async () => {
    const { viewer, performer, stream, player } = await runsSharecam(site, { tokens: 500 });
    const startedAt = site.clock.now().toISOString();
    const receiptsOf = async (who: Member) => (await who.call(getSharecamReceipts, {})).receipts;
    await cameraPasses(site, stream, 10);
    site.engine.sends(player, 0);
    await cameraPasses(site, stream, 20);
    expect(await receiptsOf(viewer)).toEqual([]);
    await viewer.call(endSharecam, { username: performer.username });
    await site.settle();
    const receipt = {
      id: expect.any(Number),
      username: viewer.username,
      broadcaster: performer.username,
      cost_per_minute: 30,
      seconds: 10,
      free_seconds: { performer: 20, viewer: 0 },
      tokens: 5,
      released: 25,
      reason_ended: 'user_ended',
      started_at: startedAt,
      ended_at: site.clock.now().toISOString(),
    };
    expect(await receiptsOf(viewer)).toEqual([receipt]);
    expect(await receiptsOf(performer)).toEqual([receipt]);
    for (const other of [await site.viewer(), (await runsSharecam(site)).performer]) {
      expect(await receiptsOf(other)).toEqual([]);
    }
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(getSharecamReceipts, {})).status).toBe(401);
    const [{ id } = { id: 0 }] = await receiptsOf(viewer);
    expect(await viewer.call(getSharecamReceipts, { before: id })).toEqual({ receipts: [], next: null });
  });

  it('in private ends when cameras in private are no longer allowed [B-274]', async () => {
    for (const isAllowedInPublic of [true, false]) {
      const performer = await privatePerformer(site);
      await performer.call(saveShowSettings, { sharecam: { isAllowedInPrivate: true, isAllowedInPublic } });
      const viewer = await site.viewer({ tokens: 500 });
      await startsPrivate(viewer, performer);
      const console = await site.socketOf(performer);
      await startsSharecam(viewer, performer, 'private');
      const { stream } = await connectsSharecam(viewer, performer);
      await cameraPasses(site, stream, 2);
      expect(console.received(cam2camEnded)).toEqual([]);
      await performer.call(saveShowSettings, { sharecam: { isAllowedInPrivate: false } });
      await site.settle();
      expect((await console.waitFor(cam2camEnded)).reason).toBe('unavailable');
      expect(site.engine.streams).not.toContain(stream);
    }
  });

  it('ends at once when the performer stops it, the broadcast is over, or she hides [B-275]', async () => {
    const reasons: (string | undefined)[] = [];
    for (const end of [
      (performer: Member, viewer: Member) => performer.call(endSharecam, { username: viewer.username }),
      (performer: Member) => performer.call(endBroadcast, {}),
      (performer: Member) => performer.call(hideMe, {}),
      (performer: Member) => performer.call(saveShowSettings, { sharecam: { isAllowedInPublic: false } }),
      (performer: Member, viewer: Member) => performer.moderates('ban', viewer),
      (performer: Member, viewer: Member) => performer.moderates('kick', viewer),
    ]) {
      const { viewer, performer, stream } = await runsSharecam(site);
      // A banned viewer's room is closed before the event could reach them.
      const console = await site.socketOf(performer);
      await cameraPasses(site, stream, 2);
      await end(performer, viewer);
      await site.settle();
      expect([site.engine.streams.includes(stream), site.engine.readersOf(stream)]).toEqual([false, 0]);
      reasons.push(console.received(cam2camEnded).at(-1)?.reason);
      expect([await tokensOf(viewer), await bookOf(viewer, 'held')]).toEqual([999, 0]);
    }
    expect(reasons).toEqual([
      'model_ended',
      'unavailable',
      'closed',
      'unavailable',
      'removed',
      'removed',
    ]);
  });
});
