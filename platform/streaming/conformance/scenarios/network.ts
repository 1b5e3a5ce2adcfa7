import assert from 'node:assert/strict';
import { LossyWire } from '../network/lossy-wire.ts';
import type { Scenario } from '../world.ts';

/** 5% loss and 50 ms of jitter between publisher and relay, and between relay and viewer. */
const BAD_NETWORK = { lossFraction: 0.05, jitterMs: 50 };
/** About ten seconds of the stream. */
const WATCHED_PACKETS = 600;
/** Packets that may still be in flight when the counts are read. */
const UNDER_WAY = 12;

/** Bad networks. */
export const networkScenarios: readonly Scenario[] = [
  {
    title: 'packets lost on either side are asked for and come again',
    run: async (world) => {
      const peers = world.peers();
      const lossy = { loseEvery: 15, videoBitsPerSecond: 1_000_000 };
      const publisher = await world.publish(peers, 'one', 'anna', lossy);
      const reader = await world.play(peers, 'one', 10);
      const view = await reader.seen.until('recovered', (seen) => seen.recovered > 20 && seen.missing < 10);
      assert.equal(view.timeWentBack, 0);
      await publisher.seen.until('asked', (seen) => seen.nacked > 5);
      await world.reports.next('health', (report) => report.health.lossFraction > 0.01);
    },
  },
  {
    title: 'a stream is watched through 5% loss and 50 ms of jitter on the wire, both ways and on both sides',
    run: async (world) => {
      const peers = world.peers();
      const up = await LossyWire.open({ ...BAD_NETWORK, seed: 1 });
      const down = await LossyWire.open({ ...BAD_NETWORK, seed: 2 });
      try {
        const publisher = await peers.publisher({ videoBitsPerSecond: 600_000, keyframeEveryMs: 2_000 });
        const session = await publisher.accept(
          up.through(await world.engine.publish('one', publisher.offer, { owner: 'anna' })),
        );
        await world.reports.next('up', (report) => report.session === session);
        const reader = await peers.reader();
        await reader.accept(down.through(await world.admit('one', reader.offer)));
        const view = await reader.seen.until(
          'ten seconds, and nearly all of them',
          (seen) =>
            seen.videoPackets > WATCHED_PACKETS && seen.holes <= UNDER_WAY && seen.missing <= UNDER_WAY,
        );
        // The very first packet may be lost by chance: what matters is a keyframe after it.
        assert.deepEqual([view.timeWentBack, view.jumps], [0, 0]);
        assert.ok(view.keyframes > 0);
        assert.ok(view.recovered > WATCHED_PACKETS * 0.05, `${view.recovered} recovered`);
        assert.ok(up.lost > 20 && down.lost > 20, `${up.lost} and ${down.lost} lost`);
        await publisher.seen.until('asked for what was lost', (seen) => seen.nacked > 10);
        assert.ok(!world.reports.all.some((item) => item.kind === 'down' || item.kind === 'reader_gone'));
      } finally {
        up.close();
        down.close();
      }
    },
  },
];
