import { VirtualClock } from '#platform/data/clock.ts';
import type { Driver } from '#platform/data/drivers/driver.ts';
import { dataOn } from '#platform/data/open.ts';
import { openTestDriver } from '#platform/data/testing.ts';
import { logout } from '#product/accounts/contract.ts';
import { getPlayback, rotateStreamKey } from '#product/broadcast/contract.ts';
import { hlsIndex } from '#product/broadcast/contract/hls.ts';
import { whepOptions, whipEnd, whipPatch } from '#product/broadcast/contract/webrtc.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { order } from '#product/order.ts';
import { chatUpdate } from '#product/rooms/contract.ts';
import { media, playbackOf, plays, publishes } from '#product/testkit/media/media-client.ts';
import { privatePerformer, startsPrivate } from '#product/testkit/shows/private-show.ts';
import {
  cameraPasses,
  connectsSharecam,
  runsSharecam,
  sharecamPerformer,
  sharecamWish,
  startsSharecam,
} from '#product/testkit/shows/sharecam.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endPrivate } from './contract/private-running.ts';
import { saveShowSettings } from './contract/settings.ts';
import {
  acceptSharecam,
  cam2camEnded,
  checkSharecam,
  declineSharecam,
  endSharecam,
  getSharecams,
  playSharecam,
  publishSharecam,
  requestSharecam,
  withdrawSharecam,
} from './contract/sharecam.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;

/** A database that outlives the processes on it. */
async function restartable(): Promise<{ driver: Driver; restarted: () => Promise<TestSite> }> {
  const clock = new VirtualClock();
  const driver = await openTestDriver({ clock, slices: order.map(([slice]) => slice) });
  const { warn } = console;
  const restarted = () =>
    createSite({
      clock,
      data: dataOn({ ...driver, close: async () => undefined }, {
        clock,
        development: true,
        log: { warn, error: warn },
      }),
    });
  return { driver, restarted };
}
const codeOf = async (asked: Promise<{ errorType: string }>): Promise<string> => (await asked).errorType;

