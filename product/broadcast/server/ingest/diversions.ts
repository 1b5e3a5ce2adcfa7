import type {
  DownReason, IngestTrouble, StreamHealth, StreamReport,
} from '../../../../platform/streaming/engine.ts';
import type { KeyKind } from '../../store.ts';

/** What becomes of a stream that was put aside. */
export type DivertedReport =
  | { readonly kind: 'published'; readonly source: 'browser' | 'encoder' }
  | { readonly kind: 'up' }
  | { readonly kind: 'health'; readonly health: StreamHealth }
  | { readonly kind: 'trouble'; readonly trouble: IngestTrouble }
  /** Its publisher is gone, for whatever reason. */
  | { readonly kind: 'down'; readonly reason: DownReason };

/** Where publishers of a performer go instead of on air. */
export interface Diversion {
  /** A stream nobody has a token for: without a broadcast it cannot be played, listed or seen. */
  readonly stream: string;
  /** Must not throw. */
  readonly onReport: (report: DivertedReport) => void;
}

/** A diversion with the publisher it has, if any. */
interface Diverted extends Diversion {
  session: string | null;
  publishedWith: KeyKind | null;
}

/** Whose publishers are put aside, in this process: at most one diversion a performer. */
export class Diversions {
  /** By operator and performer. */
  readonly #aside = new Map<string, Diverted>();

  set(key: string, diversion: Diversion): void {
    this.#aside.set(key, { ...diversion, session: null, publishedWith: null });
  }

  of(key: string): Readonly<Diverted> | null {
    return this.#aside.get(key) ?? null;
  }

  /** A publisher was answered on the stream of a diversion. */
  took(key: string, session: string, publishedWith: KeyKind): void {
    const aside = this.#aside.get(key);
    if (!aside) throw new Error('a publisher came to a diversion that is over');
    Object.assign(aside, { session, publishedWith });
    aside.onReport({ kind: 'published', source: publishedWith === 'browser_key' ? 'browser' : 'encoder' });
  }

  /** Takes a diversion away: its stream, still to be stopped; null when there is none. */
  remove(key: string): string | null {
    const aside = this.#aside.get(key);
    this.#aside.delete(key);
    return aside?.stream ?? null;
  }

  /** Passes a report of the engine on; false when it is about no stream that was put aside. */
  report(report: StreamReport): boolean {
    const stream = report.kind === 'health' ? report.health.stream : report.stream;
    const aside = [...this.#aside.values()].find((one) => one.stream === stream);
    if (!aside) return false;
    const session = report.kind === 'health' ? report.health.session : report.session;
    if (report.kind === 'reader_gone' || session !== aside.session) return true;
    if (report.kind === 'health') aside.onReport({ kind: 'health', health: report.health });
    else if (report.kind === 'trouble') aside.onReport({ kind: 'trouble', trouble: report.trouble });
    else if (report.kind === 'up') aside.onReport({ kind: 'up' });
    else if (report.reason !== 'replaced') {
      aside.session = null;
      aside.onReport({ kind: 'down', reason: report.reason });
    }
    return true;
  }
}
