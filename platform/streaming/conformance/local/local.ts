import assert from 'node:assert/strict';
import { replacesOnlyPaused } from '../scenarios/pauses.ts';
import {
  assertRefused,
  assertWatchable,
  isCut,
  plays,
  playsOn,
  type Scenario,
  type World,
} from '../world.ts';
import { TestFeed, TestTap, type TapView } from './local-peers.ts';

const reads = (tap: TestTap): Promise<TapView> =>
  tap.seen.until('video and audio come', (view) => view.videoPackets > 20 && view.audioPackets > 10);

const isGone = (tap: TestTap | TestFeed): Promise<unknown> =>
  tap instanceof TestTap
    ? tap.seen.until('the tap is gone', (view) => view.gone)
    : tap.seen.until('the feed is gone', (view) => view.gone);

/** A local publisher whose media arrives. */
async function feed(world: World, stream: string, owner = 'anna'): Promise<TestFeed> {
  const made = await TestFeed.at(world.local, stream, owner);
  await world.reports.next('up', (report) => report.session === made.session);
  return made;
}

/** Processes of this machine that take part in streams. */
export const localScenarios: readonly Scenario[] = [
  {
    title: 'a local reader begins at a keyframe, gets picture, sound and sender reports, and is no viewer',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one', 'anna', { loseEvery: 15 });
      await plays(await world.play(peers, 'one'));
      const tap = await TestTap.at(world.local, 'one');
      assertWatchable(await reads(tap));
      await tap.seen.until(
        'reports, and what was late',
        (view) => view.senderReports > 1 && view.recovered > 2,
      );
      tap.close();
      await world.reports.next('reader_gone', (report) => report.session === tap.session);
      const viewers = world.reports.all.flatMap((one) => (one.kind === 'health' ? [one.health.viewers] : []));
      assert.equal(Math.max(...viewers), 1);
    },
  },
  {
    title: 'while a process reads, keyframes come every two seconds unasked, and then no more',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      const reader = await world.play(peers, 'one');
      await plays(reader);
      const tap = await TestTap.at(world.local, 'one');
      await tap.seen.until('three keyframes', (view) => view.keyframes >= 3);
      tap.close();
      await world.reports.next('reader_gone', (report) => report.session === tap.session);
      const before = await publisher.seen.until('seen', () => true);
      const { videoPackets } = await reader.seen.until('seen', () => true);
      await reader.seen.until('three seconds', (view) => view.videoPackets > videoPackets + 180);
      const after = await publisher.seen.until('seen', () => true);
      assert.ok(after.keyframeRequests <= before.keyframeRequests + 1);
    },
  },
  {
    title: 'a local publisher is played, its keyframes are asked for, and it goes when its process goes',
    run: async (world) => {
      const peers = world.peers();
      const made = await feed(world, 'one');
      const [reader, tap] = [await world.play(peers, 'one'), await TestTap.at(world.local, 'one')];
      const before = await plays(reader);
      assertWatchable(before);
      assertWatchable(await reads(tap));
      await reader.do('keyframe');
      await playsOn(reader, before);
      assert.ok(made.seen.value!.keyframeRequests > 0);
      const { health } = await world.reports.next('health', (report) => report.health.viewers > 0);
      assert.deepEqual([health.codec, health.viewers, health.trouble], ['H264', 1, null]);
      made.close();
      const down = await world.reports.next('down');
      assert.deepEqual([down.session, down.reason], [made.session, 'ended']);
      const next = await feed(world, 'one');
      assert.notEqual(next.session, made.session);
      assertWatchable(await playsOn(reader, reader.seen.value!));
    },
  },
  {
    title: 'a local publisher that means to stop is reported so, once, and one that goes is not',
    run: async (world) => {
      for (const [goes, reason] of [['finish', 'finished'], ['close', 'ended']] as const) {
        const made = await feed(world, goes);
        made[goes]();
        await world.reports.next('down', (report) => report.session === made.session);
        // Its connection closes afterwards, which must not count as a second end.
        const next = await feed(world, goes);
        const downs = world.reports.all.filter((report) => report.kind === 'down' && report.stream === goes);
        assert.deepEqual(downs.map((report) => report.kind === 'down' && report.reason), [reason]);
        next.close();
      }
    },
  },
  {
    title: 'local and peer publishers replace one another for one owner, and are refused for another',
    run: async (world) => {
      const peers = world.peers();
      const first = await feed(world, 'one');
      const offered = await peers.publisher();
      const taken = world.engine.publish('one', offered.offer, { owner: 'berta' });
      await assertRefused(taken, 'stream_taken');
      const second = await world.publish(peers, 'one');
      await isGone(first);
      await assertRefused(world.local.feed('one', { owner: 'berta' }), 'stream_taken');
      const third = await feed(world, 'one');
      const downs = world.reports.all.flatMap((report) => (report.kind === 'down' ? [report] : []));
      assert.deepEqual(downs.map(({ session, reason }) => [session, reason]), [
        [first.session, 'replaced'],
        [second.session(), 'replaced'],
      ]);
      assert.equal(await world.local.end(third.session), true);
      await isGone(third);
      assert.equal(await world.local.end(third.session), false);
    },
  },
  {
    title: 'an ingest that replaces paused publishers alone is refused until the media has paused',
    run: async (world) => {
      const first = await feed(world, 'one');
      await replacesOnlyPaused({
        engine: world.engine,
        sends: async () => first.session,
        asks: async () => (await world.local.feed('one', { owner: 'anna', onlyPaused: true })).session,
        pauses: async () => {
          first.fallSilent();
          await world.sendsNothing('one');
        },
      });
      await isGone(first);
    },
  },
  {
    title: 'an ingest that names its trouble is reported, lives without media, and is well when it says so',
    run: async (world) => {
      const made = await TestFeed.at(world.local, 'one', 'anna', false);
      await made.seen.until('attached', (view) => view.isReady);
      made.reportTrouble('b_frames');
      const received = await world.reports.next('trouble');
      assert.deepEqual(
        [received.stream, received.session, received.trouble],
        ['one', made.session, 'b_frames'],
      );
      made.reportTrouble('b_frames');
      made.reportTrouble('audio_codec');
      await world.reports.next('trouble', (report) => report.trouble === 'audio_codec');
      assert.equal(world.reports.all.filter((report) => report.kind === 'trouble').length, 2);
      made.begin();
      await world.reports.next('health', (report) => report.health.trouble === 'audio_codec');
      made.reportTrouble(null);
      await world.reports.next('health', (report) => report.health.trouble === null);
      made.fallSilent();
      const down = await world.reports.next('down');
      assert.deepEqual([down.session, down.reason], [made.session, 'silent']);
      await isGone(made);
    },
  },
  {
    title: 'nobody publishes: no tap; the stream is stopped: its tap and its publisher are cut at once',
    run: async (world) => {
      await assertRefused(world.local.tap('one'), 'stream_offline');
      const made = await feed(world, 'one');
      const tap = await TestTap.at(world.local, 'one');
      await reads(tap);
      await world.engine.stop('one');
      await Promise.all([isGone(made), isGone(tap)]);
      const down = await world.reports.next('down');
      assert.deepEqual([down.session, down.reason], [made.session, 'stopped']);
      await world.reports.next('reader_gone', (report) => report.session === tap.session);
      await assertRefused(world.local.tap('one'), 'stream_offline');
    },
  },
  {
    title: 'what is made of a stream lives beside it, and goes with it when it is moved or stopped',
    requires: { relays: 3 },
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'open');
      for (const [from, to] of [['open', 'closed'], ['closed', 'open']] as const) {
        const [source, smaller] = [await TestTap.at(world.local, from), await feed(world, `${from}~480`)];
        const viewer = await world.play(peers, `${from}~480`);
        await Promise.all([reads(source), plays(viewer)]);
        await world.engine.move(from, to);
        await Promise.all([isGone(source), isGone(smaller), isCut(viewer)]);
        const down = await world.reports.next('down', (report) => report.session === smaller.session);
        assert.deepEqual([down.stream, down.reason], [`${from}~480`, 'stopped']);
        await assertRefused(world.local.tap(`${from}~480`), 'stream_offline');
        await assertRefused(world.engine.play(`${from}~480`, viewer.offer), 'stream_offline');
      }
      const smaller = await feed(world, 'open~480');
      await world.engine.stop('open');
      await isGone(smaller);
      await publisher.seen.until('the publisher is cut', (view) => view.ended || view.state === 'closed');
    },
  },
];
