import type { CallContext } from '#platform/contract/context.ts';
import { digest } from '#platform/data/database/seal.ts';
import { randomId } from '#platform/data/ids.ts';
import type { RateLimits, Use } from '#platform/data/limits/rate-limits.ts';
import { addressGroups } from '#platform/http/address.ts';
import { DAY_MS, SECOND_MS } from '#platform/time/units.ts';
import { emailUnconfirmed, giftLimit } from '../../contract/promos.ts';
import { configurationOf, type BillingDependencies } from '../dependencies.ts';

/** Marks a browser that received free tokens. A random id; nothing else is read from the device. */
const DEVICE_COOKIE = 'promo_device';
const DEVICE_ID = /^[\w-]{16,64}$/u;
const DAY_SECONDS = DAY_MS / SECOND_MS;
/** How long a browser's mark lasts: browsers retain no cookie for longer (RFC 6265bis §5.5). */
const DEVICE_SECONDS = 400 * DAY_SECONDS;
/** Maximum people, addresses and browsers counted; the oldest are dropped first. About 20 MB. */
const MAX_COUNTED = 100_000;

type Receiver = Pick<CallContext, 'scope' | 'address' | 'cookie' | 'setCookie'>;

/**
 * Decides who may receive free tokens from promotions that nobody paid for: people with a confirmed email
 * address, and a limited number of them per day, address and browser. Otherwise free accounts would turn free
 * tokens into a performer's earnings.
 */
export class GiftGuard {
  readonly #deps: BillingDependencies;
  readonly #counts: RateLimits;

  constructor(deps: BillingDependencies) {
    this.#deps = deps;
    this.#counts = deps.limits.family('billing.gifts', { maxKeys: MAX_COUNTED, whenAway: 'refuse' });
  }

  /** Why this person receives nothing here now, or null; counts them once a day. */
  async refusalOf({ scope, address, cookie, setCookie }: Receiver, personId: number): Promise<
    {
      readonly refusal: typeof emailUnconfirmed | typeof giftLimit;
      readonly seconds: number;
    } | null
  > {
    const { data, accounts, secret } = this.#deps;
    const { isConfirmed, settings } = await data.tx(scope, async (tx) => ({
      isConfirmed: await accounts.isEmailConfirmed(tx, personId),
      settings: (await configurationOf(tx)).settings,
    }));
    if (!isConfirmed) return { refusal: emailUnconfirmed, seconds: 0 };
    const sent = cookie(DEVICE_COOKIE);
    const device = sent !== null && DEVICE_ID.test(sent) ? sent : randomId();
    if (device !== sent) setCookie(DEVICE_COOKIE, device, { maxAgeSeconds: DEVICE_SECONDS });
    const places: Use[] = [
      ...addressGroups(address).map(({ key, share }) => ({
        key: `address ${key}`,
        limit: { points: settings.giftsPerAddress * share, seconds: DAY_SECONDS },
      })),
      { key: `device ${device}`, limit: { points: settings.giftsPerDevice, seconds: DAY_SECONDS } },
    ].map(({ key, limit }) => ({
      limit,
      key: digest(secret, `billing gifts of operator ${scope.operatorId}`, key),
    }));
    // A person already counted today at this address or browser uses no further share of its limit.
    const fresh: Use[] = [];
    for (const place of places) {
      const own = { points: 1, seconds: DAY_SECONDS };
      if ((await this.#counts.take(`${place.key} ${personId}`, own)) === 0) fresh.push(place);
    }
    const waitMs = await this.#counts.takeAll(fresh);
    if (waitMs === 0) return null;
    for (const { key } of fresh) {
      await this.#counts.forget(`${key} ${personId}`, { points: 1, seconds: DAY_SECONDS });
    }
    return { refusal: giftLimit, seconds: Math.ceil(waitMs / SECOND_MS) };
  }
}
