import type { Data } from '#platform/data/data.ts';
import type { MarkedVisit } from '#platform/http/pages/ssr.ts';
import { parseCookies } from '#platform/http/pipeline/credentials.ts';
import { dayOf } from '#platform/time/days.ts';
import type { ConsentService } from '#product/consent/server.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { isbot } from 'isbot';
import { SEO_FLUSH_MS, wordingIn } from '../../rules/reports/seo-words.ts';
import { addSeoVisits, type SeoVisitCount } from '../../store/trackers.ts';

/**
 * Counts documents of rooms by their wording. The server counts when it sends them, not the page: crawlers
 * need not run scripts, blockers stop trackers, and documents from the cache are sent like any other. A
 * process counts in memory by day, wording and kind of reader, and writes the counts every
 * {@link SEO_FLUSH_MS} and when it stops. All it reads about the reader is the browser's name, and whether
 * they allow statistics; readers who do not are not counted.
 */
export class SeoVisits {
  readonly #data: Pick<Data, 'tx' | 'clock'>;
  readonly #consent: Pick<ConsentService, 'inForce'>;
  readonly #onError: (error: unknown) => void;
  readonly #cancelTimer: () => void;
  /** By operator, then by day and wording: two entries a day, however many documents are sent. */
  #counts = new Map<number, Map<string, SeoVisitCount>>();
  #writing: Promise<void> = Promise.resolve();
  /** Visits of people whose consent is being looked up. */
  #counting: Promise<void> = Promise.resolve();

  constructor({ data, consent, onError }: {
    readonly data: Pick<Data, 'tx' | 'clock'>;
    readonly consent: Pick<ConsentService, 'inForce'>;
    readonly onError: (error: unknown) => void;
  }) {
    this.#data = data;
    this.#consent = consent;
    this.#onError = onError;
    this.#cancelTimer = data.clock.every('browse seo visits', SEO_FLUSH_MS, () => void this.flush());
  }

  readonly count = (visit: MarkedVisit): void => {
    const { operatorId, mark, headers } = visit;
    const wording = wordingIn(mark);
    // A browser may prefetch a page and show it later, or never.
    if (wording === null || headers['sec-purpose']?.includes('prefetch')) return;
    const day = dayOf(this.#data.clock.now());
    if (isCrawlerName(headers['user-agent'])) {
      this.#add(operatorId, { day, wording, people: 0, crawlers: 1 });
      return;
    }
    const counting = this.#allows(visit).then((isAllowed) => {
      if (isAllowed) this.#add(operatorId, { day, wording, people: 1, crawlers: 0 });
    }).catch(this.#onError);
    this.#counting = this.#counting.then(() => counting);
  };

  /** Resolves when the visits of all documents sent so far are processed; for tests. */
  settled(): Promise<void> {
    return this.#counting;
  }

  /** Whether the reader of a document allows counting it. */
  async #allows({ operatorId, headers, region }: MarkedVisit): Promise<boolean> {
    const cookies = parseCookies(headers.cookie);
    const { statistics } = await this.#consent.inForce({
      scope: { ...DEFAULT_SCOPE, operatorId },
      headers,
      region,
      caller: { personId: null },
      allowed: null,
      cookie: (name) => cookies.get(name) ?? cookies.get(`__Host-${name}`) ?? null,
    });
    return statistics;
  }

  /** Writes the counts; those that cannot be written wait for the next time. Never rejects. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#counting).then(() => this.#write());
    return this.#writing;
  }

  async stop(): Promise<void> {
    this.#cancelTimer();
    await this.flush();
  }

  async #write(): Promise<void> {
    const waiting = this.#counts;
    this.#counts = new Map();
    for (const [operatorId, counts] of waiting) {
      try {
        await this.#data.tx({ operatorId }, (tx) => addSeoVisits(tx, [...counts.values()]));
      } catch (error) {
        for (const count of counts.values()) this.#add(operatorId, count);
        this.#onError(error);
      }
    }
  }

  #add(operatorId: number, { day, wording, people, crawlers }: SeoVisitCount): void {
    const counts = this.#counts.get(operatorId) ?? new Map<string, SeoVisitCount>();
    this.#counts.set(operatorId, counts);
    const key = `${day} ${wording}`;
    const before = counts.get(key);
    counts.set(key, {
      day,
      wording,
      people: people + (before?.people ?? 0),
      crawlers: crawlers + (before?.crawlers ?? 0),
    });
  }
}

/** Every browser sends its name, so a reader without one is a program. */
const isCrawlerName = (userAgent: string | undefined): boolean => !userAgent || isbot(userAgent);
