import assert from 'node:assert/strict';
import {
  EngineRefused, type Engine, type EngineRefusalCode, type Negotiated, type StreamReport,
} from '../engine.ts';
import { KEYFRAME_SPACING_MS } from '../limits.ts';
import { PeerProcess, Watched, type PeerHandle } from './peers.ts';
import type { PublisherView, TestPublisherOptions } from './test-publisher.ts';
import type { ReaderView } from './test-reader.ts';

/** What an engine is made with for a scenario. */
export interface EngineNeeds {
  readonly maxReaders?: number;
  readonly graceMs?: number;
}

/** Each attempt takes a message there and back; being behind lasts up to a second or two. */
const ADMISSION_ATTEMPTS = 2_000;

/** One thing every engine must do, told as a story. */
export interface Scenario {
  readonly title: string;
  readonly needs?: EngineNeeds;
  readonly run: (world: World) => Promise<void>;
}

/** Everything reported so far, waited for without sleeping. */
class ReportLog {
  readonly #watched = new Watched<readonly StreamReport[]>();

  constructor(engine: Engine) {
    this.#watched.set([]);
    engine.onReport((report) => this.#watched.set([...this.all, report]));
  }

  get all(): readonly StreamReport[] {
    return this.#watched.value ?? [];
  }

  async next<K extends StreamReport['kind']>(
    kind: K, holds: (report: Extract<StreamReport, { kind: K }>) => boolean = () => true,
  ): Promise<Extract<StreamReport, { kind: K }>> {
    const matches = (report: StreamReport): report is Extract<StreamReport, { kind: K }> =>
      report.kind === kind && holds(report as Extract<StreamReport, { kind: K }>);
    const reports = await this.#watched.until(`report ${kind}`, (all) => all.some(matches));
    return reports.find(matches)!;
  }
}

/** What a scenario works with: an engine, its reports, and peers that are cleared away afterwards. */
export class World {
  readonly engine: Engine;
  readonly reports: ReportLog;
  readonly #processes: PeerProcess[] = [];

  constructor(engine: Engine) {
    this.engine = engine;
    this.reports = new ReportLog(engine);
  }

  /** A process of its own, to be killed on its own. */
  peers(): PeerProcess {
    const peers = new PeerProcess();
    this.#processes.push(peers);
    return peers;
  }

  async publish(
    peers: PeerProcess, stream: string, owner = 'anna', options: Partial<TestPublisherOptions> = {},
  ): Promise<PeerHandle<PublisherView>> {
    const publisher = await peers.publisher(options);
    const session = await publisher.accept(await this.engine.publish(stream, publisher.offer, { owner }));
    await this.reports.next('up', (report) => report.session === session);
    return publisher;
  }

  async play(peers: PeerProcess, stream: string, loseEvery = 0): Promise<PeerHandle<ReaderView>> {
    const reader = await peers.reader({ loseEvery });
    await reader.accept(await this.admit(stream, reader.offer));
    return reader;
  }

  /** A machine that runs other tests may be behind for a moment, which an engine rightly refuses. */
  async admit(stream: string, offer: string): Promise<Negotiated> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.engine.play(stream, offer);
      } catch (error) {
        const isBehind = error instanceof EngineRefused && error.code === 'overloaded';
        if (!isBehind || attempt === ADMISSION_ATTEMPTS) throw error;
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((peers) => peers.kill()));
  }
}

const plays = (reader: PeerHandle<ReaderView>): Promise<ReaderView> =>
  reader.seen.until('video and audio play', (view) => view.videoPackets > 20 && view.audioPackets > 10);

const playsOn = (reader: PeerHandle<ReaderView>, since: ReaderView): Promise<ReaderView> =>
  reader.seen.until('a new keyframe and more video', (view) =>
    view.keyframes > since.keyframes && view.videoPackets > since.videoPackets + 20);

const isCut = (reader: PeerHandle<ReaderView>): Promise<ReaderView> =>
  reader.seen.until('the reader is cut', (view) => view.ended || view.state === 'closed');

/** A view that a person could have watched: begun at a keyframe, time and numbers only forward. */
function assertWatchable(view: ReaderView): void {
  assert.equal(view.beganWithKeyframe, true);
  assert.equal(view.timeWentBack, 0);
  assert.equal(view.jumps, 0);
}

async function assertRefused(work: Promise<unknown>, code: EngineRefusalCode): Promise<void> {
  await assert.rejects(work, (error) => error instanceof EngineRefused && error.code === code);
}

