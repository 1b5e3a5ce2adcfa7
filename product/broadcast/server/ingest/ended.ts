import { Remembered } from '#platform/data/remembered.ts';
import { ENDED_PAUSE_MS, MAX_REPLACED, pauseAfter, REPLACED_MS, secondsOf } from '../../rules.ts';
import type { Broadcast } from '../../store.ts';
import { keyOf, type KeyedTry, type Rival, type Try } from './replaced.ts';

/** A broadcast that is over: how long it was on air, and how many watched at most at once. */
export interface EndedBroadcast {
  readonly seconds: number;
  readonly peakViewers: number;
  /** Null where it never was on air. */
  readonly startedAt: string | null;
  readonly endedAt: string;
  /** An encoder published it, which is refused until it is stopped and started. */
  readonly fromEncoder: boolean;
}

export function endedView({ state, peakViewers, publishedWith }: Broadcast): EndedBroadcast {
  const { startedAt, endedAt } = state;
  if (endedAt === null) throw new Error('a broadcast that was ended has its end');
  return {
    seconds: secondsOf(state, endedAt), peakViewers,
    startedAt: startedAt === null ? null : new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(), fromEncoder: publishedWith === 'stream_key',
  };
}

/** An encoder that was ended, as it last tried. */
interface Ended extends KeyedTry {
  /** The session that was ended under it; null where it only tried to come. */
  readonly session: string | null;
}

/**
 * Encoders whose broadcast the performer has ended on the page. They reconnect by themselves, and would put
 * the performer on air again, who read that the room closes: they are refused for as long as they keep
 * trying. A pause or a meant stop is a new start; one that was stopped while it was refused is let back on by
 * its performer.
 */
export class EndedEncoders {
  /** By performer and source. */
  readonly #tries = new Remembered<Ended>(MAX_REPLACED);

  /** The session of an encoder is ended under it. */
  note(performer: string, { source, keyHash }: Rival, session: string, nowMs: number): void {
    const ended = { session, keyHash, atMs: nowMs, pauseMs: ENDED_PAUSE_MS };
    this.#tries.set(keyOf(performer, source), ended, nowMs);
  }

  /** One that only tried to come is ended, too: it goes on as it did, with waits that may be long by now. */
  noteRival(performer: string, { source, ...last }: Rival & Try, nowMs: number): void {
    this.#tries.set(keyOf(performer, source), { ...last, session: null }, nowMs);
  }

  /**
   * Whether an encoder that was ended goes on trying; this is one more try. With another key somebody has
   * started it.
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
      key.startsWith(keyOf(performer, '')) && nowMs - atMs < pauseMs);
  }

  /** An encoder means to stop the session that was ended under it: its next start is meant, too. */
  stopped(performer: string, session: string, nowMs: number): void {
    this.#tries.dropWhere((key) => key.startsWith(keyOf(performer, ''))
      && this.#tries.get(key, nowMs, REPLACED_MS)?.session === session);
  }

  /** Its performer wants whichever encoder comes next. */
  forget(performer: string): void {
    this.#tries.dropWhere((key) => key.startsWith(keyOf(performer, '')));
  }
}
