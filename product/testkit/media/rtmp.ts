import type { IngestTrouble } from '#platform/streaming/engine.ts';
import type { RtmpAdmission, RtmpAsked, RtmpIngest, RtmpReport } from '#platform/streaming/rtmp/ingest.ts';

/** A fake of the RTMP ingest: simulated encoders ask for admission and report trouble. */
export class TestRtmp implements RtmpIngest {
  readonly #listeners = new Set<(report: RtmpReport) => void>();
  #admit: ((asked: RtmpAsked) => Promise<RtmpAdmission>) | null = null;
  /** Whether another program has the port; set it before the site starts. */
  portIsTaken = false;

  readonly start: RtmpIngest['start'] = async (admit) => {
    if (this.portIsTaken) throw Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' });
    this.#admit = admit;
  };

  readonly features: RtmpIngest['features'] = () => [
    { name: 'rtmp', on: this.#admit !== null, detail: 'simulated' },
  ];

  readonly onReport: RtmpIngest['onReport'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly close: RtmpIngest['close'] = async () => {
    this.#admit = null;
  };

  /** An encoder publishes with a key. */
  async publishes(key: string, asked: Partial<RtmpAsked> = {}): Promise<RtmpAdmission> {
    if (!this.#admit) throw new Error('nobody listens for RTMP');
    return this.#admit({ key, app: 'live', address: '127.0.0.1', ...asked });
  }

  /** An encoder says that it stops, while no relay carries its session. */
  finishes(session: string, key: string): void {
    for (const listener of this.#listeners) listener({ kind: 'finished', session, key });
  }

  /** Reports why a publisher's media can't be shown; null when the trouble is over. */
  report(session: string, trouble: IngestTrouble | null): void {
    for (const listener of this.#listeners) listener({ kind: 'trouble', session, trouble });
  }
}

/** The session of an admitted publisher. */
export function sessionOf(admission: RtmpAdmission): string {
  if (!admission.admitted) throw new Error(admission.reason);
  return admission.feed.session;
}
