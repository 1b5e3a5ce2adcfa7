import type { AgeProvider } from '#platform/age-verification/age-verifier.ts';
import { openAgeSimulators, type AgeSimulators } from '#platform/age-verification/simulators/open.ts';
import { verifiersFor } from '#platform/age-verification/verifiers.ts';
import type { BillerName } from '#platform/contract/payment.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { outsideWithin } from '#platform/payments/outside.ts';
import type { AgeChecksOffer } from '#product/age-checks/server.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { afterAll } from 'vitest';
import { createShop, type Shop } from '../payments/payments.ts';
import type { SiteOptions } from '../site-options.ts';
import type { TestSite } from '../site.ts';

/** Far longer than a simulator needs. */
const OUTSIDE_LIMIT_MS = 20_000;
const HOME = 'http://localhost/verify-age';

/** A site with simulated providers of age verification and payment processors. */
export interface AgeCheckedSite {
  readonly shop: Shop;
  readonly site: TestSite;
  readonly providers: AgeSimulators;
  readonly close: () => Promise<void>;
}

export interface AgeCheckedOptions extends SiteOptions {
  /** The providers whose accounts are anonymous: Incode's by default, as in the demo. */
  readonly anonymous?: readonly AgeProvider[];
  /** What the operator does not offer; everything is offered by default. */
  readonly without?: readonly (AgeProvider | 'card' | 'support')[];
  /** The payment processors the operator has accounts at. */
  readonly only?: readonly BillerName[];
}

/** Builds such a site. Reports of providers go straight into the host, without a socket. */
export async function createAgeCheckedSite(
  { anonymous = ['incode'], without = [], ...options }: AgeCheckedOptions = {},
): Promise<AgeCheckedSite> {
  const clock = options.clock ?? new VirtualClock();
  let shop: Shop | null = null;
  const carry: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    if (!shop) throw new Error('a report came before there was a site');
    const answered = await shop.site.http.app.inject({
      method: 'POST',
      url: pathname + search,
      remoteAddress: '127.0.0.1',
      headers: { host: 'localhost', ...(init?.headers as Record<string, string>) },
      ...(typeof init?.body === 'string' ? { payload: init.body } : {}),
    });
    return new Response(answered.body, { status: answered.statusCode });
  };
  const providers = await openAgeSimulators({ port: 0, clock, fetch: carry, site: HOME, anonymous });
  const verifiers = verifiersFor(providers.accounts, outsideWithin(OUTSIDE_LIMIT_MS, clock))
    .filter(({ name }) => !without.includes(name));
  const offer: AgeChecksOffer = {
    verifiers,
    card: !without.includes('card'),
    support: !without.includes('support'),
  };
  const made = await createShop({
    ...options,
    clock,
    settings: {
      ageChecksOf: (operatorId) =>
        operatorId === DEFAULT_SCOPE.operatorId ? offer : { verifiers: [], card: false, support: false },
      ...options.settings,
    },
  });
  shop = made;
  return {
    shop: made,
    site: made.site,
    providers,
    close: async () => {
      await made.close();
      await providers.close();
    },
  };
}

/** Such a site for the tests of one file: await it at the top of the file. It closes after the last test. */
export async function openAgeCheckedSite(options: AgeCheckedOptions = {}): Promise<AgeCheckedSite> {
  const opened = await createAgeCheckedSite(options);
  afterAll(() => opened.close());
  return opened;
}
