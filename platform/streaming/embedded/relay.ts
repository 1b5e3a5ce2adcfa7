import type { Clock } from '../../data/clock.ts';
import { EngineRefused, type StreamReport } from '../engine.ts';
import { ADMISSION_LAG_MS, MAX_PUBLISHERS_PER_RELAY, SHED_LAG_MS } from '../limits.ts';
import { readOffer } from '../wire/sdp.ts';
import { BEAT_MS, LagGauge } from './lag-gauge.ts';
import type { RelayRequest, RelaySettings } from './relay-protocol.ts';
import { Stream } from './stream.ts';

const HEALTH_PERIOD_MS = 1_000;
/** A beat this late means that the relay was asleep (a suspended machine, a starved core). */
const ASLEEP_MS = 1_000;

export interface RelayOptions {
  readonly settings: RelaySettings;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number;
  readonly report: (reports: readonly StreamReport[]) => void;
}

/** All streams of one relay process: admission, sessions, time-outs, reports. */
export class Relay {
  readonly #options: RelayOptions;
  readonly #streams = new Map<string, Stream>();
  readonly #gauge: LagGauge;
  readonly #cancels: (() => void)[];
  #healthAtMs: number;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#healthAtMs = options.nowMs();
    this.#gauge = new LagGauge(options.nowMs());
    this.#cancels = [
      options.clock.every('lag', BEAT_MS, () => this.#beat()),
      options.clock.every('health', HEALTH_PERIOD_MS, () => this.#tick()),
    ];
  }

  /** Does what the parent asks: an SDP answer, or whether there was something to end. */
  async handle(request: RelayRequest): Promise<string | boolean> {
    switch (request.kind) {
      case 'publish': {
        const offer = readOffer(request.offer);
        this.#admitPublisher(request.stream);
        return this.#open(request.stream).publish(request.session, request.owner, offer);
      }
      case 'play': {
        const offer = readOffer(request.offer);
        this.#admitReader();
        return this.#open(request.stream).play(request.session, offer);
      }
      case 'end':
        return [...this.#streams.values()].some((stream) => stream.end(request.session));
      case 'stop':
        this.#streams.get(request.stream)?.stop();
        return true;
    }
  }

  close(): void {
    for (const cancel of this.#cancels) cancel();
    for (const stream of this.#streams.values()) stream.stop();
  }

  #open(name: string): Stream {
    const present = this.#streams.get(name);
    if (present) return present;
    const { settings, clock, nowMs, report } = this.#options;
    const stream = new Stream({
      name, clock, nowMs, address: settings.address, graceMs: settings.graceMs,
      isShedding: (atMs) => this.#gauge.lagMs(atMs) > SHED_LAG_MS,
      report: (one) => report([one]),
    });
    this.#streams.set(name, stream);
    return stream;
  }

  #admitPublisher(stream: string): void {
    if (this.#streams.get(stream)?.hasPublisher) return;
    const publishers = [...this.#streams.values()].filter((one) => one.hasPublisher).length;
    if (publishers >= MAX_PUBLISHERS_PER_RELAY) throw new EngineRefused('overloaded', 'too many publishers');
  }

  #admitReader(): void {
    const { settings, nowMs } = this.#options;
    let readers = 0;
    for (const stream of this.#streams.values()) readers += stream.readerCount;
    if (readers >= settings.maxReaders) throw new EngineRefused('overloaded', 'too many readers');
    const isBehind = this.#gauge.lagMs(nowMs()) > ADMISSION_LAG_MS;
    if (isBehind) throw new EngineRefused('overloaded', 'the relay is behind');
  }

  #beat(): void {
    const nowMs = this.#options.nowMs();
    if (this.#gauge.beat(nowMs) < ASLEEP_MS) return;
    for (const stream of this.#streams.values()) stream.excuseSilence(nowMs);
  }

  #tick(): void {
    const nowMs = this.#options.nowMs();
    const periodMs = nowMs - this.#healthAtMs;
    this.#healthAtMs = nowMs;
    const reports: StreamReport[] = [];
    for (const [name, stream] of this.#streams) {
      const health = stream.takeHealth(nowMs, periodMs);
      if (health) reports.push({ kind: 'health', health });
      // When this tick is late the beat is too, and has not yet had its say.
      if (this.#gauge.lagMs(nowMs) < ASLEEP_MS) stream.endSilent(nowMs);
      if (stream.isEmpty) this.#streams.delete(name);
    }
    if (reports.length > 0) this.#options.report(reports);
  }
}
