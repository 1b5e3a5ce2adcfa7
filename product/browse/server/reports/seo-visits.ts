import { isbot } from 'isbot';
import type { Data } from '../../../../platform/data/data.ts';
import type { MarkedVisit } from '../../../../platform/http/pages/ssr.ts';
import { dayOf } from '../../../../platform/time/days.ts';
import { SEO_FLUSH_MS, wordingIn } from '../../rules/reports/seo-words.ts';
import { addSeoVisits, type SeoVisitCount } from '../../store/trackers.ts';

/**
 * Counts documents of rooms by their wording. The server that sends them counts, and not the page: crawlers
 * need not run scripts, blockers stop trackers, and a document from the cache is sent like any other. A
 * process adds up in memory, a number per day, wording and kind of reader, and writes that every
 * {@link SEO_FLUSH_MS} and when it stops. Of the reader only the name of their browser is looked at.
 */
export class SeoVisits {
  readonly #data: Pick<Data, 'tx' | 'clock'>;
  readonly #onError: (error: unknown) => void;
  readonly #cancelTimer: () => void;
  /** By operator, then by day and wording: two a day, whatever is sent. */
  #counts = new Map<number, Map<string, SeoVisitCount>>();
  #writing: Promise<void> = Promise.resolve();

  constructor({ data, onError }: {
    readonly data: Pick<Data, 'tx' | 'clock'>; readonly onError: (error: unknown) => void;
  }) {
    this.#data = data;
    this.#onError = onError;
    this.#cancelTimer = data.clock.every('browse seo visits', SEO_FLUSH_MS, () => void this.flush());
  }

  readonly count = ({ operatorId, mark, headers }: MarkedVisit): void => {
    const wording = wordingIn(mark);
    // A browser that fetches a page in advance shows it later, or never.
    if (wording === null || headers['sec-purpose']?.includes('prefetch')) return;
    const isCrawler = isCrawlerName(headers['user-agent']);
    this.#add(operatorId, {
      day: dayOf(this.#data.clock.now()), wording, people: isCrawler ? 0 : 1, crawlers: isCrawler ? 1 : 0,
    });
  };

  /** Writes what was counted; what cannot be written waits for the next time. Never rejects. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
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
      day, wording, people: people + (before?.people ?? 0), crawlers: crawlers + (before?.crawlers ?? 0),
    });
  }
}

/** Every browser says its name: what has none is a program. */
const isCrawlerName = (userAgent: string | undefined): boolean => !userAgent || isbot(userAgent);
