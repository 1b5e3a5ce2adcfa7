import type { DirectoryEntry } from '#product/browse/rules/listing/entry.ts';
import { Directory } from '#product/browse/server.ts';

const SYLLABLES = ('an na li sa ma ri el le jo ka ti vi ol ga da ro be al ex so fi lu cy mi ra ni co ta sha '
  + 'ke ly em bel dia zo pe tru gwen hil').split(' ');
const LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'nl', 'ro', 'ru', 'pt', 'ja'];
const REGIONS = ['europe', 'eastern-europe', 'asia', 'usa', 'africa', 'central-south-america'] as const;
const GENDERS = ['f', 'f', 'f', 'c', 'm', 't'] as const;
const WORDS = 4_000;
const TAGS = 1_000;

/** The same numbers at every run (a linear congruential generator). */
export class Dice {
  #state = 20_260_101;

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  /** Low numbers far more often than high ones, as words and tags are. */
  skewed(limit: number): number {
    return Math.floor((this.below(1_000) / 1_000) ** 3 * limit);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  name(): string {
    return Array.from({ length: 2 + this.below(3) }, () => this.of(SYLLABLES)).join('');
  }
}

/** Adds `known` performers to a directory, `online` of them live. */
export function populate(known: number, online: number, now: number, directory = new Directory()): Directory {
  const dice = new Dice();
  const words = Array.from({ length: WORDS }, () => dice.name());
  for (let id = 1; id <= known; id += 1) {
    const isLive = id % Math.floor(known / online) === 0;
    const first = dice.name();
    directory.put(
      {
        id,
        username: `${first}_${dice.name()}${dice.below(100)}`,
        displayName: `${first} ${dice.name()}`,
        gender: dice.of(GENDERS),
        avatarUrl: `/blobs/${id}`,
        registeredAt: now - dice.below(1e11),
        languages: [dice.of(LANGUAGES), dice.of(LANGUAGES)],
        state: { active: true, cleared: true, isHidden: false, blockedRegions: [] },
        region: dice.of(REGIONS),
        country: 'RO',
        ageRange: '23-29',
        ethnicity: null,
        voyeur: null,
        isIndependent: true,
        hasFanclub: id % 5 === 0,
        privatePrice: 6 + dice.below(120),
        exclusivePrice: null,
        isExclusive: false,
        spyPrice: 6,
        controlRate: dice.below(3) === 0 ? 30 : null,
        offersCam2Cam: false,
        takesPrivateCameras: false,
        hasTicketShow: false,
        isOnHome: true,
        studio: null,
        roles: [],
        topic: Array.from({ length: 8 }, () => words[dice.skewed(WORDS)]).join(' '),
        tags: Array.from({ length: 5 }, () => `tag-${words[dice.skewed(TAGS)] ?? ''}`),
        status: isLive ? 'online' : 'offline',
        viewerCount: isLive ? dice.skewed(2_000) : 0,
        isLocked: false,
        stream: isLive ? `s${id}` : null,
        startedAt: isLive ? now - dice.below(7_200_000) : null,
        lastLiveAt: now - dice.below(1e10),
        followers: dice.skewed(50_000),
        rating: dice.below(50) / 10,
        privateRating: null,
        recentTips: isLive ? dice.skewed(5_000) : 0,
        goal: null,
      } satisfies DirectoryEntry,
    );
  }
  return directory;
}

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Live bytes of the heap; needs `--expose-gc` to be exact. */
export function heapBytes(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
}
