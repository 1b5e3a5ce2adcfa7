import assert from 'node:assert/strict';
import type { PeerHandle } from '../processes/peers.ts';
import type { ReaderView } from '../test-reader.ts';
import {
  assertRefused,
  assertWatchable,
  isCut,
  plays,
  playsOn,
  type Scenario,
  type World,
} from '../world.ts';

async function movesAway(
  world: World,
  readers: readonly PeerHandle<ReaderView>[],
  from: string,
  to: string,
): Promise<readonly ReaderView[]> {
  await world.engine.move(from, to);
  return Promise.all(readers.map(isCut));
}

/** A publisher gets another stream name while it sends. */
export const moveScenarios: readonly Scenario[] = [
  {
    title: 'a moved publisher goes on under its new name; readers of the old one get nothing more',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'open');
      const readers = [await world.play(peers, 'open'), await world.play(peers, 'open')];
      for (const reader of readers) await plays(reader);
      const cut = await movesAway(world, readers, 'open', 'closed');
      for (const reader of readers) {
        const gone = await world.reports.next('reader_gone', (report) => report.session === reader.session());
        assert.equal(gone.stream, 'open');
      }
      await assertRefused(world.engine.play('open', readers[0]!.offer), 'stream_offline');
      const inside = await world.play(peers, 'closed');
      assertWatchable(await plays(inside));
      await inside.seen.until('two seconds', (view) => view.videoPackets > 120);
      const counts = readers.map((handle) => handle.seen.value!.videoPackets);
      assert.deepEqual(counts, cut.map((item) => item.videoPackets));
      const { health } = await world.reports.next(
        'health',
        (report) => report.health.stream === 'closed' && report.health.viewers === 1,
      );
      assert.equal(health.session, publisher.session());
      assert.ok(!world.reports.all.some((report) => report.kind === 'down'));
    },
  },
  {
    title: 'a moved publisher comes back, and readers begin with what it sends from then on',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'open');
      await plays(await world.play(peers, 'open'));
      await world.engine.move('open', 'closed');
      const inside = await world.play(peers, 'closed');
      await plays(inside);
      await movesAway(world, [inside], 'closed', 'open');
      const asked = (await publisher.seen.until('seen', () => true)).keyframeRequests;
      assertWatchable(await plays(await world.play(peers, 'open')));
      // Nothing of the running group of pictures may be sent: it was shown under the other name.
      const { keyframeRequests } = await publisher.seen.until('seen', () => true);
      assert.ok(keyframeRequests > asked);
      await assertRefused(world.engine.play('closed', inside.offer), 'stream_offline');
    },
  },
  {
    title: 'the session of a moved publisher is ended and replaced under its new name',
    run: async (world) => {
      const peers = world.peers();
      const first = await world.publish(peers, 'open');
      await world.engine.move('open', 'closed');
      const intruder = await peers.publisher();
      await assertRefused(world.engine.publish('closed', intruder.offer, { owner: 'berta' }), 'stream_taken');
      const second = await world.publish(peers, 'closed');
      const replaced = await world.reports.next('down');
      assert.deepEqual(
        [replaced.stream, replaced.session, replaced.reason],
        ['closed', first.session(), 'replaced'],
      );
      await world.engine.move('closed', 'again');
      assert.equal(await world.engine.end(second.session()), true);
      const ended = await world.reports.next('down', (report) => report.session === second.session());
      assert.deepEqual([ended.stream, ended.reason], ['again', 'ended']);
    },
  },
  {
    title: 'a move from nobody is refused as offline, one onto a live publisher as taken',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one', 'anna');
      await world.publish(peers, 'two', 'berta');
      const readers = [await world.play(peers, 'one'), await world.play(peers, 'two')];
      const before = await Promise.all(readers.map(plays));
      await assertRefused(world.engine.move('nobody', 'three'), 'stream_offline');
      await assertRefused(world.engine.move('nobody', 'two'), 'stream_offline');
      await assertRefused(world.engine.move('one', 'two'), 'stream_taken');
      await assertRefused(world.engine.move('one', 'one'), 'stream_taken');
      for (const [i, reader] of readers.entries()) {
        await reader.seen.until('more', (view) => view.videoPackets > before[i]!.videoPackets + 30);
      }
      assert.ok(!world.reports.all.some((report) => report.kind === 'down' || report.kind === 'reader_gone'));
    },
  },
  {
    title: 'one publisher visits many names, wherever each of them lives, and is played under every one',
    requires: { relays: 2 },
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'name-0');
      for (let i = 1; i <= 6; i++) {
        await world.engine.move(`name-${i - 1}`, `name-${i}`);
        await assertRefused(world.engine.move(`name-${i - 1}`, 'elsewhere'), 'stream_offline');
        assertWatchable(await plays(await world.play(peers, `name-${i}`)));
      }
      const others = await Promise.all([0, 1, 2, 3].map((i) => world.publish(peers, `name-${i}`, 'berta')));
      for (const i of [0, 1, 2, 3]) {
        await assertRefused(world.engine.move('name-6', `name-${i}`), 'stream_taken');
        await assertRefused(world.engine.move(`name-${i}`, 'name-6'), 'stream_taken');
      }
      for (const other of others) await world.engine.end(other.session());
      await world.engine.move('name-6', 'name-0');
      await world.engine.stop('name-0');
      const down = await world.reports.next('down', (report) => report.session === publisher.session());
      assert.deepEqual([down.stream, down.reason], ['name-0', 'stopped']);
    },
  },
  {
    title: 'of all who want one name at the same time one gets it, and the others go on where they were',
    requires: { relays: 2 },
    run: async (world) => {
      const peers = world.peers();
      const names = ['a', 'b', 'c'];
      const readers = await Promise.all(names.map(async (name) => {
        await world.publish(peers, name, name);
        return world.play(peers, name);
      }));
      await Promise.all(readers.map(plays));
      for (const wanted of ['x', 'y', 'z', 'w']) {
        const fresh = await peers.publisher();
        const outcomes = await Promise.allSettled([
          world.engine.move('a', wanted),
          world.engine.publish(wanted, fresh.offer, { owner: 'new' }),
          world.engine.move('b', wanted),
          world.engine.move('c', wanted),
        ]);
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
        for (const one of outcomes) {
          if (one.status === 'fulfilled') continue;
          await assertRefused(Promise.reject(one.reason as Error), 'stream_taken');
        }
        const [moved, , second, third] = outcomes.map(({ status }) => status === 'fulfilled');
        const from = [moved && 'a', second && 'b', third && 'c'].find((item) => item);
        if (from) await world.engine.move(wanted, from);
        else await world.engine.stop(wanted);
      }
      for (const name of names) await plays(await world.play(peers, name));
    },
  },
  {
    title: 'who waits at the new name goes on with the moved publisher, or is told to come again',
    requires: { relays: 2 },
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'a');
      let from = 'a';
      for (const to of ['x', 'y', 'z']) {
        const before = await world.publish(peers, to, 'berta');
        const waiting = await world.play(peers, to);
        const seen = await plays(waiting);
        await world.engine.end(before.session());
        await world.engine.move(from, to);
        await Promise.race([
          playsOn(waiting, seen),
          world.reports.next('reader_gone', (report) => report.session === waiting.session()),
        ]);
        assertWatchable(waiting.seen.value!);
        await plays(await world.play(peers, to));
        from = to;
      }
    },
  },
];