describe('a shared camera', () => {
  it('is published by its viewer alone, and seen by its performer alone', async () => {
    const { viewer, performer, stream, token, key } = await runsSharecam(site);
    const [other, moderator, rival] = [
      await site.viewer({ tokens: 100 }),
      await site.viewer(),
      await sharecamPerformer(site),
    ];
    await performer.moderates('moderator', moderator);
    const guest = await site.visitor({ ofAge: true });
    const admin = await site.admin();
    for (const who of [viewer, other, moderator, rival, admin, guest]) {
      expect((await plays(who, stream, token)).code).toBe('playback_token_invalid');
      expect((await plays(who, stream, null)).code).toBe('playback_token_invalid');
      expect((await media(who, hlsIndex, { stream }, { query: `?token=${token}` })).status)
        .toBeGreaterThanOrEqual(400);
    }
    // A token for another stream is not accepted, not even one for the performer's own room.
    const own = await playbackOf(performer, performer);
    expect((await plays(performer, stream, own.token)).code).toBe('playback_token_invalid');
    expect((await plays(performer, own.stream, token)).code).toBe('playback_token_invalid');
    for (const who of [performer, other, moderator, rival, admin, guest]) {
      expect((await publishes(who, key)).code).toBe('stream_key_invalid');
    }
    // Nobody else is given a token or a key.
    for (const who of [other, moderator, rival, admin]) {
      for (const name of [viewer.username, performer.username]) {
        expect(await codeOf(who.refused(publishSharecam, { username: name }))).toBe('sharecam_unknown');
        expect(['sharecam_unknown', 'not_allowed', 'performers_only', 'forbidden'])
          .toContain(await codeOf(who.refused(playSharecam, { username: name })));
        expect(await codeOf(who.refused(endSharecam, { username: name }))).toBe('sharecam_unknown');
      }
    }
    expect(await codeOf(performer.refused(publishSharecam, { username: viewer.username })))
      .toBe('sharecam_unknown');
    expect(site.engine.readersOf(stream)).toBe(1);
    expect((await performer.call(getSharecams, {})).running).toHaveLength(1);
    expect((await rival.call(getSharecams, {})).running).toEqual([]);
  });

  it('is in no listing, update, thumbnail, playlist or recording of the room', async () => {
    const { viewer, performer, stream } = await runsSharecam(site);
    const room = await (await site.viewer()).joins(performer);
    await cameraPasses(site, stream, 12);
    await site.settle();
    expect((await playbackOf(await site.viewer(), performer)).stream).not.toBe(stream);
    expect(room.received(chatUpdate).map(({ stream_name: name }) => name)).not.toContain(stream);
    expect(await codeOf(viewer.refused(getPlayback, { username: viewer.username }))).toBe('stream_offline');
    expect(site.outputs.watched).not.toContain(stream);
  });

  it('is over for its key and its token when it is over', async () => {
    const { viewer, performer, stream, token, key } = await runsSharecam(site);
    await performer.call(endSharecam, { username: viewer.username });
    expect((await publishes(viewer, key)).code).toBe('stream_key_invalid');
    expect((await plays(performer, stream, token)).code).toBe('playback_token_invalid');
    for (const [who, name] of [[viewer, performer], [performer, viewer]] as const) {
      expect(await codeOf(who.refused(endSharecam, { username: name.username }))).toBe('sharecam_unknown');
    }
    expect(await codeOf(viewer.refused(publishSharecam, { username: performer.username })))
      .toBe('sharecam_unknown');
    expect(await codeOf(performer.refused(playSharecam, { username: viewer.username })))
      .toBe('sharecam_unknown');
  });

  it('is cut when it sends more than a camera may, and when its viewer logs out', async () => {
    const wide = await runsSharecam(site);
    for (let second = 0; second < 6; second += 1) {
      site.engine.measure(wide.stream, { videoBitsPerSecond: 1_500_000 });
    }
    await site.settle();
    expect(site.engine.streams).not.toContain(wide.stream);
    const left = await runsSharecam(site);
    const console = await site.socketOf(left.performer);
    await left.viewer.call(logout, {});
    await site.settle();
    expect(site.engine.streams).not.toContain(left.stream);
    expect(await console.waitFor(cam2camEnded)).toMatchObject({ reason: 'closed' });
  });

  it('may be patched and stopped with its key alone', async () => {
    const { viewer, performer, stream, key } = await runsSharecam(site);
    const again = await publishes(viewer, key);
    site.engine.arriveAt(stream);
    const body = 'a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\n';
    const patch = (who: Member, bearer: string) =>
      media(who, whipPatch, { session: again.session, body }, {
        bearer,
        headers: { 'if-match': '*' },
      });
    expect((await patch(viewer, key)).status).toBe(204);
    const ownKey = (await performer.call(rotateStreamKey, {})).stream_key;
    expect((await patch(performer, ownKey)).code).toBe('session_unknown');
    expect((await patch(performer, key)).code).toBe('stream_key_invalid');
    expect((await media(performer, whipEnd, { session: again.session }, { bearer: ownKey })).code)
      .toBe('session_unknown');
    expect((await media(viewer, whipEnd, { session: again.session }, { bearer: key })).status).toBe(200);
    expect(site.engine.streams).not.toContain(stream);
    expect((await media(performer, whepOptions, { stream, body: '' }, { bearer: key })).headers['link'])
      .toBeUndefined();
  });

  it('ends with a restart of the site, and what was set aside comes back', async () => {
    const { driver, restarted } = await restartable();
    const before = await restarted();
    const { viewer, performer, stream } = await runsSharecam(before, { tokens: 100 });
    await cameraPasses(before, stream, 13);
    expect(await tokensOf(viewer)).toBe(70);
    await before.close();
    const after = await restarted();
    await after.settle();
    const [again, she] = [await after.memberOf(viewer.username), await after.memberOf(performer.username)];
    expect([await tokensOf(again), await bookOf(after, again, 'held')]).toEqual([95, 0]);
    expect((await she.call(getSharecams, {})).running).toEqual([]);
    expect(await codeOf(again.refused(publishSharecam, { username: performer.username })))
      .toBe('sharecam_unknown');
    await after.close();
    await driver.close();
  });
});

