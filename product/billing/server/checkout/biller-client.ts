import type { Scope } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { digest } from '#platform/data/database/seal.ts';
import type { Biller, Order as BillerOrder, Payer, PayMethod } from '#platform/payments/biller.ts';
import type { Person } from '#product/accounts/server.ts';
import { framePath, returnPath } from '../../rules.ts';
import { askAfterMs, isNothingFinal } from '../../rules/payments/verdict.ts';
import { findOrder, moveOrder, noteAsked, type Order } from '../../store/orders.ts';
import type { Card } from '../../store/people.ts';
import { ASK, type OrderProcessor } from '../callbacks/order-processor.ts';
import type { BillingDependencies } from '../dependencies.ts';

const NO_HINT = { callbackId: null, reference: null } as const;

/** The biller's page for the browser; null when no biller could be reached. */
export type Opened = {
  readonly url: string;
  /** The page opens in a frame of ours and returns into it. */
  readonly inFrame: boolean;
} | null;

/** Facts about the browser at checkout. */
interface CheckoutContext {
  readonly address: string | null;
  /** Its origin; null where the person is not present. */
  readonly origin: string | null;
  /** Path to return to. */
  readonly back?: string | undefined;
  /** Billers whose pages may open in a frame; none by default. */
  readonly framed?: readonly string[];
  /** The country in which the person chose to pay, if it differs from their own. */
  readonly country?: string | null;
}

/** Whether a biller's page opens in a frame: the operator and the biller's account both allow it. */
const isFramed = ({ name, frames = [] }: Biller, { framed = [] }: CheckoutContext): boolean =>
  frames.length > 0 && framed.includes(name);

const UNATTENDED: CheckoutContext = { address: null, origin: null };

/** The outcome of a charge: the order, a page to continue on, or an unreachable biller. */
export type Charged =
  | { readonly kind: 'settled' | 'unknown'; readonly order: Order }
  | { readonly kind: 'page'; readonly order: Order; readonly url: string }
  | { readonly kind: 'unreachable' };

/** Talks to billers: pages, charges, inquiries. Never waits for a biller inside a unit of work. */
export class BillerClient {
  readonly #deps: BillingDependencies;
  readonly #processor: OrderProcessor;

  constructor(deps: BillingDependencies, processor: OrderProcessor) {
    this.#deps = deps;
    this.#processor = processor;
  }

  /** The billers of an operator that take a method, the preferred one first. */
  taking({ operatorId }: { operatorId: number }, method: PayMethod, preferred?: string): readonly Biller[] {
    const able = this.#deps.billersOf(operatorId)
      .filter(({ abilities }) => abilities.methods.includes(method));
    return [...able].sort((a, b) => Number(b.name === preferred) - Number(a.name === preferred));
  }

  find({ operatorId }: { operatorId: number }, name: string): Biller | null {
    return this.#deps.billersOf(operatorId).find((biller) => biller.name === name) ?? null;
  }

  /** A person as a biller sees them: a pseudonymous reference that differs between billers. */
  payerOf(
    scope: { operatorId: number },
    { id, email, lastLoginCountry }: Person,
    biller: string,
    address: string | null,
  ): Payer {
    const ref = digest(this.#deps.secret, `billing payer at ${biller}`, `${scope.operatorId} ${id}`);
    return { ref, email, country: lastLoginCountry, address };
  }

  /** An order in the terms of the biller port. */
  async #orderFor(
    scope: Scope,
    order: Order,
    biller: Biller,
    from: CheckoutContext,
  ): Promise<BillerOrder> {
    const { accounts, data, site, text } = this.#deps;
    const person = await data.tx(scope, (tx) => accounts.findById(tx, order.personId));
    if (!person) throw new Error(`person ${order.personId} has an order and no account`);
    const { main_domain_url: origin } = await site.viewOf(scope);
    const amount = { minor: order.amountMinor, currency: order.currency };
    const pathTo = isFramed(biller, from) ? framePath : returnPath;
    return {
      id: order.id,
      amount,
      renewal: order.renews && order.membershipDays !== null ? { amount, days: order.membershipDays } : null,
      title: titleOf(text, order.locale, order),
      payer: {
        ...this.payerOf(scope, person, biller.name, from.address),
        country: from.country ?? person.lastLoginCountry,
      },
      returnUrl: new URL(
        pathTo(from.back, order.id),
        from.origin === null ? origin : site.linkOrigin(from.origin),
      ).href,
    };
  }

