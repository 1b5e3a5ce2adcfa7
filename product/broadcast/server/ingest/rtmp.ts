import { addressGroups } from '../../../../platform/http/address.ts';
import type { RateLimits } from '../../../../platform/data/limits/rate-limits.ts';
import type { RtmpAdmission, RtmpAsked } from '../../../../platform/streaming/rtmp/ingest.ts';
import { DEFAULT_SCOPE } from '../../../site/rules.ts';
import { overloaded, streamKeyInvalid, whip } from '../../contract.ts';
import { findPublisher, operatorOfKey } from '../../store.ts';
import { hashOf } from './keys.ts';
import type { BroadcastDependencies } from '../dependencies.ts';
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
  #stopReports: () => void = () => {};

  constructor(deps: BroadcastDependencies, publishing: Publishing) {
    this.#deps = deps;
    this.#publishing = publishing;
    this.#limits = deps.limits.family('broadcast.rtmp', { maxKeys: MAX_ENCODERS, whenAway: 'local' });
  }

  /** Starts the ingest, if there is one. If its port is taken, RTMP is off and listed so in the features. */
  async start(): Promise<void> {
    const { media: { rtmp }, onError } = this.#deps;
    if (!rtmp) return;
    this.#stopReports = rtmp.onReport(
      ({ session, trouble }) => this.#publishing.ingestReport(session, trouble),
    );
    const admit = (asked: RtmpAsked): Promise<RtmpAdmission> =>
      this.#admit(asked).catch((error: unknown) => {
        onError(error);
        return refused(overloaded.description);
      });
    await rtmp.start(admit).catch(onError);
  }

  stop(): void {
    this.#stopReports();
  }

  async #admit({ key, app, address, lost }: RtmpAsked): Promise<RtmpAdmission> {
    const { data, site, media: { local } } = this.#deps;
    // A refused encoder retries for ever.
    const { points, seconds } = whip.limit;
    const uses = addressGroups(address).map(({ key, share }) =>
      ({ key, limit: { points: points * share, seconds } }));
    if ((await this.#limits.takeAll(uses)) > 0) return refused(overloaded.description);
    if (app !== APP) return refused(`the application is ${APP}`);
    if (!STREAM_KEY.test(key)) return refused(streamKeyInvalid.description);
    const keyHash = hashOf(key);
    // RTMP has no host header, so the key identifies the operator.
    const operatorId = await data.tx(DEFAULT_SCOPE, (tx) => operatorOfKey(tx, keyHash));
    if (operatorId === null) return refused(streamKeyInvalid.description);
    const result = await this.#publishing.publish({
      scope: { operatorId },
      identify: (tx) => findPublisher(tx, keyHash, 'rtmp'),
      resumes: lost,
      open: (stream, options) => local.feed(stream, options),
    });
    if ('refused' in result) return refused(result.refused.description);
    const { bFrames } = await site.settingsOf({ operatorId });
    return { admitted: true, feed: result.opened, bFrames };
  }
}