describe('asking for it', () => {
  it('is for members whom the room lets in, adults, and once at a time', async () => {
    const performer = await sharecamPerformer(site);
    const guest = await site.visitor({ ofAge: true });
    for (const one of [requestSharecam, publishSharecam, endSharecam, withdrawSharecam] as const) {
      const { status } = await guest.refused(one, sharecamWish(performer));
      expect(status).toBe(401);
    }
    const viewer = await site.viewer({ tokens: 100 });
    const ask = (who: Member, more: object = {}): Promise<string> =>
      codeOf(who.refused(requestSharecam, { ...sharecamWish(performer), ...more }));
    expect(await ask(viewer, { adult: false })).toBe('adult_unconfirmed');
    expect(await ask(viewer, { price: 1 })).toBe('sharecam_price_differs');
    expect(await ask(await site.viewer({ tokens: 29 }))).toBe('not_enough_tokens');
    expect(await ask(performer)).toBe('own_sharecam');
    const pending = await site.viewer({ tokens: 100 });
    await site.tx((tx) => site.services.compliance.enrol(tx, pending.id));
    expect(await ask(pending)).toBe('adult_pending');
    const banned = await site.viewer({ tokens: 100 });
    await performer.moderates('ban', banned);
    expect(await ask(banned)).toBe('room_banned');
    expect(await ask(await site.viewer({ tokens: 100, region: 'DK' }))).toBe('room_forbidden');
    await viewer.call(requestSharecam, sharecamWish(performer));
    expect(await ask(viewer)).toBe('sharecam_open');
    const elsewhere = await sharecamPerformer(site);
    expect(await codeOf(viewer.refused(requestSharecam, sharecamWish(elsewhere)))).toBe('sharecam_open');
    expect((await viewer.call(checkSharecam, { username: elsewhere.username })).elsewhere)
      .toBe(performer.username);
    // Only the performer who was asked can respond.
    for (const answer of [acceptSharecam, declineSharecam]) {
      expect(await codeOf(elsewhere.refused(answer, { username: viewer.username }))).toBe('sharecam_unknown');
      expect((await viewer.refused(answer, { username: viewer.username })).status).toBe(403);
    }
  });

  it('a performer sees six cameras in public, and takes no seventh', async () => {
    const performer = await sharecamPerformer(site);
    for (let at = 0; at < 6; at += 1) {
      await startsSharecam(await site.viewer({ tokens: 100 }), performer);
    }
    const seventh = await site.viewer({ tokens: 100 });
    await seventh.call(requestSharecam, sharecamWish(performer));
    expect(await codeOf(performer.refused(acceptSharecam, { username: seventh.username })))
      .toBe('sharecam_full');
    expect((await performer.call(getSharecams, {})).running).toHaveLength(6);
  });
});

describe('a camera in a private show', () => {
  it('is accepted in that show alone, costs nothing, and is over with it', async () => {
    const performer = await privatePerformer(site);
    await performer.call(saveShowSettings, { sharecam: { isAllowedInPrivate: true } });
    const viewer = await site.viewer({ tokens: 100 });
    const console = await site.socketOf(performer);
    await viewer.call(requestSharecam, sharecamWish(performer, 'private'));
    expect(await codeOf(performer.refused(acceptSharecam, { username: viewer.username })))
      .toBe('sharecam_unavailable');
    await startsPrivate(viewer, performer);
    await performer.call(acceptSharecam, { username: viewer.username });
    const { stream } = await connectsSharecam(viewer, performer);
    const before = (await viewer.call(getBalance, {})).tokens;
    await cameraPasses(site, stream, 20);
    expect((await viewer.call(getBalance, {})).tokens).toBe(before);
    expect((await performer.call(getSharecams, {})).running)
      .toMatchObject([{ seconds: 20, tokens: 0, mode: 'private', seconds_left: null }]);
    await viewer.call(endPrivate, { username: performer.username });
    await site.settle();
    expect(await console.waitFor(cam2camEnded))
      .toMatchObject({ mode: 'private', reason: 'unavailable', seconds: 20, tokens: 0 });
    expect(site.engine.streams).not.toContain(stream);
  });

  it('cameras of the public room are over when a private show begins [B-275]', async () => {
    const performer = await privatePerformer(site);
    await performer.call(saveShowSettings, {
      sharecam: { isAllowedInPublic: true, pricePerMinuteInPublicInToken: 30 },
    });
    const [first, second] = [await site.viewer({ tokens: 100 }), await site.viewer({ tokens: 100 })];
    await startsSharecam(first, performer);
    const { stream } = await connectsSharecam(first, performer);
    await cameraPasses(site, stream, 4);
    await startsPrivate(second, performer);
    await site.settle();
    expect(site.engine.streams).not.toContain(stream);
    expect((await first.call(getBalance, {})).tokens).toBe(98);
  });
});
