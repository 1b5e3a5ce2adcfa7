import type { DirectoryEntry } from '../../rules/listing/entry.ts';
import {
  AMOUNTS,
  conditionsOf,
  FACETS,
  facetValues,
  type Amount,
  type Condition,
  type Facet,
  type Filter,
} from '../../rules/listing/filters.ts';
import { Bits } from './bits.ts';

/**
 * Whether a viewer may perceive a performer: `compliance` decides, by id and `state` alone. Viewers who
 * perceive the same performers share one function, so that its result can be cached.
 */
export type Sees = (entry: DirectoryEntry) => boolean;

/** Maximum cached functions: one for each region that a process serves at the same time. */
const MAX_SEES = 256;
/** Facets with free values, most of them rare: a bit set for each value would waste memory. */
const OPEN: ReadonlySet<Facet> = new Set<Facet>(['tag', 'studio']);

/**
 * Online performers, in columns. A performer has a position while online. Every value of every facet has the
 * set of its positions, and every amount a column, so that a filter combines sets instead of checking each
 * performer. Each change updates everything at once, so answers are never out of date.
 */
export class OnlinePerformers {
  readonly #positions = new Map<number, number>();
  readonly #entries: (DirectoryEntry | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #all = new Bits();
  readonly #values = new Map(FACETS.map((facet) => [facet, new Map<string, Bits | Set<number>>()]));
  readonly #amounts = new Map<Amount, Float64Array>(AMOUNTS.map((amount) => [amount, new Float64Array(64)]));
  /** Most recently used last. */
  readonly #seen = new Map<Sees, Bits>();

  get size(): number {
    return this.#positions.size;
  }

  /** Adds a performer, or replaces their entry. */
  put(entry: DirectoryEntry): { readonly position: number; readonly isNew: boolean } {
    const known = this.#positions.get(entry.id);
    const position = known ?? this.#free.pop() ?? this.#entries.length;
    const before = this.#entries[position];
    this.#entries[position] = entry;
    if (known === undefined) {
      this.#positions.set(entry.id, position);
      this.#all.add(position);
    }
    for (const facet of FACETS) this.#changeValues(facet, position, before, entry);
    for (const amount of AMOUNTS) this.#setAmount(amount, position, entry[amount]);
    if (before?.state !== entry.state) {
      for (const [sees, bits] of this.#seen) {
        if (sees(entry)) bits.add(position);
        else bits.delete(position);
      }
    }
    return { position, isNew: known === undefined };
  }

