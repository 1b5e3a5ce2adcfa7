import { getPlayback } from '#product/broadcast/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { chatUpdate, getRoom } from '#product/rooms/contract.ts';
import { playbackOf, plays } from '#product/testkit/media/media-client.ts';
import {
  lastPrivateReceipt,
  mediaPasses,
  privatePerformer,
  runsPrivate,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf as inBook, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateEnded, privateFailed } from './contract.ts';
import { endPrivate, privatePing } from './contract/private-running.ts';
import { checkPrivate } from './contract/private-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const bookOf = (member: Member, book: 'earnings' | 'held'): Promise<number> => inBook(site, member, book);

describe('a show without a picture', () => {
  it('is over after 30 seconds and everything comes back [C-326]', async () => {
    const performer = await privatePerformer(site, { isPreTipEnabled: true, preTipCost: 20 });
    const viewer = await site.viewer({ tokens: 100 });
    const room = await viewer.joins(performer);
    await startsPrivate(viewer, performer, { pre_tip: 20 });
    expect(await tokensOf(viewer)).toBe(50);
    await mediaPasses(site, performer, 29);
    expect(await tokensOf(viewer)).toBe(50);
    await mediaPasses(site, performer, 2);
    expect(privateFailed.name).toBe('v3.private.request_failed');
    expect(await room.waitFor(privateFailed)).toEqual({
      errorType: 'private_no_picture',
      error: 'The show didn’t start because no video arrived. Your tokens are back.',
    });
    expect(await room.waitFor(privateEnded)).toMatchObject({ reason_ended: 'user_left' });
    expect([await tokensOf(viewer), await bookOf(performer, 'earnings')]).toEqual([100, 0]);
    expect(await lastPrivateReceipt(viewer)).toMatchObject({
      seconds: 0,
      tokens: 0,
      pre_tip: 0,
      released: 50,
      started_at: null,
    });
    await startsPrivate(viewer, performer, { pre_tip: 20 });
    await site.passes(31_000);
    expect(await lastPrivateReceipt(viewer)).toMatchObject({
      reason_ended: 'unpublish',
      seconds: 0,
      tokens: 0,
    });
    expect(room.received(privateFailed)).toHaveLength(2);
  });

  it('that one of the two ends is over, and did not fail', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 100 });
    const room = await viewer.joins(performer);
    for (const [reason, who, other] of [
      ['user_ended', viewer, performer],
      ['model_ended', performer, viewer],
    ] as const) {
      await startsPrivate(viewer, performer);
      await who.call(endPrivate, { username: other.username });
      await site.settle();
      await room.waitFor(privateEnded, ({ reason_ended: ended }) => ended === reason);
    }
    expect(room.received(privateFailed)).toEqual([]);
    expect(await tokensOf(viewer)).toBe(100);
  });

  it('counts nothing while the relay sends the viewer nothing, or the performer sends nothing', async () => {
    const { viewer, performer, session } = await runsPrivate(site);
    await mediaPasses(site, performer, 10);
    site.engine.sends(session, 0);
    await mediaPasses(site, performer, 12);
    site.engine.sends(session, 200);
    await mediaPasses(site, performer, 10);
    for (let second = 0; second < 7; second += 1) await site.passes(1_000);
    await mediaPasses(site, performer, 10);
    expect(await viewer.call(endPrivate, { username: performer.username })).toMatchObject({
      seconds: 30,
      tokens: 15,
      free_seconds: { performer: 7, viewer: 12 },
      reason_ended: 'user_ended',
    });
  });

  it('gives a client nothing for pings and calls [C-152, C-352]', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 100 });
    const outsider = await site.viewer();
    const [room, console, other] = [
      await viewer.joins(performer),
      await performer.joins(performer),
      await outsider.joins(performer),
    ];
    await startsPrivate(viewer, performer);
    expect(privatePing.name).toBe('v3.private.ping');
    for (let second = 0; second < 25; second += 1) {
      room.send(privatePing, { from: performer.username });
      await viewer.call(checkPrivate, { username: performer.username });
      await mediaPasses(site, performer, 1);
    }
    other.send(privatePing, { from: viewer.username });
    // The server sets the sender's name: a page cannot.
    expect(await console.waitFor(privatePing)).toEqual({ from: viewer.username });
    console.send(privatePing, { from: 'x' });
    expect(await room.waitFor(privatePing)).toEqual({ from: performer.username });
    await site.says(other, 'a line after the ping');
    expect(console.received(privatePing).every(({ from }) => from === viewer.username)).toBe(true);
    expect(other.received(privatePing)).toEqual([]);
    expect((await viewer.call(checkPrivate, { username: performer.username })).running)
      .toMatchObject({ phase: 'starting', privateStreamTimeInSecond: 0 });
    await mediaPasses(site, performer, 6);
    expect(await tokensOf(viewer)).toBe(100);
  });
});

describe('the picture of a private show', () => {
  it('is for the two alone, and public again after it', async () => {
    const performer = await privatePerformer(site);
    const [viewer, outsider, admin] = [
      await site.viewer({ tokens: 100 }),
      await site.viewer(),
      await site.admin(),
    ];
    const socket = await outsider.joins(performer);
    const before = await playbackOf(outsider, performer);
    await plays(outsider, before.stream, before.token);
    await startsPrivate(viewer, performer);
    expect(site.engine.readersOf(before.stream)).toBe(0);
    expect(await socket.waitFor(chatUpdate, ({ status }) => status === 'private'))
      .toMatchObject({ stream_name: null, private_exclusive: false });
    const { username } = performer;
    for (const other of [outsider, admin]) {
      expect((await other.refused(getPlayback, { username })).errorType).toBe('stream_offline');
      const room = await other.call(getRoom, { username });
      expect(room).toMatchObject({
        chat: { mode: 'public' },
        streamStatus: 'private',
        privateUsername: null,
        privateStats: null,
      });
    }
    const own = await playbackOf(viewer, performer);
    expect((await plays(outsider, own.stream, own.token)).code).toBe('playback_token_invalid');
    expect(await viewer.call(getRoom, { username })).toMatchObject({
      chat: { status: 'private', mode: 'private' },
      streamStatus: 'online',
      privateUsername: viewer.username,
      privateRunningPricePerMinuteInToken: 30,
    });
    await watches(viewer, performer);
    await viewer.call(endPrivate, { username });
    expect(site.engine.readersOf(own.stream)).toBe(0);
    await site.settle();
    expect((await plays(viewer, own.stream, own.token)).code).toBe('stream_offline');
    await watches(outsider, performer);
  });

  it.each(['ban', 'kick'] as const)('is cut from a viewer by a %s, and the show is over', async (out) => {
    const { viewer, performer } = await runsPrivate(site);
    const { stream, token } = await playbackOf(viewer, performer);
    await mediaPasses(site, performer, 4);
    await performer.moderates(out, viewer);
    await site.settle();
    expect(site.engine.readersOf(stream)).toBe(0);
    expect((await plays(viewer, stream, token)).status).toBeGreaterThanOrEqual(400);
    expect(await lastPrivateReceipt(viewer)).toMatchObject({
      reason_ended: 'model_ended',
      seconds: 4,
      tokens: 2,
    });
  });
});

it('leaves no fault in the ledger, and logs no errors', async () => {
  expect(await faultsOf(site)).toEqual([]);
  expect(site.log).toEqual([]);
});
