import type { DownReason, IngestTrouble, StreamHealth, StreamReport } from '#platform/streaming/engine.ts';
import type { EndReason } from '../../rules.ts';
import type { KeyKind } from '../../store/columns.ts';

/** A report about a diverted stream. */
export type DivertedReport =
  | { readonly kind: 'published'; readonly source: 'browser' | 'encoder' }
  | { readonly kind: 'up' }
  | { readonly kind: 'health'; readonly health: StreamHealth }
  | { readonly kind: 'trouble'; readonly trouble: IngestTrouble }
  /** Its publisher is gone. */
  | { readonly kind: 'down'; readonly reason: DownReason };

/** Where a performer's publishers go instead of on air. */
export interface Diversion {
  /** A stream without a broadcast, so that nobody can get a token for it. */
  readonly stream: string;
  /** Must not throw. */
  readonly onReport: (report: DivertedReport) => void;
}

/** A diversion and its publisher, if any. */
interface Diverted extends Diversion {
  session: string | null;
  publishedWith: KeyKind | null;
}

/** Diversions of this process, at most one per performer. */
export class Diversions {
  /** By operator and performer. */
  readonly #aside = new Map<string, Diverted>();

  set(key: string, diversion: Diversion): void {
    this.#aside.set(key, { ...diversion, session: null, publishedWith: null });
  }

  of(key: string): Readonly<Diverted> | null {
    return this.#aside.get(key) ?? null;
  }

  /** Records the publisher that was answered on the stream of a diversion. */
  setPublisher(key: string, session: string, publishedWith: KeyKind): void {
    const aside = this.#aside.get(key);
    if (!aside) throw new Error('the diversion of this publisher has ended');
    Object.assign(aside, { session, publishedWith });
    aside.onReport({ kind: 'published', source: publishedWith === 'browser_key' ? 'browser' : 'encoder' });
  }

  /** Removes a diversion; returns its stream, which the caller must stop, or null without one. */
  remove(key: string): string | null {
    const aside = this.#aside.get(key);
    this.#aside.delete(key);
    return aside?.stream ?? null;
  }

  /** Forwards an engine report; false when it is not about a diverted stream. */
  report(report: StreamReport): boolean {
    const stream = report.kind === 'health' ? report.health.stream : report.stream;
    const aside = [...this.#aside.values()].find((item) => item.stream === stream);
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

/** A revoked, suspended or rotated-out publisher is cut even when diverted. */
export const endsDiversion = (reason: EndReason, publishedWith: KeyKind | null): boolean =>
  reason === 'revoked' || reason === 'suspended'
  || (reason === 'key_rotated' && publishedWith === 'stream_key');
