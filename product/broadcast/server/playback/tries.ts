import type { Data, Tx } from '#platform/data/data.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { Turns } from '#platform/streaming/turns.ts';
import { DAY_MS } from '#platform/time/units.ts';
import type { ComplianceService, Viewer } from '#product/compliance/server.ts';
import { playbackTried } from '../../contract/playback-tried.ts';
import { HLS_BUFFERED_MS, isNoted, MAX_TRIES, type PlaybackMode } from '../../rules.ts';

/** A request for a stream by somebody who may hold a ticket. */
export interface Try {
  readonly operatorId: number;
  readonly performerId: number;
  readonly stream: string;
  readonly mode: PlaybackMode;
  readonly viewer: Viewer;
}

/** What is known about a person and a stream. */
interface Known {
  readonly region: string;
  /** They were served from there, and have not been refused since. */
  readonly isServed: boolean;
  /** The site had no capacity for them when they last tried. */
  readonly isFull: boolean;
  /** When they were last served over HLS, or began over WHEP; null before. */
  readonly servedAtMs: number | null;
}

interface Dependencies {
  readonly data: Data;
  readonly compliance: ComplianceService;
  /** Whether a player of a person has a session on a stream over WHEP. */
  readonly isPlaying: (stream: string, personId: number) => boolean;
  /** Logs a fact that could not be published: playback does not wait for it, and it is tried again. */
  readonly onError: (error: unknown) => void;
}

/**
 * From where people watch streams that are paid as a whole, and whether the site had no capacity for them;
 * publishes each change. While a player runs, a request that fails changes nothing: otherwise a request from
 * a blocked region would refund what the person is watching.
 */
export class Tries {
  readonly #deps: Dependencies;
  /** By operator, stream and person. */
  readonly #known = new Remembered<Known>(MAX_TRIES);
  readonly #turns = new Turns();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** A player was answered over WHEP, or was given a playlist or a segment. */
  served(of: Try, via: 'whep' | 'hls'): Promise<void> {
    return this.#change(of, (before) => {
      const { region } = of.viewer;
      // A second player elsewhere is noted when the first has stopped.
      if (via === 'hls' && before && before.region !== region && this.#isFresh(before)) return before;
      return { region, isServed: true, isFull: false, servedAtMs: this.#nowMs() };
    });
  }

  /** There was no capacity for a player, and no other transport. */
  full(of: Try): Promise<void> {
    return this.#change(of, (before) => (this.#isPlaying(of, before) ? before : {
      region: of.viewer.region,
      isServed: false,
      isFull: true,
      servedAtMs: before?.servedAtMs ?? null,
    }));
  }

  /** A request was refused: recorded if it came from a region that may not see the performer. */
  async refused(of: Try): Promise<void> {
    if (!isNoted(of.mode) || of.viewer.caller.personId === null) return;
    const isOpen = await this.#deps.data.tx(
      of,
      (tx: Tx) => this.#deps.compliance.mayPerceive(tx, of.viewer, of.performerId, 'media'),
    );
    if (isOpen) return;
    await this.#change(of, (before) => (this.#isPlaying(of, before) ? before : {
      region: of.viewer.region,
      isServed: false,
      isFull: before?.isFull ?? false,
      servedAtMs: before?.servedAtMs ?? null,
    }));
  }

  /** Publishes a change; for each person and stream one at a time, so that the last is published last. */
  async #change(
    { operatorId, performerId, stream, mode, viewer: { caller: { personId } } }: Try,
    next: (before: Known | null) => Known | null,
  ): Promise<void> {
    if (!isNoted(mode) || personId === null) return;
    const key = `${operatorId} ${stream} ${personId}`;
    const change = async (): Promise<void> => {
      const before = this.#known.get(key, this.#nowMs(), DAY_MS);
      const after = next(before);
      if (after === null || after === before) return;
      const { region, isServed, isFull } = after;
      if (before?.region !== region || before.isServed !== isServed || before.isFull !== isFull) {
        const tried = { performerId, personId, region, isServed, isFull };
        await this.#deps.data.tx(
          { operatorId },
          (tx) => tx.publish(playbackTried, `performer:${performerId}`, tried),
        );
      }
      this.#known.set(key, after, this.#nowMs());
    };
    await this.#turns.take(key, change).catch(this.#deps.onError);
  }

  /** Searches all sessions, so it runs only when a request has failed, not for each segment. */
  #isPlaying({ stream, viewer: { caller: { personId } } }: Try, before: Known | null): boolean {
    return (before !== null && this.#isFresh(before))
      || (personId !== null && this.#deps.isPlaying(stream, personId));
  }

  #isFresh({ servedAtMs, isFull }: Known): boolean {
    return !isFull && servedAtMs !== null && this.#nowMs() - servedAtMs < HLS_BUFFERED_MS;
  }

  #nowMs(): number {
    return this.#deps.data.clock.now().getTime();
  }
}
