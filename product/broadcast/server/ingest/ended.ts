import { Remembered } from '#platform/data/remembered.ts';
import { ENDED_PAUSE_MS, MAX_REPLACED, pauseAfter, REPLACED_MS, secondsOf } from '../../rules.ts';
import type { Broadcast } from '../../store.ts';
import { keyOf, type KeyedTry, type Rival, type Try } from './replaced.ts';

/** An ended broadcast: how long it was on air, and its peak of viewers. */
export interface EndedBroadcast {
  readonly seconds: number;
  readonly peakViewers: number;
  /** Null if it was never on air. */
  readonly startedAt: string | null;
  readonly endedAt: string;
  /** Whether an encoder published it; that encoder is refused until somebody stops and starts it. */
  readonly fromEncoder: boolean;
}

export function endedView({ state, peakViewers, publishedWith }: Broadcast): EndedBroadcast {
  const { startedAt, endedAt } = state;
  if (endedAt === null) throw new Error('a broadcast that was ended has its end');
  return {
    seconds: secondsOf(state, endedAt),
    peakViewers,
    startedAt: startedAt === null ? null : new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    fromEncoder: publishedWith === 'stream_key',
  };
}

/** The last try of an encoder whose broadcast was ended. */
interface Ended extends KeyedTry {
  /** The session that was ended; null if the encoder was only trying to connect. */
  readonly session: string | null;
}

/**
 * Encoders whose broadcast the performer has ended on the page. They reconnect by themselves, and would put
 * the performer back on air after the page said that the room is closed. So they are refused for as long as
 * they keep trying. A pause or a meant stop makes the next try a new start; if an encoder was stopped while
 * it was refused, its performer can let it back on.
 */
export class EndedEncoders {
  /** By performer and source. */
  readonly #tries = new Remembered<Ended>(MAX_REPLACED);

  /** Records that the session of an encoder was ended. */
  note(performer: string, { source, keyHash }: Rival, session: string, nowMs: number): void {
    const ended = { session, keyHash, atMs: nowMs, pauseMs: ENDED_PAUSE_MS };
    this.#tries.set(keyOf(performer, source), ended, nowMs);
  }

  /**
   * Records an encoder that was only trying to connect: it keeps trying, with waits that may be long by now.
   */
  noteRival(performer: string, { source, ...last }: Rival & Try, nowMs: number): void {
    this.#tries.set(keyOf(performer, source), { ...last, session: null }, nowMs);
  }

  /**
   * Whether an ended encoder keeps trying; this is one more try. Another key means a manual start.
   */
  isTryingAgain(performer: string, { source, keyHash }: Rival, nowMs: number): boolean {
    const key = keyOf(performer, source);
    const last = this.#tries.get(key, nowMs, REPLACED_MS);
    const waitedMs = last === null ? 0 : nowMs - last.atMs;
    if (last?.keyHash !== keyHash || waitedMs >= last.pauseMs) {
      this.#tries.delete(key);
      return false;
    }
    this.#tries.set(key, { ...last, atMs: nowMs, pauseMs: pauseAfter(waitedMs) }, nowMs);
    return true;
  }

  /** Whether any encoder of a performer would be refused now. */
  isRefusing(performer: string, nowMs: number): boolean {
    return this.#tries.entries(nowMs, REPLACED_MS).some(([key, { atMs, pauseMs }]) =>
      key.startsWith(keyOf(performer, '')) && nowMs - atMs < pauseMs
    );
  }

  /** Records that an encoder meant to stop the session that was ended: its next start is meant, too. */
  stopped(performer: string, session: string, nowMs: number): void {
    this.#tries.dropWhere((key) =>
      key.startsWith(keyOf(performer, ''))
      && this.#tries.get(key, nowMs, REPLACED_MS)?.session === session
    );
  }

  /** The performer admits whichever encoder comes next. */
  forget(performer: string): void {
    this.#tries.dropWhere((key) => key.startsWith(keyOf(performer, '')));
  }
}
