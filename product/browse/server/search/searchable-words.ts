import { isOnline, type DirectoryEntry } from '../../rules/listing/entry.ts';
import { likeness, mistakesOf, roughLikeness, wordsOf } from '../../rules/search/search-words.ts';

/** The index is rebuilt once it has this many words that nobody has any more. */
const MAX_UNUSED = 50_000;
/** With fewer matches than this, a search also looks inside words, and then tolerates typing errors. */
const ENOUGH = 10;
/** Marks the beginning of a word. */
const BEGINNING = '^';

/** A performer who matches what was typed; lower is better. */
export interface Match {
  readonly entry: DirectoryEntry;
  readonly quality: number;
}
/** Whether the operator blocked a word. */
export type IsBlocked = (word: string) => boolean;

/** Positions with a word: usually one performer, stored without a list. */
type Holders = number | number[];
/** Names count for everybody, topic and tags only for online performers. */
type Field = 'name' | 'text';
const BIT = { name: 0, text: 1 } as const satisfies Record<Field, number>;

interface Likely {
  readonly number: number;
  readonly quality: number;
}

/**
 * Finds performers and tags by typed words, tolerating typing errors. Every word is stored once with the
 * performers who have it; trigrams lead to the words. It does not check who may perceive whom: the caller
 * filters the results. Numbers in its lists are twice a performer's position, plus one for topic and tags.
 */
export class SearchIndex {
  readonly #positions = new Map<number, number>();
  readonly #entries: (DirectoryEntry | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #words: string[] = [];
  readonly #holders: (Holders | undefined)[] = [];
  readonly #parts = new Map<string, number[]>();
  /** Tags of online performers, with the performers' positions. */
  readonly #tags = new Map<string, Set<number>>();
  #unused = 0;
  /** Number of typed parts per word, and match quality per performer; empty between calls. */
  #counts = new Uint8Array(0);
  #qualities = new Uint8Array(0);

  get size(): number {
    return this.#positions.size;
  }

