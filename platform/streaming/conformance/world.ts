import { systemClock } from '#platform/data/clock.ts';
import assert from 'node:assert/strict';
import {
  EngineRefused,
  type Engine,
  type EngineRefusalCode,
  type LocalMedia,
  type Negotiated,
  type PlayOptions,
  type StreamReport,
} from '../engine.ts';
import type { PortRange } from '../peer-offer.ts';
import type { TallyView } from './load/tally.ts';
import { PeerProcess, type PeerHandle } from './processes/peers.ts';
import { Watched } from './signals/watched.ts';
import type { PublisherView, TestPublisherOptions } from './test-publisher.ts';
import type { ReaderView } from './test-reader.ts';

/** Options of the engine of a scenario. */
export interface EngineRequirements {
  readonly maxReaders?: number;
  readonly graceMs?: number;
  /** Number of parts, such as relays, that share its streams. */
  readonly relays?: number;
}

/** Each attempt is one round trip; a machine may be behind for a second or two. */
const ADMISSION_ATTEMPTS = 2_000;

/** One requirement of an engine, as a scenario. */
export interface Scenario {
  readonly title: string;
  readonly requires?: EngineRequirements;
  readonly run: (world: World) => Promise<void>;
}

/** Every report so far. Scenarios wait for reports instead of sleeping. */
class ReportLog {
  readonly #all: StreamReport[] = [];
  readonly #watched = new Watched<readonly StreamReport[]>();

  constructor(engine: Engine) {
    this.#watched.set(this.#all);
    engine.onReport((report) => {
      this.#all.push(report);
      this.#watched.set(this.#all);
    });
  }

  get all(): readonly StreamReport[] {
    return this.#all;
  }

  async next<K extends StreamReport['kind']>(
    kind: K,
    holds: (report: Extract<StreamReport, { kind: K }>) => boolean = () => true,
  ): Promise<Extract<StreamReport, { kind: K }>> {
    const matches = (report: StreamReport): report is Extract<StreamReport, { kind: K }> =>
      report.kind === kind && holds(report as Extract<StreamReport, { kind: K }>);
    await this.#watched.until(`report ${kind}`, (all) => all.some(matches));
    return this.#all.find(matches)!;
  }

  /** The same for reports from now on. */
  async fresh<K extends StreamReport['kind']>(
    kind: K,
    holds: (report: Extract<StreamReport, { kind: K }>) => boolean,
  ): Promise<Extract<StreamReport, { kind: K }>> {
    const before = new Set(this.#all);
    return this.next(kind, (report) => !before.has(report) && holds(report));
  }

  /** The same; null when none comes within this time. */
  async within<K extends StreamReport['kind']>(
    ms: number,
    kind: K,
    holds: (report: Extract<StreamReport, { kind: K }>) => boolean,
  ): Promise<Extract<StreamReport, { kind: K }> | null> {
    let cancel = (): void => undefined;
    const late = new Promise<null>((resolve) => {
      cancel = systemClock.after('no report', ms, () => resolve(null));
    });
    try {
      return await Promise.race([this.fresh(kind, holds), late]);
    } finally {
      cancel();
    }
  }
}

/** What a scenario works with: an engine, its reports, and peers that are closed afterwards. */
export class World {
  readonly engine: Engine;
  readonly reports: ReportLog;
  readonly #local: LocalMedia | null;
  readonly #processes: PeerProcess[] = [];

  constructor(engine: Engine, local: LocalMedia | null = null) {
    this.engine = engine;
    this.#local = local;
    this.reports = new ReportLog(engine);
  }

  /** Processes of this machine that publish and read, for engines that support them. */
  get local(): LocalMedia {
    assert.ok(this.#local, 'this engine has no local media');
    return this.#local;
  }

  /** A process of peers that can be killed on its own. */
  peers(): PeerProcess {
    const peers = new PeerProcess();
    this.#processes.push(peers);
    return peers;
  }

  async publish(
    peers: PeerProcess,
    stream: string,
    owner = 'anna',
    options: Partial<TestPublisherOptions> = {},
  ): Promise<PeerHandle<PublisherView>> {
    const publisher = await peers.publisher(options);
    const session = await publisher.accept(await this.engine.publish(stream, publisher.offer, { owner }));
    await this.reports.next('up', (report) => report.session === session);
    return publisher;
  }

  async play(
    peers: PeerProcess,
    stream: string,
    loseEvery = 0,
    ports?: PortRange,
    options?: PlayOptions,
  ): Promise<PeerHandle<ReaderView>> {
    const reader = await peers.reader({ loseEvery, ports });
    await reader.accept(await this.admit(stream, reader.offer, options));
    return reader;
  }

  /** A machine that runs other tests may be behind for a moment, and the engine is right to refuse then. */
  async admit(stream: string, offer: string, options?: PlayOptions): Promise<Negotiated> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.engine.play(stream, offer, options);
      } catch (error) {
        const isBehind = error instanceof EngineRefused && error.code === 'overloaded';
        if (!isBehind || attempt === ADMISSION_ATTEMPTS) throw error;
      }
    }
  }

  /** Resolves when a stream has had no media for a second. */
  async sendsNothing(stream: string): Promise<void> {
    await this.reports.fresh('health', ({ health }) =>
      health.stream === stream
      && health.videoBitsPerSecond + health.audioBitsPerSecond === 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((peers) => peers.kill()));
  }
}

export const plays = (reader: PeerHandle<ReaderView>): Promise<ReaderView> =>
  reader.seen.until('video and audio play', (view) => view.videoPackets > 20 && view.audioPackets > 10);

export const playsOn = (reader: PeerHandle<ReaderView>, since: ReaderView): Promise<ReaderView> =>
  reader.seen.until(
    'a new keyframe and more video',
    (view) => view.keyframes > since.keyframes && view.videoPackets > since.videoPackets + 20,
  );

export const isCut = (reader: PeerHandle<ReaderView>): Promise<ReaderView> =>
  reader.seen.until('the reader is cut', (view) => view.ended || view.state === 'closed');

/** What a person could have watched: it begins at a keyframe, and times and numbers only go forward. */
export function assertWatchable(view: TallyView): void {
  assert.equal(view.beganWithKeyframe, true);
  assert.equal(view.timeWentBack, 0);
  assert.equal(view.jumps, 0);
}

export async function assertRefused(work: Promise<unknown>, code: EngineRefusalCode): Promise<void> {
  await assert.rejects(work, (error) => error instanceof EngineRefused && error.code === code);
}
