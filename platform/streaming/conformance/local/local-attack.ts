import assert from 'node:assert/strict';
import { HELLO_TIMEOUT_MS, MAX_STRANGERS } from '../../limits.ts';
import { FRAME, MAX_FRAME_BYTES, writeFrame, type FrameType } from '../../local/frames.ts';
import { assertRefused, plays, type Scenario, type World } from '../world.ts';
import { TestTap } from './local-peers.ts';
import { RawLine } from './raw-line.ts';

const isClosed = (line: RawLine): Promise<unknown> =>
  line.seen.until('the line is closed', (view) => view.closed);
const hello = (session: string): Buffer => writeFrame(FRAME.hello, Buffer.from(session));

/** The path of the engine's local socket, and a session id whose ticket is used up. */
async function used(world: World, stream: string): Promise<{ socketPath: string; session: string }> {
  const ticket = await world.local.tap(stream);
  const line = new RawLine(ticket.socketPath);
  line.say(hello(ticket.session));
  await line.seen.until('attached', (view) => view.bytes > 0);
  line.close();
  return ticket;
}

/** Connections to the local socket from processes that are not ours. */
export const localAttackScenarios: readonly Scenario[] = [
  {
    title: 'a ticket is good once, a made-up one never, and none when its session is over',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one');
      const { socketPath, session } = await used(world, 'one');
      await world.reports.next('reader_gone', (report) => report.session === session);
      const ended = await world.local.tap('one');
      await world.local.end(ended.session);
      const others = ['', 'x', 'A'.repeat(32), session, ended.session, `${session}\0`, '__proto__'];
      for (const one of others) {
        const line = new RawLine(socketPath);
        line.say(hello(one));
        await isClosed(line);
        assert.equal(line.seen.value!.bytes, 0);
      }
    },
  },
  {
    title: 'a second process with the same ticket is turned away while the first reads on',
    run: async (world) => {
      await world.publish(world.peers(), 'one');
      const ticket = await world.local.tap('one');
      const lines = [new RawLine(ticket.socketPath), new RawLine(ticket.socketPath)];
      for (const line of lines) line.say(hello(ticket.session));
      await Promise.race(lines.map(isClosed));
      const [stays] = lines.filter((line) => !line.seen.value!.closed);
      assert.ok(stays);
      await stays.seen.until('it reads on', (view) => view.bytes > 20_000);
      stays.close();
    },
  },
  {
    title: 'junk on the local socket, before and after a hello, closes the line and harms nobody',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one');
      const reader = await world.play(peers, 'one');
      const before = await plays(reader);
      const { socketPath } = await used(world, 'one');
      const huge = Buffer.alloc(5);
      huge.writeUInt32BE(MAX_FRAME_BYTES + 1, 1);
      const strange = [
        huge,
        Buffer.alloc(64, 0xff),
        Buffer.from('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'),
        writeFrame(FRAME.video, Buffer.alloc(1_200)),
        writeFrame(FRAME.keyframe),
        writeFrame(FRAME.hello, Buffer.alloc(MAX_FRAME_BYTES)),
        writeFrame(0x7f as FrameType),
      ];
      for (const bytes of strange) {
        const stranger = new RawLine(socketPath);
        stranger.say(bytes);
        await isClosed(stranger);
        const { session } = await world.local.tap('one');
        const guest = new RawLine(socketPath);
        guest.say(hello(session));
        await guest.seen.until('attached', (view) => view.bytes > 0);
        // A reader may ask for keyframes.
        if (bytes[0] === FRAME.keyframe) guest.close();
        else guest.say(bytes);
        await isClosed(guest);
        await world.reports.next('reader_gone', (report) => report.session === session);
      }
      const after = await reader.seen.until('more', (view) => view.videoPackets > before.videoPackets + 60);
      assert.equal(after.timeWentBack, 0);
    },
  },
  {
    title: 'a local publisher that talks nonsense is cut, and what only looks like media is passed over',
    run: async (world) => {
      const nonsense = [
        writeFrame(FRAME.trouble, Buffer.from('"no_such"')),
        writeFrame(FRAME.trouble, Buffer.from('{')),
        writeFrame(FRAME.trouble, Buffer.from('"constructor"')),
        writeFrame(FRAME.keyframe),
        writeFrame(FRAME.video, Buffer.alloc(4_000, 0x80)),
        writeFrame(FRAME.ready),
      ];
      for (const bytes of nonsense) {
        const { session, socketPath } = await world.local.feed('one', { owner: 'anna' });
        const line = new RawLine(socketPath);
        line.say(hello(session));
        line.say(bytes);
        await isClosed(line);
        const down = await world.reports.next('down', (report) => report.session === session);
        assert.equal(down.reason, 'ended');
      }
      const { session, socketPath } = await world.local.feed('one', { owner: 'anna' });
      const line = new RawLine(socketPath);
      line.say(hello(session));
      for (let i = 0; i < 256; i++) line.say(writeFrame(FRAME.video, Buffer.alloc(i, i)));
      line.say(writeFrame(FRAME.trouble, Buffer.from('"video_codec"')));
      await world.reports.next('trouble', (report) => report.session === session);
      assert.equal(line.seen.value!.closed, false);
      line.close();
    },
  },
  {
    title: 'a crowd that connects and says nothing is bounded and sent away, and tickets work again',
    run: async (world) => {
      await world.publish(world.peers(), 'one');
      const { socketPath } = await used(world, 'one');
      const crowd = Array.from({ length: MAX_STRANGERS + 20 }, () => new RawLine(socketPath));
      // A reader without a time limit would wait for ever for the rest of the frame.
      for (const line of crowd) line.say(Buffer.from([FRAME.hello]));
      const closedOnes = (): number => crowd.filter((line) => line.seen.value!.closed).length;
      await Promise.race(crowd.map(isClosed));
      const cameAtMs = performance.now();
      await Promise.all(crowd.map(isClosed));
      assert.equal(closedOnes(), crowd.length);
      assert.ok(performance.now() - cameAtMs > HELLO_TIMEOUT_MS / 2, 'some were given time to speak');
      const tap = await TestTap.at(world.local, 'one');
      await tap.seen.until('it reads', (view) => view.videoPackets > 20);
      tap.close();
    },
  },
  {
    title: 'a local reader that takes nothing is let go, and nobody else notices',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one', 'anna', { videoBitsPerSecond: 6_000_000 });
      const reader = await world.play(peers, 'one');
      await plays(reader);
      const ticket = await world.local.tap('one');
      const line = new RawLine(ticket.socketPath);
      line.say(hello(ticket.session));
      await line.seen.until('attached', (view) => view.bytes > 0);
      line.stopReading();
      const before = reader.seen.value!;
      await world.reports.next('reader_gone', (report) => report.session === ticket.session);
      const after = await reader.seen.until('more', (view) => view.videoPackets > before.videoPackets + 600);
      assert.deepEqual([after.timeWentBack, after.jumps], [0, 0]);
      await assertRefused(world.local.tap('two'), 'stream_offline');
      line.close();
    },
  },
];
