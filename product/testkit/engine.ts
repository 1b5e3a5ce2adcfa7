import { randomId } from '../../platform/data/ids.ts';
import {
  EngineRefused,
  type DownReason,
  type Engine,
  type EngineRefusalCode,
  type StreamHealth,
  type StreamReport,
} from '../../platform/streaming/engine.ts';

interface Publisher {
  readonly session: string;
  readonly owner: string;
  hasMedia: boolean;
}

/** An offer as browsers make them, shortened to what an engine looks at. */
export const TEST_OFFER = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0 1',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  'a=mid:0',
  'a=rtpmap:111 opus/48000/2',
  'm=video 9 UDP/TLS/RTP/SAVPF 102',
  'a=mid:1',
  'a=rtpmap:102 H264/90000',
  '',
].join('\r\n');

const ANSWER = 'v=0\r\no=- 2 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n';

const HEALTHY: Omit<StreamHealth, 'stream' | 'session' | 'viewers'> = {
  codec: 'H264',
  videoBitsPerSecond: 2_000_000,
  audioBitsPerSecond: 64_000,
  framesPerSecond: 30,
  lossFraction: 0,
  roundTripMs: 20,
  keyframeIntervalMs: 2_000,
};

/**
 * The media plane of the simulated outside world: keeps the rules of the port, moves no media. Tests say when
 * media arrives and when it is lost.
 */
export class TestEngine implements Engine {
  readonly #publishers = new Map<string, Publisher>();
  /** Play session → stream. */
  readonly #readers = new Map<string, string>();
  readonly #listeners = new Set<(report: StreamReport) => void>();
  #refusal: EngineRefusalCode | null = null;

  readonly start: Engine['start'] = async () => {};
  readonly close: Engine['close'] = async () => {};
  readonly features: Engine['features'] = () => [{ name: 'media', on: false, detail: 'simulated' }];
  readonly describe: Engine['describe'] = (stream) => ({
    kind: 'whep',
    path: `/whep/${encodeURIComponent(stream)}`,
  });

  readonly publish: Engine['publish'] = async (stream, offer, { owner }) => {
    this.#check(offer);
    const before = this.#publishers.get(stream);
    if (before && before.owner !== owner) throw new EngineRefused('stream_taken', 'another owner publishes');
    if (before) this.drop(stream, 'replaced');
    const session = randomId();
    this.#publishers.set(stream, { session, owner, hasMedia: false });
    return { session, answer: ANSWER };
  };

  readonly play: Engine['play'] = async (stream, offer) => {
    this.#check(offer);
    if (!this.#publishers.get(stream)?.hasMedia)
      throw new EngineRefused('stream_offline', 'nobody publishes');
    const session = randomId();
    this.#readers.set(session, stream);
    return { session, answer: ANSWER };
  };

  readonly end: Engine['end'] = async (session) => {
    if (this.#readers.delete(session)) return true;
    const publisher = [...this.#publishers].find(([, one]) => one.session === session);
    if (publisher) this.drop(publisher[0], 'ended');
    return publisher !== undefined;
  };

  readonly stop: Engine['stop'] = async (stream) => {
    for (const [session, played] of this.#readers) {
      if (played === stream) this.#readers.delete(session);
    }
    this.drop(stream, 'stopped');
  };

  readonly onReport: Engine['onReport'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Streams that have a publisher now. */
  get streams(): readonly string[] {
    return [...this.#publishers.keys()];
  }

  /** Play sessions of a stream. */
  readersOf(stream: string): number {
    return [...this.#readers.values()].filter((played) => played === stream).length;
  }

  /** The first packet of every publisher that has sent none yet arrives. */
  arrive(): void {
    for (const [stream, publisher] of this.#publishers) {
      if (publisher.hasMedia) continue;
      publisher.hasMedia = true;
      this.#report({ kind: 'up', stream, session: publisher.session });
    }
  }

  /** A publisher is lost. */
  drop(stream: string, reason: DownReason): void {
    const publisher = this.#publishers.get(stream);
    if (!publisher) return;
    this.#publishers.delete(stream);
    if (publisher.hasMedia) this.#report({ kind: 'down', stream, session: publisher.session, reason });
  }

  /** One second of measurements of a live publisher. */
  measure(stream: string, health: Partial<StreamHealth> = {}): void {
    const publisher = this.#publishers.get(stream);
    if (!publisher) throw new Error(`nobody publishes ${stream}`);
    const { session } = publisher;
    const viewers = this.readersOf(stream);
    this.#report({ kind: 'health', health: { ...HEALTHY, stream, session, viewers, ...health } });
  }

  /** Every publish and play from now on is refused with this code; null ends it. */
  refuseWith(code: EngineRefusalCode | null): void {
    this.#refusal = code;
  }

  #check(offer: string): void {
    if (this.#refusal) throw new EngineRefused(this.#refusal, 'as the test says');
    if (!/^v=0\r?\n/u.test(offer) || !offer.includes('m='))
      throw new EngineRefused('malformed_offer', 'not SDP');
    if (!/H264|VP8/u.test(offer) || !/opus/iu.test(offer))
      throw new EngineRefused('unsupported_codec', 'no codec');
  }

  #report(report: StreamReport): void {
    for (const listener of this.#listeners) listener(report);
  }
}
