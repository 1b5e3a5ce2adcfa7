import type { OperatorScope } from '#platform/data/data.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import type { Browsing } from '../dependencies.ts';
import type { Directory } from '../directory/directory.ts';
import { SearchIndex, type IsBlocked } from './searchable-words.ts';

/** A newly blocked word can be found for at most this long. */
const BLOCKED_MS = 5 * SECOND_MS;
const MAX_OPERATORS = 1_000;
/** Number of words whose verdict (blocked or not) is cached. */
const MAX_VERDICTS = 100_000;
/** Performers added to an index at once, so that building it blocks nobody for long. */
const BATCH = 2_000;

/** What an operator's searches work with. */
export interface Searched {
  readonly directory: Directory;
  readonly index: SearchIndex;
  readonly isBlocked: IsBlocked;
}

/** The search indexes of this process, one per directory, built at the first search. */
export class SearchIndexes {
  readonly #browsing: Browsing;
  readonly #indexes = new WeakMap<Directory, Promise<SearchIndex>>();
  readonly #blocked = new Remembered<Promise<IsBlocked>>(MAX_OPERATORS);

  constructor(browsing: Browsing) {
    this.#browsing = browsing;
  }

  async of(scope: OperatorScope): Promise<Searched> {
    const { directoryOf, data } = this.#browsing;
    const directory = await directoryOf(scope.operatorId);
    const index = this.#indexes.get(directory) ?? this.#make(directory);
    this.#indexes.set(directory, index);
    const isBlocked = await this.#blocked.ask(
      String(scope.operatorId),
      data.clock.now().getTime(),
      BLOCKED_MS,
      () => this.#blockedBy(scope),
    );
    return { directory, index: await index, isBlocked };
  }

  async #make(directory: Directory): Promise<SearchIndex> {
    const index = new SearchIndex();
    directory.watch((id, entry) => {
      if (entry) index.put(entry);
      else index.delete(id);
    });
    let count = 0;
    for (const entry of directory.all()) {
      index.put(entry);
      count += 1;
      if (count % BATCH === 0) {
        await new Promise<void>((resolve) => {
          setImmediate(resolve);
        });
      }
    }
    return index;
  }

  async #blockedBy({ operatorId }: OperatorScope): Promise<IsBlocked> {
    const { data, roomModeration } = this.#browsing;
    const has = await data.tx({ operatorId }, (tx) => roomModeration.siteWordsOf(tx));
    const verdicts = new Map<string, boolean>();
    return (word) => {
      const known = verdicts.get(word);
      if (known !== undefined) return known;
      if (verdicts.size >= MAX_VERDICTS) verdicts.clear();
      const isBlocked = has(word);
      verdicts.set(word, isBlocked);
      return isBlocked;
    };
  }
}
