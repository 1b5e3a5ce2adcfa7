import { BILLER_NAMES, type BillerName, type DeclineCode } from '#platform/contract/payment.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import type { Biller } from '#platform/payments/biller.ts';
import { billersFor, type BillerSettings } from '#platform/payments/billers.ts';
import { outsideWithin } from '#platform/payments/outside.ts';
import { cardNumberFor } from '#platform/payments/simulators/checkout/test-cards.ts';
import { openSimulators, type Simulators } from '#platform/payments/simulators/open.ts';
import { getPurchaseLink } from '#product/billing/contract.ts';
import { addCard, openCardForm } from '#product/billing/contract/cards.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import type { SiteOptions } from '../site-options.ts';
import { createSite, type Member, type TestSite } from '../site.ts';

export { endMemberships } from '../store/memberships.ts';

/** Far longer than a simulator needs. */
const OUTSIDE_LIMIT_MS = 20_000;
const EXPIRY = '12/30';
const [MONTH = '', YEAR = ''] = EXPIRY.split('/');

/** A site whose payment processors are simulated, each speaking its own wire format. */
export interface Shop {
  readonly site: TestSite;
  readonly simulators: Simulators;
  readonly billers: readonly Biller[];
  /**
   * Buys on a biller's page: opens the link and enters a test card (one that pays unless `decline` is given).
   * @returns the order and the address the browser was sent to
   */
  readonly buys: (member: Member, internalId: string, how?: {
    readonly decline?: DeclineCode | null;
    readonly biller?: BillerName;
    /** The number of a test card to use instead. */
    readonly card?: string;
  }) => Promise<{ readonly orderId: string; readonly returned: string }>;
  /** Saves a test card with the card form, as a page does: its number goes to the biller only. */
  readonly keeps: (member: Member, decline?: DeclineCode | null) => Promise<number>;
  /** Enters a card on a page that is open already. */
  readonly types: (link: string, decline?: DeclineCode | null, card?: string) => Promise<string>;
  /** Delivers callbacks and their consequences. */
  readonly settle: () => Promise<void>;
  /** Advances the clock for the site and the simulators. */
  readonly passes: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Builds a shop. `only` names the billers the operator has accounts with, in this order. */
export async function createShop(
  { only = BILLER_NAMES, ...options }: SiteOptions & { readonly only?: readonly BillerName[] } = {},
): Promise<Shop> {
  const clock = options.clock ?? new VirtualClock();
  let site: TestSite | null = null;
  // Callbacks go straight into the host, without a socket; the virtual clock decides when they are retried.
  const carry: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    if (!site) throw new Error('a callback came before there was a site');
    const answered = await site.http.app.inject({
      method: init?.method === 'GET' ? 'GET' : 'POST',
      url: pathname + search,
      remoteAddress: '127.0.0.1',
      headers: { host: 'localhost', ...(init?.headers as Record<string, string>) },
      ...(typeof init?.body === 'string' ? { payload: init.body } : {}),
    });
    return new Response(answered.body, { status: answered.statusCode });
  };
  const simulators = await openSimulators({
    port: 0,
    host: '127.0.0.1',
    clock,
    fetch: carry,
    callback: (biller) => `http://localhost/callbacks/${biller}`,
  });
  const accounts: BillerSettings = Object.fromEntries(
    Object.entries(simulators.accounts).filter(([name]) => only.includes(name as BillerName)),
  );
  const billers = billersFor(accounts, outsideWithin(OUTSIDE_LIMIT_MS, clock));
  const made = await createSite({
    ...options,
    clock,
    settings: {
      billersOf: (operatorId) => (operatorId === DEFAULT_SCOPE.operatorId ? billers : []),
      ...options.settings,
    },
  });
  site = made;
  const settle = async (): Promise<void> => {
    await simulators.settle();
    await made.settle();
  };
  const types: Shop['types'] = async (link, decline = null, number = cardNumberFor(decline)) => {
    const opened = await fetch(link);
    const form = { number, expiry: EXPIRY, cvv: '123', action: 'pay' };
    const paid = await fetch(opened.url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(form),
    });
    return paid.headers.get('location') ?? '';
  };
  return {
    site: made,
    simulators,
    billers,
    types,
    settle,
    keeps,
    buys: async (member, internalId, { decline = null, biller, card } = {}) => {
      const { purchase_link: link, order_id: orderId } = await member.call(getPurchaseLink, {
        internal_id: internalId,
        keep_card: true,
        ...(biller ? { biller } : {}),
      });
      const returned = await types(link, decline, card);
      await settle();
      return { orderId, returned };
    },
    passes: async (ms) => {
      await made.passes(ms);
      await settle();
    },
    close: async () => {
      await made.close();
      await simulators.close();
    },
  };
}

async function keeps(member: Member, decline: DeclineCode | null = null): Promise<number> {
  const { biller, url, bearer, fields } = await member.call(openCardForm, {});
  const typed = {
    nameOnCard: 'Kim Doe',
    cardNumber: cardNumberFor(decline),
    expMonth: MONTH,
    expYear: YEAR,
    cvv2: '123',
  };
  const made = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ ...fields, ...typed }),
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
  });
  const { paymentTokenId: token } = (await made.json()) as { paymentTokenId: string };
  return (await member.call(addCard, { biller, token })).card.id;
}
