import { subscribe, type Subscription } from '#platform/contract/bind.ts';
import type { OperatorScope } from '#platform/data/data.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { personChanged, personRegistered } from '#product/accounts/contract.ts';
import type { Person } from '#product/accounts/server.ts';
import type { Search } from '../../rules/search/facets.ts';
import { likeness, wordsOf } from '../../rules/search/search-words.ts';
import { findBios, isFilled, markFilled, saveBios, type BioWords } from '../../store/bios.ts';
import type { BrowseDependencies } from '../dependencies.ts';
import type { IsBlocked, Match } from './searchable-words.ts';
import type { Searched } from './searched.ts';

/** Bios per search: more than anybody pages through, few enough to read at once. */
const MAX_BIOS = 200;
/** A changed bio may be found by its old text for this long. */
const REMEMBERED_MS = MINUTE_MS / 2;
const MAX_REMEMBERED = 500;
/** Performers written by one unit of work. */
const BATCH = 500;
/** Pause after a query, in multiples of its duration: bios take at most a quarter of a database session. */
const REST = 3;
/** `query_canceled`: PostgreSQL ended a search that took too long. */
const CANCELED = '57014';

interface Waiting {
  readonly run: () => Promise<readonly BioWords[]>;
  readonly done: (found: Promise<readonly BioWords[]> | null) => void;
}

/**
 * Searches words in bios, by SQL. Queries run one at a time with pauses between them, and only the newest
 * search waits: a tip waits for one short query at most, even where the database has a single session. A
 * search overtaken by a newer one finds no bios.
 */
export class BioSearch {
  readonly #deps: Pick<BrowseDependencies, 'data' | 'onError'>;
  readonly #found = new Remembered<Promise<readonly BioWords[] | null>>(MAX_REMEMBERED);
  #isRunning = false;
  #waiting: Waiting | null = null;

  constructor(deps: Pick<BrowseDependencies, 'data' | 'onError'>) {
    this.#deps = deps;
  }

  /** Performers whose bio has every term; none when the search was overtaken or took too long. */
  async find(scope: OperatorScope, terms: readonly string[]): Promise<readonly BioWords[]> {
    const { data: { clock, tx }, onError } = this.#deps;
    if (terms.length === 0) return [];
    const key = `${scope.operatorId} ${[...terms].sort().join(' ')}`;
    const asked = this.#found.ask(
      key,
      clock.now().getTime(),
      REMEMBERED_MS,
      () => this.#turn(() => tx({ operatorId: scope.operatorId }, (unit) => findBios(unit, terms, MAX_BIOS))),
    );
    try {
      const found = await asked;
      if (found === null) this.#found.delete(key);
      return found ?? [];
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== CANCELED) onError(error);
      return [];
    }
  }

  /** Runs a query in turn; null if a newer one replaced it. */
  #turn(run: Waiting['run']): Promise<readonly BioWords[] | null> {
    if (!this.#isRunning) return this.#run(run);
    this.#waiting?.done(null);
    return new Promise((resolve) => {
      this.#waiting = { run, done: (found) => resolve(found) };
    });
  }

  async #run(run: Waiting['run']): Promise<readonly BioWords[]> {
    const { data: { clock } } = this.#deps;
    this.#isRunning = true;
    const began = clock.now().getTime();
    try {
      return await run();
    } finally {
      const restMs = (clock.now().getTime() - began) * REST;
      if (restMs === 0) this.#runNext();
      else clock.after('browse bios', restMs, () => this.#runNext());
    }
  }

  #runNext(): void {
    this.#isRunning = false;
    const next = this.#waiting;
    this.#waiting = null;
    if (next) next.done(this.#run(next.run));
  }
}

/** Whether a search has a word that the operator blocked: it finds nobody. */
export function isRefusedSearch({ words, tags }: Search, isBlocked: IsBlocked): boolean {
  const said = [words.join(' '), ...words, ...tags.map((tag) => tag.replaceAll('-', ' '))];
  return said.some((text) => text !== '' && isBlocked(text));
}

/**
 * Whether a bio alone makes a performer a result: it has every word, none of the excluded ones, and none that
 * the operator blocked. Does not check who may perceive whom.
 */
export function bioMatches(
  { words, without }: Search,
  { directory, index, isBlocked }: Searched,
  found: readonly Match[],
  bios: readonly BioWords[],
): Match[] {
  const known = new Set(found.map(({ entry }) => entry.id));
  return bios.flatMap(({ performerId, words: said }) => {
    const entry = known.has(performerId) ? undefined : directory.get(performerId);
    const answers = (term: string): boolean =>
      said.some((word) => likeness(term, word) !== null && !isBlocked(word));
    const has = (word: string): boolean => said.includes(word) || index.having([word]).has(performerId);
    return entry && words.every(answers) && !without.some((group) => group.every(has))
      ? [{ entry, quality: 0 }]
      : [];
  });
}

const bioOf = ({ id, username, displayName, about }: Person): BioWords => ({
  performerId: id,
  words: wordsOf(`${username} ${displayName} ${about}`),
});

/** Updates the searchable words of a performer when their account changes. */
export function bioSubscriptions({ data, accounts }: BrowseDependencies): Subscription[] {
  const save = (operatorId: number, personId: number): Promise<void> =>
    data.tx({ operatorId }, async (tx) => {
      const person = await accounts.findById(tx, personId);
      if (person?.type === 'model') await saveBios(tx, [bioOf(person)]);
    });
  return [
    subscribe(personRegistered, 'browse.bioOfRegistered')(async ({ operatorId, payload }) => {
      if (payload.type === 'model') await save(operatorId, payload.personId);
    }),
    subscribe(personChanged, 'browse.bioOfChanged')(async ({ operatorId, payload }) => {
      if (payload.type === 'model') await save(operatorId, payload.personId);
    }),
  ];
}

/** Fills in bios written before the table existed; once per operator. */
export async function fillBios(
  { data, accounts }: Pick<BrowseDependencies, 'data' | 'accounts'>,
  operatorId: number,
): Promise<void> {
  if (await data.tx({ operatorId }, isFilled)) return;
  let after: number | null = 0;
  while (after !== null) {
    const from: number = after;
    after = await data.tx({ operatorId }, async (tx) => {
      const people = await accounts.listPerformers(tx, from, BATCH);
      await saveBios(tx, people.map(bioOf));
      if (people.length < BATCH) await markFilled(tx);
      return people.length < BATCH ? null : people.at(-1)?.id ?? null;
    });
  }
}
