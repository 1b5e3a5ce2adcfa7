/** Counts the bits of a word without a loop (Hacker's Delight, 5-1). */
function countOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55_55_55_55);
  const nibbles = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
}

/** A set of small integers, one bit each: joining two sets of 20,000 takes a few microseconds. */
export class Bits {
  #words: Uint32Array;

  constructor(words = new Uint32Array(1)) {
    this.#words = words;
  }

  add(number: number): void {
    const at = number >>> 5;
    if (at >= this.#words.length) {
      const words = new Uint32Array(Math.max(at + 1, this.#words.length * 2));
      words.set(this.#words);
      this.#words = words;
    }
    this.#words[at] = (this.#words[at] ?? 0) | (1 << (number & 31));
  }

  delete(number: number): void {
    const at = number >>> 5;
    if (at < this.#words.length) this.#words[at] = (this.#words[at] ?? 0) & ~(1 << (number & 31));
  }

  has(number: number): boolean {
    return ((this.#words[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
  }

  copy(): Bits {
    return new Bits(this.#words.slice());
  }

  /** Retains only what is in both sets. Changes this set, as do the next two methods. */
  and(others: Bits): this {
    const [words, other] = [this.#words, others.#words];
    for (let at = 0; at < words.length; at += 1) words[at] = (words[at] ?? 0) & (other[at] ?? 0);
    return this;
  }

  andNot(others: Bits): this {
    const [words, other] = [this.#words, others.#words];
    const length = Math.min(words.length, other.length);
    for (let at = 0; at < length; at += 1) words[at] = (words[at] ?? 0) & ~(other[at] ?? 0);
    return this;
  }

  or(others: Bits): this {
    if (others.#words.length > this.#words.length) {
      const longer = new Uint32Array(others.#words.length);
      longer.set(this.#words);
      this.#words = longer;
    }
    const [words, other] = [this.#words, others.#words];
    for (let at = 0; at < other.length; at += 1) words[at] = (words[at] ?? 0) | (other[at] ?? 0);
    return this;
  }

  /** Size of the set. */
  count(): number {
    let count = 0;
    const words = this.#words;
    for (let at = 0; at < words.length; at += 1) count += countOf(words[at] ?? 0);
    return count;
  }

  /** Size of the intersection. */
  countWith(others: Bits): number {
    let count = 0;
    const [words, other] = [this.#words, others.#words];
    const length = Math.min(words.length, other.length);
    for (let at = 0; at < length; at += 1) count += countOf((words[at] ?? 0) & (other[at] ?? 0));
    return count;
  }

  forEach(call: (number: number) => void): void {
    for (let at = 0; at < this.#words.length; at += 1) {
      let word = this.#words[at] ?? 0;
      while (word !== 0) {
        const bit = 31 - Math.clz32(word & -word);
        call(at * 32 + bit);
        word &= word - 1;
      }
    }
  }
}
