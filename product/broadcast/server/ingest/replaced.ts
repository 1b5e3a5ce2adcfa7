import { Remembered } from '#platform/data/remembered.ts';
import { addressGroups } from '#platform/http/address.ts';
import { ENDED_PAUSE_MS, MAX_REPLACED, pauseAfter, REPLACED_MS, RIVAL_NOTICE_MS } from '../../rules.ts';
import type { Publisher } from '../../store.ts';

/** How a publisher connects. */
export interface PublisherConnection {
  readonly protocol: 'whip' | 'rtmp';
  /** IP address of the publisher. */
  readonly address: string;
}

/**
 * Identifies a publisher that comes back: a page by its browser key, which is new at each start; an encoder
 * by its protocol and network, because all encoders of a performer share one key.
 */
export const sourceOf = (
  { kind, keyHash }: Publisher,
  { protocol, address }: PublisherConnection,
): string => (kind === 'browser_key'
  ? `page ${keyHash}`
  : `${protocol} ${addressGroups(address)[0]?.key ?? address}`);

/** A publisher's identity, and the hash of the key it used. */
export interface Rival {
  readonly source: string;
  readonly keyHash: string;
}

/** The last try of a publisher that reconnects by itself. */
export interface Try {
  readonly atMs: number;
  /** The longest wait before its next try; after a longer one the publisher has paused. */
  readonly pauseMs: number;
}

/** A try, and the key used for it. */
export interface KeyedTry extends Try {
  /** Hash of the key. */
  readonly keyHash: string;
}

/**
 * Publishers replaced by another one of the same performer. They reconnect by themselves and would replace
 * the newer one in turn, for ever; so they are refused while the newer one is there. Two publishers of one
 * network look the same: either may come back once the other's media has paused, because it may be the same
 * one after its connection broke.
 */
export class Replaced {
  /** By performer and source. */
  readonly #sources = new Remembered<KeyedTry>(MAX_REPLACED);
  /** Performers whose replaced publisher has tried to come back. */
  readonly #rivals = new Remembered<true>(MAX_REPLACED);
  /** By session: those whose end the engine reports only after it has answered the newer one. */
  readonly #leaving = new Remembered<Rival & { readonly performer: string }>(MAX_REPLACED);

  /** A session made way for a newer one; its `down` may be still to come. */
  leaves(session: string, performer: string, { source, keyHash }: Rival, nowMs: number): void {
    this.#leaving.set(session, { performer, source, keyHash }, nowMs);
  }

  /** The `down` of a session that made way has come. */
  isDown(session: string, wasSending: boolean, nowMs: number): void {
    const rival = this.#leaving.get(session, nowMs, REPLACED_MS);
    this.#leaving.delete(session);
    if (rival && wasSending) this.note(rival.performer, rival, nowMs);
  }

  note(performer: string, { source, keyHash }: Rival, nowMs: number): void {
    this.#sources.set(keyOf(performer, source), { keyHash, atMs: nowMs, pauseMs: ENDED_PAUSE_MS }, nowMs);
  }

  /** The source is on air: a page that reconnects has only replaced itself. */
  forgive(performer: string, source: string): void {
    this.#sources.delete(keyOf(performer, source));
    this.#leaving.dropWhere((_session, rival) => rival.performer === performer && rival.source === source);
  }

  /** Whether a source was replaced, and has not given up. */
  has(performer: string, source: string, nowMs: number): boolean {
    return this.#sources.get(keyOf(performer, source), nowMs, REPLACED_MS) !== null;
  }

  /** The source was refused: records its try. */
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

  /** The broadcast is over: the next publisher is the first one. */
  forget(performer: string): void {
    this.#sources.dropWhere((key) => key.startsWith(keyOf(performer, '')));
    this.#leaving.dropWhere((_session, rival) => rival.performer === performer);
    this.#rivals.delete(performer);
  }
}

/** The key of a performer's source in memory; with an empty source, the prefix of all their keys. */
export const keyOf = (performer: string, source: string): string => `${performer}\n${source}`;