  /** Adds a performer or replaces them; cheap while name, topic and tags are unchanged. */
  put(entry: DirectoryEntry): void {
    let position = this.#positions.get(entry.id);
    if (position === undefined) {
      position = this.#free.pop() ?? this.#entries.length;
      this.#positions.set(entry.id, position);
    }
    const before = this.#entries[position];
    this.#entries[position] = entry;
    if (before && saysTheSame(before, entry)) return;
    this.#change(position, before, entry);
    if (this.#unused > MAX_UNUSED) this.#renew();
  }

  delete(id: number): void {
    const position = this.#positions.get(id);
    if (position === undefined) return;
    this.#change(position, this.#entries[position], undefined);
    this.#positions.delete(id);
    this.#entries[position] = undefined;
    this.#free.push(position);
  }

  /** Performers who match every word: by name alone, or also by topic and tags. */
  find(terms: readonly string[], isBlocked: IsBlocked, fields: readonly Field[] = ['name', 'text']): Match[] {
    if (this.#qualities.length < this.#entries.length) {
      this.#qualities = new Uint8Array(this.#entries.length * 2);
    }
    let found: Match[] | null = null;
    for (const term of terms) {
      const answers = this.#answersTo(term, isBlocked, fields);
      if (found === null) found = answers;
      else {
        const better = new Map(answers.map(({ entry, quality }) => [entry.id, quality]));
        found = found.flatMap(({ entry, quality }) => {
          const other = better.get(entry.id);
          return other === undefined ? [] : [{ entry, quality: Math.max(quality, other) }];
        });
      }
      if (found.length === 0) break;
    }
    return found ?? [];
  }

  /** Performers who have all of exactly these words. */
  having(words: readonly string[]): ReadonlySet<number> {
    const sets = words.map((word) => {
      const holders = this.#holders[this.#numbers.get(word) ?? -1];
      const list = typeof holders === 'number' ? [holders] : holders ?? [];
      return new Set(list.flatMap((holder) => this.#entries[holder >> 1]?.id ?? []));
    });
    const [first = new Set<number>(), ...others] = sets;
    return new Set([...first].filter((id) => others.every((ids) => ids.has(id))));
  }

  /** Tags that match every word: best match first, then most frequent. */
  tags(terms: readonly string[]): readonly string[] {
    const found: { tag: string; quality: number; count: number }[] = [];
    for (const [tag, { size: count }] of this.#tags) {
      const words = wordsOf(tag);
      let quality = 0;
      for (const term of terms) {
        let best = Number.POSITIVE_INFINITY;
        for (const word of words) best = Math.min(best, likeness(term, word) ?? Number.POSITIVE_INFINITY);
        quality = Math.max(quality, best);
      }
      if (Number.isFinite(quality)) found.push({ tag, quality, count });
    }
    return found.sort((a, b) => a.quality - b.quality || b.count - a.count || (a.tag < b.tag ? -1 : 1))
      .map(({ tag }) => tag);
  }

  /** Number of online performers with a tag, among those that `counts` accepts. */
  countOf(tag: string, counts: (entry: DirectoryEntry) => boolean): number {
    let count = 0;
    for (const position of this.#tags.get(tag) ?? []) {
      const entry = this.#entries[position];
      if (entry && counts(entry)) count += 1;
    }
    return count;
  }

  #answersTo(term: string, isBlocked: IsBlocked, fields: readonly Field[]): Match[] {
    const touched: number[] = [];
    const take = (words: readonly Likely[]): void => {
      for (const { number, quality } of words) {
        if (isBlocked(this.#words[number] ?? '')) continue;
        const holders = this.#holders[number];
        for (const holder of typeof holders === 'number' ? [holders] : holders ?? []) {
          if (!fields.includes(holder & 1 ? 'text' : 'name')) continue;
          const position = holder >> 1;
          const known = this.#qualities[position] ?? 0;
          if (known === 0) touched.push(position);
          if (known === 0 || quality + 1 < known) this.#qualities[position] = quality + 1;
        }
      }
    };
    const inner = partsWithin(term);
    const wanted = term.length <= 2 ? inner : [BEGINNING + term.slice(0, 2), ...inner];
    take(this.#wordsLike(term, wanted, wanted.length, likeness));
    if (touched.length < ENOUGH) take(this.#wordsLike(term, inner, inner.length, likeness));
    const mistakes = mistakesOf(term);
    if (touched.length < ENOUGH && mistakes > 0) {
      const needed = Math.max(term.length < 6 ? 1 : 2, wanted.length - 3 * mistakes);
      take(this.#wordsLike(term, wanted, needed, roughLikeness));
    }
    const found: Match[] = [];
    for (const position of touched) {
      const entry = this.#entries[position];
      if (entry) found.push({ entry, quality: (this.#qualities[position] ?? 1) - 1 });
      this.#qualities[position] = 0;
    }
    return found;
  }

  /** Matching words that have at least `needed` of the parts. */
  #wordsLike(
    term: string,
    wanted: readonly string[],
    needed: number,
    likeness: typeof roughLikeness,
  ): readonly Likely[] {
    const likely: Likely[] = [];
    const isOnlyPart = wanted.length === 1;
    const take = (number: number): void => {
      const quality = this.#holders[number] === undefined ? null : likeness(term, this.#words[number] ?? '');
      if (quality !== null) likely.push({ number, quality });
    };
    if (isOnlyPart) {
      for (const number of this.#parts.get(wanted[0] ?? '') ?? []) take(number);
      return likely;
    }
    if (this.#counts.length < this.#words.length) this.#counts = new Uint8Array(this.#words.length * 2);
    const lists = wanted.map((part) => this.#parts.get(part) ?? []);
    for (const list of lists) {
      for (const number of list) {
        const count = (this.#counts[number] ?? 0) + 1;
        this.#counts[number] = count;
        if (count === needed) take(number);
      }
    }
    for (const list of lists) for (const number of list) this.#counts[number] = 0;
    return likely;
  }

  #change(position: number, before: DirectoryEntry | undefined, after: DirectoryEntry | undefined): void {
    for (const field of ['name', 'text'] as const) {
      const [old, now] = [wordsIn(before, field), wordsIn(after, field)];
      const holder = position * 2 + BIT[field];
      for (const word of old) if (!now.has(word)) this.#drop(word, holder);
      for (const word of now) if (!old.has(word)) this.#add(word, holder);
    }
    for (const tag of shownTags(before)) {
      const positions = this.#tags.get(tag);
      positions?.delete(position);
      if (positions?.size === 0) this.#tags.delete(tag);
    }
    for (const tag of shownTags(after)) {
      const positions = this.#tags.get(tag) ?? new Set();
      this.#tags.set(tag, positions.add(position));
    }
  }

  #add(word: string, holder: number): void {
    let number = this.#numbers.get(word);
    if (number === undefined) {
      number = this.#words.length;
      this.#numbers.set(word, number);
      this.#words.push(word);
      for (const part of storedPartsOf(word)) {
        const numbers = this.#parts.get(part);
        if (numbers) numbers.push(number);
        else this.#parts.set(part, [number]);
      }
    } else if (this.#holders[number] === undefined) this.#unused -= 1;
    const holders = this.#holders[number];
    if (holders === undefined) this.#holders[number] = holder;
    else if (typeof holders === 'number') this.#holders[number] = [holders, holder];
    else holders.push(holder);
  }

  #drop(word: string, holder: number): void {
    const number = this.#numbers.get(word);
    const holders = number === undefined ? undefined : this.#holders[number];
    if (number === undefined || holders === undefined) return;
    if (typeof holders === 'number') {
      if (holders !== holder) return;
      this.#holders[number] = undefined;
      this.#unused += 1;
      return;
    }
    const at = holders.indexOf(holder);
    if (at < 0) return;
    const last = holders.pop();
    if (last !== undefined && last !== holder) holders[at] = last;
    if (holders.length === 1) this.#holders[number] = holders[0];
  }

  /** Removes words that nobody has any more. */
  #renew(): void {
    const entries = this.#entries.filter((entry) => entry !== undefined);
    for (const known of [this.#positions, this.#numbers, this.#parts, this.#tags]) known.clear();
    for (const list of [this.#entries, this.#free, this.#words, this.#holders]) list.length = 0;
    this.#unused = 0;
    for (const entry of entries) this.put(entry);
  }
}

const shownTags = (
  entry: DirectoryEntry | undefined,
): readonly string[] => (entry && isOnline(entry) ? entry.tags : []);

const saysTheSame = (a: DirectoryEntry, b: DirectoryEntry): boolean =>
  a.username === b.username && a.displayName === b.displayName && a.topic === b.topic
  && isOnline(a) === isOnline(b) && (a.tags === b.tags || a.tags.join() === b.tags.join());

function wordsIn(entry: DirectoryEntry | undefined, field: Field): ReadonlySet<string> {
  if (entry && field === 'name') return new Set(wordsOf(`${entry.username} ${entry.displayName}`));
  return new Set(entry && isOnline(entry) ? wordsOf(`${entry.topic} ${entry.tags.join(' ')}`) : []);
}

/** Trigrams of the typed text, anywhere in a word; for one or two letters, the beginning. */
function partsWithin(term: string): readonly string[] {
  if (term.length <= 2) return [BEGINNING + term];
  const parts = new Set<string>();
  for (let at = 0; at + 3 <= term.length; at += 1) parts.add(term.slice(at, at + 3));
  return [...parts];
}

function storedPartsOf(word: string): ReadonlySet<string> {
  const whole = BEGINNING + word;
  const parts = new Set([whole.slice(0, 2)]);
  for (let at = 0; at + 3 <= whole.length; at += 1) parts.add(whole.slice(at, at + 3));
  return parts;
}