export const scenarios: readonly Scenario[] = [
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
    title: 'VP8 is relayed too',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one', 'anna', { codec: 'VP8' });
      const reader = await peers.reader({ codec: 'VP8' });
      await reader.accept(await world.admit('one', reader.offer));
      assertWatchable(await plays(reader));
    },
  },
  {
    title: 'health is reported each second with rates and viewers',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one', 'anna', { keyframeEveryMs: 500 });
      await world.play(peers, 'one');
      const { health } = await world.reports.next('health', (report) =>
        report.health.viewers === 1 && report.health.framesPerSecond > 20
          && report.health.keyframeIntervalMs !== null);
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
      assertWatchable(await playsOn(reader, before));
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
      await plays(reader);
      await dying.kill();
      await world.reports.next('reader_gone', (report) => report.session === reader.session());
    },
  },
  {
    title: 'readers of a publisher that stays away are let go after the grace',
    needs: { graceMs: 1_000 },
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
  {
    title: 'readers beyond the limit are refused as overloaded, and let in again when one has left',
    needs: { maxReaders: 2 },
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one');
      const first = await world.play(peers, 'one');
      await world.play(peers, 'one');
      const third = await peers.reader();
      await assertRefused(world.engine.play('one', third.offer), 'overloaded');
      await world.engine.end(first.session());
      await third.accept(await world.admit('one', third.offer));
      await plays(third);
    },
  },
  {
    title: 'a stream nobody publishes is refused as offline',
    run: async (world) => {
      const reader = await world.peers().reader();
      await assertRefused(world.engine.play('nobody', reader.offer), 'stream_offline');
      assert.equal(await world.engine.end('no-such-session'), false);
    },
  },
  {
    title: 'a malformed offer is refused, and a live publisher of the same stream does not notice',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one');
      const { offer } = await peers.publisher();
      const broken = [
        '', 'v=0', 'hello', offer.replace('v=0', 'v=1'), offer.replaceAll(/a=fingerprint.*\r\n/g, ''),
        offer.replaceAll(/a=ice-pwd.*\r\n/g, ''), offer.replaceAll('m=', 'm=\0'), offer + offer,
        `${offer}${'a=x\r\n'.repeat(30_000)}`,
        offer.replaceAll('a=mid:v', 'a=mid:a'),
      ];
      for (const one of broken) {
        await assertRefused(world.engine.publish('one', one, { owner: 'anna' }), 'malformed_offer');
        await assertRefused(world.engine.play('one', one), 'malformed_offer');
      }
      const wrongWay = offer.replaceAll('sendonly', 'recvonly');
      await assertRefused(world.engine.publish('one', wrongWay, { owner: 'anna' }), 'malformed_offer');
      await assertRefused(world.engine.play('one', offer), 'malformed_offer');
      assert.ok(!world.reports.all.some((report) => report.kind === 'down'));
    },
  },
  {
    title: 'an offer without a common codec is refused as unsupported',
    run: async (world) => {
      const peers = world.peers();
      const modern = await peers.publisher({ codec: 'H265' });
      await assertRefused(world.engine.publish('one', modern.offer, { owner: 'anna' }), 'unsupported_codec');
      await world.publish(peers, 'two');
      const reader = await peers.reader({ codec: 'VP8' });
      await assertRefused(world.engine.play('two', reader.offer), 'unsupported_codec');
    },
  },
  {
    title: 'junk on the media path of publisher and reader harms nobody',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      const reader = await world.play(peers, 'one');
      const before = await plays(reader);
      const heads = [0x80, 0x9f, 0x8f, 0xb0, 0xbf];
      const types = [96, 0xe0, 200, 201, 205, 206, 0xff];
      const lying = heads.flatMap((head) => types.map((type) =>
        Buffer.concat([Buffer.from([head, type, 0xff, 0xff]), Buffer.alloc(24, 0xff)])));
      const junk = [
        ...lying,
        // A source description whose chunk is cut short: it sent the native RTCP parser round for ever.
        Buffer.from([0x81, 202, 0, 3, 0, 0, 0, 1, 1, 200, 65, 65, 65, 65, 65, 65]),
        Buffer.from([0x81, 205, 0, 200, ...Buffer.alloc(8)]),
      ];
      await publisher.sendRaw(junk);
      await reader.sendRaw(junk);
      const after = await reader.seen.until('more', (view) => view.videoPackets > before.videoPackets + 60);
      assert.equal(after.timeWentBack, 0);
      assert.ok(!world.reports.all.some((report) => report.kind === 'down' || report.kind === 'reader_gone'));
    },
  },
];
