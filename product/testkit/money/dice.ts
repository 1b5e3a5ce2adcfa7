/** A seeded random generator: the same seed gives the same numbers on every machine. */
export class Dice {
  #state: number;

  constructor(seed: string) {
    // FNV-1a: seeds that differ in one letter get unrelated states.
    let hash = 0x811c9dc5;
    for (const letter of seed) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
    this.#state = hash >>> 0;
  }

  /** A number from 0 up to, not including, 1 (mulberry32). */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.roll() * (most - least + 1));
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.roll() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** Picks a key with a probability proportional to its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.roll() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    throw new RangeError('nothing to choose from');
  }

  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    for (let at = left.length - 1; at > 0; at -= 1) {
      const other = this.between(0, at);
      [left[at], left[other]] = [left[other] as T, left[at] as T];
    }
    return left;
  }

  /** A version 4 UUID in lower case. */
  uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.between(0, 15).toString(16)).join('');
    const [first, second] = [hex.slice(0, 8), hex.slice(8, 12)];
    return `${first}-${second}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