  /** The performer's last position; undefined if they were not online. */
  delete(id: number): number | undefined {
    const position = this.#positions.get(id);
    if (position === undefined) return undefined;
    for (const facet of FACETS) this.#changeValues(facet, position, this.#entries[position], undefined);
    for (const bits of [this.#all, ...this.#seen.values()]) bits.delete(position);
    this.#positions.delete(id);
    this.#entries[position] = undefined;
    this.#free.push(position);
    return position;
  }

  has(id: number): boolean {
    return this.#positions.has(id);
  }

  positionOf(id: number): number {
    const position = this.#positions.get(id);
    if (position === undefined) throw new Error(`performer ${id} is not online`);
    return position;
  }

  at(position: number): DirectoryEntry {
    const entry = this.#entries[position];
    if (!entry) throw new Error(`nobody is at position ${position}`);
    return entry;
  }

  *entries(): IterableIterator<DirectoryEntry> {
    for (const entry of this.#entries) if (entry) yield entry;
  }

  /** Positions of performers who match and may be perceived. The caller may modify the set. */
  select(filter: Filter, sees: Sees, now: number): Bits {
    const selected = this.#seenBy(sees).copy();
    for (const condition of conditionsOf(filter, now)) this.#restrict(selected, condition);
    return selected;
  }

  /** Number of these performers per value of a facet; values without performers may be missing. */
  countBy(among: Bits, facet: Facet): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [value, holders] of this.#values.get(facet) ?? []) {
      const count = holders instanceof Bits ? among.countWith(holders) : countIn(among, holders);
      if (count > 0) counts.set(value, count);
    }
    return counts;
  }

  /**
   * The `max` values of an open facet that most of these performers have, with counts; on a tie, in
   * alphabetical order. `isMeant` excludes values.
   */
  mostFrequent(
    among: Bits,
    facet: 'tag' | 'studio',
    max: number,
    isMeant: (value: string) => boolean,
  ): [string, number][] {
    const bySize = [...this.#values.get(facet) ?? []] as [string, Set<number>][];
    bySize.sort(([, a], [, b]) => b.size - a.size);
    let most: [string, number][] = [];
    let least = 1;
    for (const [value, holders] of bySize) {
      // All further values have fewer holders than the least frequent one found.
      if (holders.size < least) break;
      if (!isMeant(value)) continue;
      const count = countIn(among, holders);
      if (count < least) continue;
      most.push([value, count]);
      if (most.length < max * 2) continue;
      most = most.sort(byCount).slice(0, max);
      least = most.at(-1)?.[1] ?? least;
    }
    return most.sort(byCount).slice(0, max);
  }

  /** Number of these performers with one value. */
  countOf(among: Bits, facet: Facet, value: string): number {
    const holders = this.#values.get(facet)?.get(value);
    if (!holders) return 0;
    return holders instanceof Bits ? among.countWith(holders) : countIn(among, holders);
  }

  /** Number of these performers with an amount in each range; ends are inclusive. */
  countWithin(
    among: Bits,
    amount: Amount,
    ranges: readonly { readonly from: number; readonly to: number }[],
  ): number[] {
    const column = this.#column(amount);
    const counts = ranges.map(() => 0);
    among.forEach((position) => {
      const number = column[position] ?? Number.NaN;
      ranges.forEach(({ from, to }, at) => {
        if (number >= from && number <= to) counts[at] = (counts[at] ?? 0) + 1;
      });
    });
    return counts;
  }

  #seenBy(sees: Sees): Bits {
    const known = this.#seen.get(sees);
    const bits = known ?? new Bits();
    if (!known) {
      this.#all.forEach((position) => {
        if (sees(this.at(position))) bits.add(position);
      });
    }
    this.#seen.delete(sees);
    this.#seen.set(sees, bits);
    const oldest = this.#seen.size > MAX_SEES ? this.#seen.keys().next().value : undefined;
    if (oldest) this.#seen.delete(oldest);
    return bits;
  }

  #restrict(selected: Bits, condition: Condition): void {
    switch (condition.has) {
      case 'any': {
        const { facet, values } = condition;
        const any = new Bits();
        for (const value of values) any.or(this.#holders(facet, value));
        selected.and(any);
        return;
      }
      case 'all':
      case 'none':
        for (const value of condition.values) {
          const holders = this.#holders(condition.facet, value);
          if (condition.has === 'all') selected.and(holders);
          else selected.andNot(holders);
        }
        return;
      case 'amount': {
        const column = this.#column(condition.amount);
        const { from, to } = condition;
        selected.forEach((position) => {
          const number = column[position] ?? Number.NaN;
          // Null is stored as NaN, which is in no range.
          if (!(number >= from && number <= to)) selected.delete(position);
        });
        return;
      }
      case 'id':
        selected.and(this.#bitsOf(condition.ids));
        return;
      case 'otherId':
        selected.andNot(this.#bitsOf(condition.ids));
    }
  }

  #bitsOf(ids: ReadonlySet<number>): Bits {
    const bits = new Bits();
    for (const id of ids) {
      const position = this.#positions.get(id);
      if (position !== undefined) bits.add(position);
    }
    return bits;
  }

  #holders(facet: Facet, value: string): Bits {
    const holders = this.#values.get(facet)?.get(value);
    if (holders instanceof Bits) return holders;
    const bits = new Bits();
    for (const position of holders ?? []) bits.add(position);
    return bits;
  }

  #changeValues(
    facet: Facet,
    position: number,
    before: DirectoryEntry | undefined,
    after: DirectoryEntry | undefined,
  ): void {
    const old = before ? facetValues(before, facet) : [];
    const now = after ? facetValues(after, facet) : [];
    if (old === now || (old.length === now.length && old.every((value, at) => value === now[at]))) return;
    const values = this.#values.get(facet) as Map<string, Bits | Set<number>>;
    for (const value of old) {
      if (now.includes(value)) continue;
      const holders = values.get(value);
      holders?.delete(position);
      if (holders instanceof Set && holders.size === 0) values.delete(value);
    }
    for (const value of now) {
      if (old.includes(value)) continue;
      const holders = values.get(value) ?? (OPEN.has(facet) ? new Set<number>() : new Bits());
      holders.add(position);
      values.set(value, holders);
    }
  }

  #column(amount: Amount): Float64Array {
    return this.#amounts.get(amount) as Float64Array;
  }

  #setAmount(amount: Amount, position: number, value: number | null): void {
    let column = this.#column(amount);
    if (position >= column.length) {
      const longer = new Float64Array(column.length * 2);
      longer.set(column);
      this.#amounts.set(amount, longer);
      column = longer;
    }
    column[position] = value ?? Number.NaN;
  }
}

const byCount = ([a, m]: [string, number], [b, n]: [string, number]): number => n - m || (a < b ? -1 : 1);

function countIn(among: Bits, holders: ReadonlySet<number>): number {
  let count = 0;
  for (const position of holders) if (among.has(position)) count += 1;
  return count;
}
