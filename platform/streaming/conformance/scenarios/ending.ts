import assert from 'node:assert/strict';
import { assertRefused, assertWatchable, isCut, plays, playsOn, type Scenario } from '../world.ts';

/** How sessions end: cut, silent, abruptly, or some time after their publisher left. */
export const endingScenarios: readonly Scenario[] = [
  {
    title: 'stop cuts the publisher and every reader',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      const readers = [await world.play(peers, 'one'), await world.play(peers, 'one')];
      for (const reader of readers) await plays(reader);
      await world.engine.stop('one');
      const down = await world.reports.next('down', (report) => report.session === publisher.session());
      assert.equal(down.reason, 'stopped');
      for (const reader of readers) {
        await world.reports.next('reader_gone', (report) => report.session === reader.session());
        await isCut(reader);
      }
      await publisher.seen.until('the publisher is cut', (view) => view.ended || view.state === 'closed');
      await assertRefused(world.engine.play('one', readers[0]!.offer), 'stream_offline');
      const counts = readers.map((reader) => reader.seen.value?.videoPackets);
      await world.publish(peers, 'one');
      await plays(await world.play(peers, 'one'));
      assert.deepEqual(readers.map((reader) => reader.seen.value?.videoPackets), counts);
    },
  },
  {
    title: 'a publisher that dies without a word is down as silent, and its readers recover with the next',
    run: async (world) => {
      const [dying, peers] = [world.peers(), world.peers()];
      const publisher = await world.publish(dying, 'one');
      const reader = await world.play(peers, 'one');
      const before = await plays(reader);
      await dying.kill();
      const down = await world.reports.next('down');
      assert.deepEqual([down.session, down.reason], [publisher.session(), 'silent']);
      await world.publish(peers, 'one', 'berta');
      assertWatchable(await playsOn(reader, before));
    },
  },
  {
    title: 'a publisher that stops sending is down as silent though its transport lives',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      await publisher.do('silence');
      const down = await world.reports.next('down');
      assert.deepEqual([down.session, down.reason], [publisher.session(), 'silent']);
    },
  },
  {
    title: 'a reader that dies without a word is reported gone',
    run: async (world) => {
      const [dying, peers] = [world.peers(), world.peers()];
      await world.publish(peers, 'one');
      const reader = await world.play(dying, 'one');
      // A viewer reports each second. One that never does ends with its transport, after half a minute.
      await reader.seen.until('it has reported', (view) => view.audioPackets > 120);
      await dying.kill();
      await world.reports.next('reader_gone', (report) => report.session === reader.session());
    },
  },
  {
    title: 'readers of a publisher that stays away are let go after the grace',
    requires: { graceMs: 1_000 },
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      const reader = await world.play(peers, 'one');
      await plays(reader);
      await world.engine.end(publisher.session());
      await world.reports.next('reader_gone', (report) => report.session === reader.session());
      await isCut(reader);
    },
  },
];
