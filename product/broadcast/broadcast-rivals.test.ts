import type { RtmpAdmission } from '#platform/streaming/rtmp/ingest.ts';
import { playbackOf, publishes } from '#product/testkit/media/media-client.ts';
import { sessionOf } from '#product/testkit/media/rtmp.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  broadcastHealth,
  endBroadcast,
  getOwnBroadcast,
  makeBrowserKey,
  rotateStreamKey,
} from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const keyOf = async (performer: Member): Promise<string> =>
  (await performer.call(rotateStreamKey, {})).stream_key;

describe('two encoders on one key', () => {
  it.each([['rtmp', '192.0.2.1', '192.0.2.2'], ['rtmp', '192.0.2.1', '192.0.2.1']] as const)(
    'do not throw each other out for ever: the newer stays, over %s from %s and %s',
    async (_by, a, b) => {
      const performer = await site.performer();
      const key = await keyOf(performer);
      const tab = await site.socketOf(performer);
      const tries = (address: string): Promise<RtmpAdmission> => site.rtmp.publishes(key, { address });
      expect((await tries(a)).admitted).toBe(true);
      site.engine.arrive();
      const newest = sessionOf(await tries(b));
      site.engine.arrive();
      await site.settle();
      const { stream } = await playbackOf(performer, performer);
      // OBS retries at growing intervals, up to 15 minutes.
      for (const waitMs of [2_000, 60_000, 5 * 60_000, 15 * 60_000, 15 * 60_000]) {
        await site.passes(waitMs);
        expect(await tries(a)).toMatchObject({ admitted: false, reason: /has taken over/ });
        site.engine.measure(stream);
      }
      expect((await tab.waitFor(broadcastHealth, ({ advice }) => advice.length > 0)).advice)
        .toEqual(['second_encoder']);
      await site.passes(60_000);
      site.engine.measure(stream);
      const { health } = await performer.call(getOwnBroadcast, {});
      expect(health?.advice).toEqual([]);
      expect(site.engine.streams).toContain(stream);
      // When the newer one is gone, for any reason, the other may publish again.
      site.engine.drop(stream, 'silent');
      await site.settle();
      expect(sessionOf(await tries(a))).not.toBe(newest);
    },
  );

  it(
    'are refused for a while, and no longer: after twenty minutes without a try the older one may come',
    async () => {
      const performer = await site.performer();
      const key = await keyOf(performer);
      const tries = (address: string): Promise<RtmpAdmission> => site.rtmp.publishes(key, { address });
      const [a, b] = ['192.0.2.1', '192.0.2.2'];
      const refused = { admitted: false, reason: /has taken over/ };
      expect((await tries(a)).admitted).toBe(true);
      site.engine.arrive();
      const newer = sessionOf(await tries(b));
      site.engine.arrive();
      await site.settle();
      // Each try restarts the period.
      for (const waitMs of [2_000, 15 * 60_000, 20 * 60_000 - 1]) {
        await site.passes(waitMs);
        expect(await tries(a)).toMatchObject(refused);
        site.engine.measure((await playbackOf(performer, performer)).stream);
      }
      await site.passes(20 * 60_000);
      const older = sessionOf(await tries(a));
      expect(older).not.toBe(newer);
      site.engine.arrive();
      await site.settle();
      const { stream } = await playbackOf(performer, performer);
      // Now the other encoder is the older one, and is refused in its turn.
      expect(await tries(b)).toMatchObject(refused);
      await site.passes(60_000);
      expect(await tries(b)).toMatchObject(refused);
      expect((await playbackOf(performer, performer)).stream).toBe(stream);
      expect(site.engine.streams).toContain(stream);
    },
  );

  it('of one network do not keep out the one whose line broke, nor take it for a rival', async () => {
    const performer = await site.performer();
    const key = await keyOf(performer);
    const tries = (): Promise<RtmpAdmission> => site.rtmp.publishes(key, { address: '192.0.2.1' });
    expect((await tries()).admitted).toBe(true);
    site.engine.arrive();
    let newest = sessionOf(await tries());
    // The newer one is still connecting, and must not be replaced meanwhile.
    expect((await tries()).admitted).toBe(false);
    for (let round = 0; round < 3; round += 1) {
      site.engine.arrive();
      await site.settle();
      const { stream } = await playbackOf(performer, performer);
      // The older one tries while the newer one sends video, and stays out.
      expect(await tries()).toMatchObject({ admitted: false, reason: /has taken over/ });
      await site.passes(61_000);
      site.engine.pause(stream);
      const before = newest;
      newest = sessionOf(await tries());
      expect(newest).not.toBe(before);
      site.engine.arrive();
      site.engine.measure(stream);
      expect((await performer.call(getOwnBroadcast, {})).health?.advice).toEqual([]);
    }
  });

  it(
    'of two networks: the older one waits until the newer one is gone, also while its line is broken',
    async () => {
      const performer = await site.performer();
      const key = await keyOf(performer);
      const tries = (address: string): Promise<RtmpAdmission> => site.rtmp.publishes(key, { address });
      for (const address of ['192.0.2.1', '192.0.2.2']) {
        expect((await tries(address)).admitted).toBe(true);
        site.engine.arrive();
      }
      await site.settle();
      const { stream } = await playbackOf(performer, performer);
      site.engine.pause(stream);
      expect((await tries('192.0.2.1')).admitted).toBe(false);
      expect((await tries('192.0.2.2')).admitted).toBe(true);
    },
  );

  it.each(['never sends', 'loses its line'] as const)(
    'are not what one is that %s and comes again, as often as it must',
    async (how) => {
      const performer = await site.performer();
      const key = await keyOf(performer);
      for (let round = 0; round < 4; round += 1) {
        expect((await site.rtmp.publishes(key, { address: '192.0.2.1' })).admitted).toBe(true);
        if (how === 'never sends') continue;
        site.engine.arrive();
        await site.settle();
        site.engine.pause((await playbackOf(performer, performer)).stream);
      }
      site.engine.arrive();
      await site.settle();
      const { stream } = await playbackOf(performer, performer);
      site.engine.measure(stream);
      expect((await performer.call(getOwnBroadcast, {})).health?.advice).toEqual([]);
    },
  );

  it('are refused over WHIP with a reason, and so is a page; a new start is the newest', async () => {
    const performer = await site.performer();
    const key = await keyOf(performer);
    const pageKey = async (): Promise<string> => (await performer.call(makeBrowserKey, {})).stream_key;
    const page = await pageKey();
    const encoder = await site.visitor({ opened: false });
    const replaced = { status: 409, code: 'publisher_replaced' };
    expect((await publishes(performer, page)).status).toBe(201);
    site.engine.arrive();
    // A page whose connection broke may replace itself any number of times.
    for (let round = 0; round < 3; round += 1) expect((await publishes(performer, page)).status).toBe(201);
    site.engine.arrive();
    expect((await publishes(encoder, key)).status).toBe(201);
    expect(await publishes(performer, page)).toMatchObject(replaced);
    site.engine.arrive();
    expect((await publishes(performer, await pageKey())).status).toBe(201);
    expect(await publishes(encoder, key)).toMatchObject(replaced);
    // Nor does the encoder begin another broadcast once the performer has ended this one.
    site.engine.arrive();
    await site.settle();
    await performer.call(endBroadcast, {});
    await site.settle();
    expect(await publishes(encoder, key)).toMatchObject({ status: 409, code: 'encoder_ended' });
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
