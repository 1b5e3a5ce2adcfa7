import assert from 'node:assert/strict';
import { KEYFRAME_SPACING_MS } from '../../limits.ts';
import { assertRefused, assertWatchable, isCut, plays, playsOn, type Scenario } from '../world.ts';
import { replacesOnlyPaused } from './pauses.ts';

/** Publishing, joining, leaving, publishing again. */
export const publishingScenarios: readonly Scenario[] = [
  {
    title: 'a published stream reaches a reader, picture and sound [A-014] [A-007]',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one');
      const reader = await world.play(peers, 'one');
      const view = await plays(reader);
      assertWatchable(view);
      await reader.seen.until('sender reports', (seen) => seen.senderReports > 0);
    },
  },
  {
    title: 'health is reported each second with rates and viewers',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one', 'anna', { keyframeEveryMs: 500 });
      await world.play(peers, 'one');
      const { health } = await world.reports.next(
        'health',
        (report) =>
          report.health.viewers === 1 && report.health.framesPerSecond > 20
          && report.health.keyframeIntervalMs !== null,
      );
      assert.equal(health.codec, 'H264');
      assert.ok(health.videoBitsPerSecond > 200_000 && health.videoBitsPerSecond < 1_500_000);
      assert.ok(health.audioBitsPerSecond > 10_000);
    },
  },
  {
    title: 'a reader who joins in mid-stream begins at a keyframe without waiting for the next one',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      await plays(await world.play(peers, 'one'));
      const late = await world.play(peers, 'one');
      assertWatchable(await plays(late));
      assert.equal((await publisher.seen.until('seen', () => true)).state, 'connected');
    },
  },
  {
    title: 'one reader leaves and the others see no change',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one');
      const [leaves, stays] = [await world.play(peers, 'one'), await world.play(peers, 'one')];
      await plays(leaves);
      const before = await plays(stays);
      assert.equal(await world.engine.end(leaves.session()), true);
      await world.reports.next('reader_gone', (report) => report.session === leaves.session());
      await isCut(leaves);
      const after = await stays.seen.until('more', (view) => view.videoPackets > before.videoPackets + 30);
      assertWatchable(after);
      assert.equal(await world.engine.end(leaves.session()), false);
    },
  },
  {
    title: 'a reader that cannot decode gets a keyframe, and requests are spaced',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      const reader = await world.play(peers, 'one');
      const before = await plays(reader);
      const asked = await publisher.seen.until('seen', () => true);
      const askedAtMs = performance.now();
      for (let i = 0; i < 50; i++) await reader.do('keyframe');
      await playsOn(reader, before);
      const after = await publisher.seen.until('seen', () => true);
      const mostRequests = 1 + (performance.now() - askedAtMs) / KEYFRAME_SPACING_MS;
      const requests = after.keyframeRequests - asked.keyframeRequests;
      assert.ok(requests > 0 && requests <= mostRequests, `${requests} of ${mostRequests} requests`);
    },
  },
  {
    title: 'readers stay through the end of a publish session and go on with the next',
    run: async (world) => {
      const peers = world.peers();
      const first = await world.publish(peers, 'one');
      const reader = await world.play(peers, 'one');
      const before = await plays(reader);
      assert.equal(await world.engine.end(first.session()), true);
      const down = await world.reports.next('down');
      assert.deepEqual([down.session, down.reason], [first.session(), 'ended']);
      await assertRefused(world.engine.play('one', reader.offer), 'stream_offline');
      await world.publish(peers, 'one');
      assertWatchable(await playsOn(reader, before));
      assert.ok(!world.reports.all.some((report) => report.kind === 'reader_gone'));
    },
  },
  {
    title: 'the same owner replaces a live publisher',
    run: async (world) => {
      const peers = world.peers();
      const first = await world.publish(peers, 'one');
      const reader = await world.play(peers, 'one');
      const before = await plays(reader);
      await world.publish(peers, 'one');
      const down = await world.reports.next('down');
      assert.deepEqual([down.session, down.reason], [first.session(), 'replaced']);
      assert.equal(down.wasSending, true);
      assertWatchable(await playsOn(reader, before));
    },
  },
  {
    title: 'an owner who replaces paused publishers alone is refused until the media has paused',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      const { offer } = await peers.publisher();
      await replacesOnlyPaused({
        engine: world.engine,
        sends: async () => publisher.session(),
        asks: async () =>
          (await world.engine.publish('one', offer, { owner: 'anna', onlyPaused: true })).session,
        pauses: async () => {
          await publisher.do('silence');
          await world.sendsNothing('one');
        },
      });
    },
  },
  {
    title: 'another owner is refused while the publisher is alive, which goes on undisturbed',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one', 'anna');
      const reader = await world.play(peers, 'one');
      const before = await plays(reader);
      const intruder = await peers.publisher();
      await assertRefused(world.engine.publish('one', intruder.offer, { owner: 'berta' }), 'stream_taken');
      await reader.seen.until('more', (view) => view.videoPackets > before.videoPackets + 30);
      assert.ok(!world.reports.all.some((report) => report.kind === 'down'));
    },
  },
  {
    title: 'a publisher may send more than it sends, and one that sends little is not let up to the most',
    run: async (world) => {
      const peers = world.peers();
      const sharp = await world.publish(peers, 'sharp', 'anna', { videoBitsPerSecond: 6_000_000 });
      await sharp.seen.until(
        'may send more',
        ({ allowedBitsPerSecond: allowed }) => allowed !== null && allowed > 6_000_000,
      );
      await sharp.do('close');
      // Far below the limit everybody begins with, so that no late burst of a busy machine raises it.
      const plain = await world.publish(peers, 'plain', 'berta', { videoBitsPerSecond: 500_000 });
      for (let reports = 0; reports < 3; reports += 1) {
        await world.reports.fresh('health', ({ health }) =>
          health.stream === 'plain'
          && health.videoBitsPerSecond > 250_000);
      }
      const { allowedBitsPerSecond: allowed } = await plain.seen.until(
        'is allowed some',
        (view) => view.allowedBitsPerSecond !== null,
      );
      assert.ok(allowed! >= 2_500_000 && allowed! <= 3_500_000, `${allowed} bits per second`);
    },
  },
];
