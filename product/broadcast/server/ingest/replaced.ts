import { addressGroups } from '#platform/http/address.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { ENDED_PAUSE_MS, MAX_REPLACED, pauseAfter, REPLACED_MS, RIVAL_NOTICE_MS } from '../../rules.ts';
import type { Publisher } from '../../store.ts';

/** How a publisher asks. */
export interface Door {
  readonly protocol: 'whip' | 'rtmp';
  /** IP address of the other end. */
  readonly address: string;
}

/**
 * What a publisher is recognized by when it comes back: a page by its browser key, of which each start has a
 * new one; an encoder by its protocol and its network, for all of a performer have the same key.
 */
export const sourceOf = ({ kind, keyHash }: Publisher, { protocol, address }: Door): string =>
  (kind === 'browser_key' ? `page ${keyHash}` : `${protocol} ${addressGroups(address)[0]?.key ?? address}`);

/** A publisher as it is recognized, and the hash of the key it came with. */
export interface Rival {
  readonly source: string;
  readonly keyHash: string;
}

/** The last try of a publisher that reconnects by itself. */
export interface Try {
  readonly atMs: number;
  /** It may wait so long before the next try; whoever waits longer has paused. */
  readonly pauseMs: number;
}

/** A try, with the key that it was made with. */
export interface KeyedTry extends Try {
  /** Of the key it was made with. */
  readonly keyHash: string;
}

/**
 * Publishers that another one of the same performer has replaced. They reconnect by themselves, and would
 * replace the newer one in turn, and so on for ever: they are refused while that one is there. Two of one
 * network look the same: either may come once the other's media has paused, for that may be itself,
 * whose line broke.
 */
export class Replaced {
  /** By performer and source. */
  readonly #sources = new Remembered<KeyedTry>(MAX_REPLACED);
  /** Performers whose replaced publisher came back. */
  readonly #rivals = new Remembered<true>(MAX_REPLACED);

  note(performer: string, { source, keyHash }: Rival, nowMs: number): void {
    this.#sources.set(keyOf(performer, source), { keyHash, atMs: nowMs, pauseMs: ENDED_PAUSE_MS }, nowMs);
  }

  /** It is the one on air: a page that comes again has only replaced itself. */
  forgive(performer: string, source: string): void {
    this.#sources.delete(keyOf(performer, source));
  }

  /** Whether a source was replaced, and has not given up. */
  has(performer: string, source: string, nowMs: number): boolean {
    return this.#sources.get(keyOf(performer, source), nowMs, REPLACED_MS) !== null;
  }

  /** It was refused: its try goes on. */
  refused(performer: string, { source, keyHash }: Rival, nowMs: number): void {
    const key = keyOf(performer, source);
    const last = this.#sources.get(key, nowMs, REPLACED_MS);
    const pauseMs = pauseAfter(last === null ? 0 : nowMs - last.atMs);
    this.#sources.set(key, { keyHash, atMs: nowMs, pauseMs }, nowMs);
    this.#rivals.set(performer, true, nowMs);
  }

  /** Whether a replaced publisher of a performer has lately tried to come back. */
  hasRival(performer: string, nowMs: number): boolean {
    return this.#rivals.get(performer, nowMs, RIVAL_NOTICE_MS) !== null;
  }

  /** A performer's encoders that were replaced and have not given up. */
  encodersOf(performer: string, nowMs: number): (Rival & Try)[] {
    const [own, page] = [keyOf(performer, ''), keyOf(performer, 'page ')];
    return this.#sources.entries(nowMs, REPLACED_MS)
      .filter(([key]) => key.startsWith(own) && !key.startsWith(page))
      .map(([key, last]) => ({ source: key.slice(own.length), ...last }));
  }

  /** The broadcast is over: whoever comes next is the first. */
  forget(performer: string): void {
    this.#sources.dropWhere((key) => key.startsWith(keyOf(performer, '')));
    this.#rivals.delete(performer);
  }
}

/** Where a source of a performer is remembered; an empty one is what the keys of all theirs begin with. */
export const keyOf = (performer: string, source: string): string => `${performer}\n${source}`;
