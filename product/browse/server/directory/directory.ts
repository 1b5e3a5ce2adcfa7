import { isOnline, type DirectoryEntry } from '../../rules/listing/entry.ts';
import { matcherOf, type Filter } from '../../rules/listing/filters.ts';
import { sorted, type Sort } from '../../rules/listing/ranking.ts';

/** Orders of so many or fewer are made again at every change; of more, at most once a second. */
const SMALL = 500;
const ORDER_MS = 1_000;
/** Time alone changes an order: who has just come online moves down. */
const STALE_MS = 60_000;

/** Whether a viewer may perceive a performer: `compliance` decides. */
export type Sees = (entry: DirectoryEntry) => boolean;

export interface DirectoryQuery {
  readonly filter: Filter;
  readonly sort: Sort;
  /** Fixes the random order. */
  readonly seed?: number;
  readonly sees: Sees;
  readonly offset: number;
  readonly limit: number;
  /** Whether who is offline counts as well; they come after everybody else. */
  readonly withOffline?: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface Found {
  readonly entries: readonly DirectoryEntry[];
  /** How many there are in all. */
  readonly total: number;
}

interface Order {
  readonly entries: readonly DirectoryEntry[];
  /** Version of the directory that was sorted, and that of the entries. */
  readonly madeOf: number;
  readonly version: number;
  readonly madeAt: number;
}

/**
 * Everything known of the performers of one operator, in memory. Answers listings without a query: 20,000
 * online and 200,000 in all are what it is measured with (`bench/browse`).
 */
export class Directory {
  readonly #entries = new Map<number, DirectoryEntry>();
  readonly #byUsername = new Map<string, number>();
  readonly #online = new Map<number, DirectoryEntry>();
  readonly #orders = new Map<Sort, Order>();
  readonly #watchers = new Set<(id: number, entry: DirectoryEntry | undefined) => void>();
  #version = 0;

  get size(): number {
    return this.#entries.size;
  }

  get onlineCount(): number {
    return this.#online.size;
  }

  /** Grows with every change: what was made of an older version may be out of date. */
  get version(): number {
    return this.#version;
  }

  /** Adds a performer, or replaces what was known. */
  put(entry: DirectoryEntry): void {
    const before = this.#entries.get(entry.id);
    if (before && before.username !== entry.username) this.#forgetName(before);
    this.#entries.set(entry.id, entry);
    this.#byUsername.set(entry.username, entry.id);
    if (isOnline(entry)) this.#online.set(entry.id, entry);
    else this.#online.delete(entry.id);
    this.#changed(entry.id, entry);
  }

  /** Calls back with every performer that changes, and without an entry when one is gone. */
  watch(watcher: (id: number, entry: DirectoryEntry | undefined) => void): void {
    this.#watchers.add(watcher);
  }

  /** Changes a part of what is known of somebody; nothing for nobody. */
  change(id: number, part: Partial<DirectoryEntry>): void {
    const entry = this.#entries.get(id);
    if (entry) this.put({ ...entry, ...part });
  }

  delete(id: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    this.#forgetName(entry);
    this.#online.delete(id);
    this.#changed(id, undefined);
  }

  /** Makes this directory equal to another. */
  become(other: Directory): void {
    for (const id of this.#entries.keys()) if (!other.#entries.has(id)) this.delete(id);
    for (const entry of other.#entries.values()) this.put(entry);
  }

  get(id: number): DirectoryEntry | undefined {
    return this.#entries.get(id);
  }

  named(username: string): DirectoryEntry | undefined {
    const id = this.#byUsername.get(username);
    return id === undefined ? undefined : this.#entries.get(id);
  }

  all(): IterableIterator<DirectoryEntry> {
    return this.#entries.values();
  }

  online(): IterableIterator<DirectoryEntry> {
    return this.#online.values();
  }

  /** One page of a listing, and how many are in all of it. */
  list({ filter, sort, seed, sees, offset, limit, withOffline = false, now }: DirectoryQuery): Found {
    const matches = matcherOf(filter, now);
    const entries: DirectoryEntry[] = [];
    let total = 0;
    const take = (entry: DirectoryEntry): void => {
      if (!matches(entry) || !sees(entry)) return;
      if (total >= offset && entries.length < limit) entries.push(entry);
      total += 1;
    };
    for (const entry of this.#order(sort, now, seed)) take(entry);
    if (withOffline) for (const entry of this.#offline(filter)) take(entry);
    return { entries, total };
  }

  /** Calls `count` with everybody online who matches and may be perceived. */
  each(filter: Filter, sees: Sees, now: number, count: (entry: DirectoryEntry) => void): void {
    const matches = matcherOf(filter, now);
    for (const entry of this.#online.values()) if (matches(entry) && sees(entry)) count(entry);
  }

  /** Somebody else may have taken it meanwhile. */
  #forgetName({ id, username }: DirectoryEntry): void {
    if (this.#byUsername.get(username) === id) this.#byUsername.delete(username);
  }

  #changed(id: number, entry: DirectoryEntry | undefined): void {
    this.#version += 1;
    for (const watcher of this.#watchers) watcher(id, entry);
  }

  /** Who is not online, latest first: of the ids of the filter when it has some. */
  #offline({ ids }: Filter): readonly DirectoryEntry[] {
    const among = ids
      ? [...ids].map((id) => this.#entries.get(id)).filter((entry) => entry !== undefined)
      : [...this.#entries.values()];
    return among.filter((entry) => !this.#online.has(entry.id))
      .sort((a, b) => (b.lastLiveAt ?? 0) - (a.lastLiveAt ?? 0) || a.id - b.id);
  }

  #order(sort: Sort, now: number, seed?: number): readonly DirectoryEntry[] {
    if (sort === 'random') return sorted([...this.#online.values()], sort, now, seed);
    const made = this.#orders.get(sort);
    if (made && Math.abs(now - made.madeAt) < this.#maxAgeOf(made)) {
      if (made.version === this.#version) return made.entries;
      const current = { ...made, entries: this.#current(made), version: this.#version };
      this.#orders.set(sort, current);
      return current.entries;
    }
    const entries = sorted([...this.#online.values()], sort, now);
    this.#orders.set(sort, { entries, madeOf: this.#version, version: this.#version, madeAt: now });
    return entries;
  }

  /** How long an order may be used. */
  #maxAgeOf({ madeOf }: Order): number {
    if (madeOf === this.#version) return STALE_MS;
    return this.#online.size > SMALL ? ORDER_MS : 0;
  }

  /** An order of a moment ago with what is known now: nobody who left, and who came since at its end. */
  #current({ entries }: Order): readonly DirectoryEntry[] {
    const listed = new Set<number>();
    const current: DirectoryEntry[] = [];
    for (const { id } of entries) {
      const entry = this.#online.get(id);
      if (!entry) continue;
      listed.add(id);
      current.push(entry);
    }
    if (listed.size < this.#online.size)
      for (const entry of this.#online.values()) if (!listed.has(entry.id)) current.push(entry);
    return current;
  }
}