  /** Opens a page at the first of these billers that responds, and moves the order to it. */
  async open(
    scope: Scope,
    order: Order,
    billers: readonly Biller[],
    method: PayMethod,
    from: CheckoutContext,
  ): Promise<Opened> {
    const { data } = this.#deps;
    for (const biller of billers) {
      const renews = order.membershipDays !== null && biller.abilities.renews;
      const moved = {
        biller: biller.name,
        descriptor: biller.descriptor,
        cardId: null,
        cardBrand: null,
        cardLast4: null,
        renews,
      };
      // Before the request, because the biller's callback may arrive before its response.
      await data.tx(scope, async (tx) => {
        await moveOrder(tx, order.id, moved);
        await this.#processor.judge(tx, order.id, { base: 'pending' });
        await this.#askLater(tx, biller, { ...order, state: 'pending', asked: 0 });
      });
      const page = await biller.page(
        await this.#orderFor(scope, { ...order, ...moved }, biller, from),
        method,
      );
      if (page.kind === 'page') {
        const inFrame = isFramed(biller, from) && biller.frames?.includes(new URL(page.url).origin) === true;
        return { url: page.url, inFrame };
      }
    }
    await data.tx(scope, (tx) => this.#processor.judge(tx, order.id, { base: 'created' }));
    return null;
  }

  /** Charges a saved card once, for an order that is `unknown` until the biller responds. */
  async charge(
    scope: Scope,
    order: Order,
    biller: Biller,
    card: Card,
    from: CheckoutContext = UNATTENDED,
  ): Promise<Charged> {
    const { data } = this.#deps;
    const requested = await this.#orderFor(scope, order, biller, from);
    const { token, brand, first6, last4, expiry } = card;
    const outcome = await biller.charge(requested, { token, face: { brand, first6, last4, expiry } });
    if (outcome.kind === 'unreachable') {
      await data.tx(scope, (tx) => this.#processor.judge(tx, order.id, { base: 'created' }));
      return { kind: 'unreachable' };
    }
    const now = await data.tx(scope, async (tx) => {
      if (outcome.kind === 'page') return this.#processor.judge(tx, order.id, { base: 'pending' });
      if (outcome.kind !== 'unknown') {
        await this.#processor.receive(tx, biller.name, [outcome.event], { callbackId: null, isAnswer: true });
      }
      return findOrder(tx, order.id);
    });
    if (!now) throw new Error(`order ${order.id} is gone`);
    if (outcome.kind === 'page') return { kind: 'page', order: now, url: outcome.url };
    return { kind: now.state === 'unknown' ? 'unknown' : 'settled', order: now };
  }

  /** Schedules the first inquiry about an open order. */
  async watch(tx: Tx, biller: Biller, order: Order): Promise<void> {
    await this.#askLater(tx, biller, order);
  }

  async #askLater(tx: Tx, biller: Biller, { id, state, asked }: Order): Promise<void> {
    if (!biller.abilities.answers || (state !== 'unknown' && state !== 'pending')) return;
    const waitMs = askAfterMs(state, asked);
    if (waitMs !== null) await tx.schedule({ kind: ASK, key: id, at: new Date(tx.now.getTime() + waitMs) });
  }

  /**
   * Asks a biller for the outcome of an order and applies it. `unreachable` changes nothing.
   * @param counts whether this is one of the scheduled inquiries, whose number is limited
   * @param hint from an unsigned callback: only used for the inquiry
   */
  async ask(scope: { operatorId: number }, orderId: string, counts: boolean, hint: {
    readonly callbackId: number | null;
    readonly reference: string | null;
  } = NO_HINT): Promise<'found' | 'nothing' | 'unreachable' | 'unable'> {
    const { data } = this.#deps;
    const asked = await data.tx(scope, async (tx) => {
      const order = await findOrder(tx, orderId);
      const isOver = counts && order?.state !== 'unknown' && order?.state !== 'pending';
      if (!order || isOver) return null;
      await noteAsked(tx, orderId, counts);
      // Schedules the next inquiry first, in case the process ends during this one.
      const asking = counts ? this.find(scope, order.biller) : null;
      if (asking) await this.#askLater(tx, asking, { ...order, asked: order.asked + 1 });
      return order;
    });
    const biller = asked && this.find(scope, asked.biller);
    if (!asked || !biller?.abilities.answers) return 'unable';
    const finding = await biller.find({ id: asked.id, reference: asked.reference ?? hint.reference });
    return data.tx(scope, async (tx) => {
      if (finding.kind === 'found') {
        await this.#processor.receive(tx, biller.name, finding.events, {
          callbackId: hint.callbackId,
          isAnswer: false,
        });
      }
      const order = await findOrder(tx, orderId);
      const open = order && (order.state === 'unknown' || order.state === 'pending') ? order.state : null;
      if (!order || open === null) return finding.kind;
      if (finding.kind === 'nothing' && isNothingFinal(open, order.asked)) {
        await this.#processor.judge(tx, orderId, { base: 'expired' });
      }
      return finding.kind;
    });
  }
}

/** The title of an order. */
export function titleOf(
  text: BillingDependencies['text'],
  locale: string,
  order: Pick<Order, 'tokens' | 'freeTokens' | 'membership' | 'purpose'>,
): string {
  const { tokens, freeTokens, membership, purpose } = order;
  if (purpose === 'post_pay') return text(locale, 'billing:titles.postpay', { tokens });
  if (membership !== null) {
    return text(locale, 'billing:titles.membership', {
      name: text(locale, `billing:memberships.${membership}`),
    });
  }
  if (tokens === 0) return text(locale, 'billing:titles.pass');
  return freeTokens > 0
    ? text(locale, 'billing:titles.packWithGift', { tokens, free: freeTokens })
    : text(locale, 'billing:titles.pack', { tokens });
}
