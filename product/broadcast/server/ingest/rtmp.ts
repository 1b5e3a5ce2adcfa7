import type { OperatorScope } from '#platform/data/data.ts';
import type { RateLimits } from '#platform/data/limits/rate-limits.ts';
import { addressGroups } from '#platform/http/address.ts';
import type { RtmpAdmission, RtmpAsked, RtmpReport } from '#platform/streaming/rtmp/ingest.ts';
import { Turns } from '#platform/streaming/turns.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { overloaded } from '../../contract.ts';
import { streamKeyInvalid, whip } from '../../contract/webrtc.ts';
import { findPublisher, operatorOfKey, type Publisher } from '../../store.ts';
import type { BroadcastDependencies } from '../dependencies.ts';
import { hashOf } from './keys.ts';
import type { Publishing } from './publishing.ts';

/** The only RTMP application: `rtmp://host/live`. */
const APP = 'live';
/** Addresses whose attempts are counted at once; an ingest serves a thousand encoders. */
const MAX_ENCODERS = 10_000;
/** Shape of a stream key; nothing else is looked up. */
const STREAM_KEY = /^sk_[\w-]{43}$/u;

const refused = (reason: string): RtmpAdmission => ({ admitted: false, reason });

/** Publishers over RTMP, admitted like those over WHIP and with the same key. */
export class Rtmp {
  readonly #deps: BroadcastDependencies;
  readonly #publishing: Publishing;
  readonly #limits: RateLimits;
  readonly #ends = new Turns();
  #stopReports: () => void = () => {};

  constructor(deps: BroadcastDependencies, publishing: Publishing) {
    this.#deps = deps;
    this.#publishing = publishing;
    this.#limits = deps.limits.family('broadcast.rtmp', { maxKeys: MAX_ENCODERS, whenAway: 'local' });
  }

  /**
   * Starts the ingest, if there is one. If its port is taken, RTMP is off, and the features list it as off.
   */
  async start(): Promise<void> {
    const { media: { rtmp }, onError } = this.#deps;
    if (!rtmp) return;
    this.#stopReports = rtmp.onReport((report) => {
      if (report.kind === 'trouble') this.#publishing.ingestReport(report.session, report.trouble);
      else this.#ends.take(report.session, () => this.#finish(report)).catch(onError);
    });
    const admit = (asked: RtmpAsked): Promise<RtmpAdmission> =>
      this.#admit(asked).catch((error: unknown) => {
        onError(error);
        return refused(overloaded.description);
      });
    await rtmp.start(admit).catch(onError);
  }

  /** Resolves when everything reported so far is saved. */
  idle(): Promise<void> {
    return this.#ends.idle();
  }

  stop(): void {
    this.#stopReports();
  }

  /** Ends the broadcast of an encoder that stops while its relay is lost. */
  async #finish({ key, session }: Extract<RtmpReport, { kind: 'finished' }>): Promise<void> {
    const found = await this.#publisherOf(key);
    if (found) await this.#publishing.endSession(found.scope, session, found.publisher);
  }

  /** RTMP has no host header, so the key identifies the operator. */
  async #publisherOf(key: string): Promise<{ scope: OperatorScope; publisher: Publisher } | null> {
    const { data } = this.#deps;
    const keyHash = hashOf(key);
    const operatorId = await data.tx(DEFAULT_SCOPE, (tx) => operatorOfKey(tx, keyHash));
    if (operatorId === null) return null;
    const scope = { operatorId };
    const publisher = await data.tx(scope, (tx) => findPublisher(tx, keyHash, 'rtmp'));
    return publisher && { scope, publisher };
  }

  async #admit({ key, app, address, lost }: RtmpAsked): Promise<RtmpAdmission> {
    const { site, media: { local } } = this.#deps;
    // A refused encoder retries for ever.
    const { points, seconds } = whip.limit;
    const uses = addressGroups(address).map(({ key, share }) => ({
      key,
      limit: { points: points * share, seconds },
    }));
    if ((await this.#limits.takeAll(uses)) > 0) return refused(overloaded.description);
    if (app !== APP) return refused(`the application is ${APP}`);
    if (!STREAM_KEY.test(key)) return refused(streamKeyInvalid.description);
    const found = await this.#publisherOf(key);
    if (!found) return refused(streamKeyInvalid.description);
    const { scope } = found;
    const result = await this.#publishing.publish({
      scope,
      identify: (tx) => findPublisher(tx, hashOf(key), 'rtmp'),
      connection: { protocol: 'rtmp', address },
      resumes: lost,
      open: (stream, options) => local.feed(stream, options),
    });
    if ('refused' in result) return refused(result.refused.description);
    const { bFrames } = await site.settingsOf(scope);
    return { admitted: true, feed: result.opened, bFrames };
  }
}
