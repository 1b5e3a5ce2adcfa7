import type { Scope } from '../../../../platform/contract/context.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { digest } from '../../../../platform/data/database/seal.ts';
import type {
  Biller, Order as BillerOrder, Payer, PayMethod,
} from '../../../../platform/payments/biller.ts';
import type { Person } from '../../../accounts/server.ts';
import { framePath, returnPath } from '../../rules.ts';
import { askAfterMs, isNothingFinal } from '../../rules/payments/verdict.ts';
import { findOrder, moveOrder, noteAsked, type Order } from '../../store/orders.ts';
import type { Card } from '../../store/people.ts';
import { ASK, type OrderDesk } from '../admin/desk.ts';
import type { BillingDependencies } from '../dependencies.ts';

const NO_HINT = { callbackId: null, reference: null } as const;

/** Where a browser goes on to, or that no biller could be reached. */
export type Opened = {
  readonly url: string;
  /** The page may stand in a frame of ours, and leads back into it. */
  readonly inFrame: boolean;
} | null;

/** What is known of the browser that buys. */
interface Whence {
  readonly address: string | null;
  /** Origin it is on; null where nobody sits before the charge. */
  readonly origin: string | null;
  /** Path to come back to. */
  readonly back?: string | undefined;
  /** Billers whose pages may open in a frame of ours; none when left out. */
  readonly framed?: readonly string[];
  /** Where the person says to pay, when that is not where they are. */
  readonly country?: string | null;
}

/** Whether a biller's page opens in a frame: the operator wants it, and the account allows it. */
const isFramed = ({ name, frames = [] }: Biller, { framed = [] }: Whence): boolean =>
  frames.length > 0 && framed.includes(name);

const NOBODY_THERE: Whence = { address: null, origin: null };

/** What became of a charge: the order as it stands, a page that leads on, or nobody was there. */
export type Charged =
  | { readonly kind: 'settled' | 'unknown'; readonly order: Order }
  | { readonly kind: 'page'; readonly order: Order; readonly url: string }
  | { readonly kind: 'unreachable' };

/** Speaks with billers: pages, charges, questions. Nothing here is inside a unit of work while it waits. */
export class Cashier {
  readonly #deps: BillingDependencies;
  readonly #desk: OrderDesk;

  constructor(deps: BillingDependencies, desk: OrderDesk) {
    this.#deps = deps;
    this.#desk = desk;
  }

  /** The billers of an operator that take a method, the preferred one first. */
  taking({ operatorId }: { operatorId: number }, method: PayMethod, preferred?: string): readonly Biller[] {
    const able = this.#deps.billersOf(operatorId)
      .filter(({ abilities }) => abilities.methods.includes(method));
    return [...able].sort((a, b) => Number(b.name === preferred) - Number(a.name === preferred));
  }

  find({ operatorId }: { operatorId: number }, name: string): Biller | null {
    return this.#deps.billersOf(operatorId).find((one) => one.name === name) ?? null;
  }

  /** Somebody as a biller knows them: a name that says nothing and is another one at every biller. */
  payerOf(scope: { operatorId: number }, { id, email, lastLoginCountry }: Person, biller: string,
    address: string | null):
  Payer {
    const ref = digest(this.#deps.secret, `billing payer at ${biller}`, `${scope.operatorId} ${id}`);
    return { ref, email, country: lastLoginCountry, address };
  }

  /** An order in words of a biller. */
  async #orderFor(
    scope: Scope, order: Order, biller: Biller, from: Whence,
  ): Promise<BillerOrder> {
    const { accounts, data, site, text } = this.#deps;
    const person = await data.tx(scope, (tx) => accounts.findById(tx, order.personId));
    if (!person) throw new Error(`person ${order.personId} has an order and no account`);
    const { main_domain_url: origin } = await site.viewOf(scope);
    const amount = { minor: order.amountMinor, currency: order.currency };
    const pathTo = isFramed(biller, from) ? framePath : returnPath;
    return {
      id: order.id, amount,
      renewal: order.renews && order.membershipDays !== null ? { amount, days: order.membershipDays } : null,
      title: titleOf(text, order.locale, order),
      payer: {
        ...this.payerOf(scope, person, biller.name, from.address),
        country: from.country ?? person.lastLoginCountry,
      },
      returnUrl: new URL(pathTo(from.back, order.id), from.origin ?? origin).href,
    };
  }

  /** Opens a page for an order at the first of these billers that is there; the order is theirs then. */
  async open(scope: Scope, order: Order, billers: readonly Biller[], method: PayMethod,
    from: Whence): Promise<Opened> {
    const { data } = this.#deps;
    for (const biller of billers) {
      const renews = order.membershipDays !== null && biller.abilities.renews;
      const moved = {
        biller: biller.name, descriptor: biller.descriptor, cardId: null, cardBrand: null, cardLast4: null,
          renews,
      };
      // Before the biller hears of it: its callback may be here sooner than its answer.
      await data.tx(scope, async (tx) => {
        await moveOrder(tx, order.id, moved);
        await this.#desk.judge(tx, order.id, { base: 'pending' });
        await this.#askLater(tx, biller, { ...order, state: 'pending', asked: 0 });
      });
      const page = await biller.page(await this.#orderFor(scope, { ...order, ...moved }, biller, from),
        method);
      if (page.kind === 'page') {
        const inFrame = isFramed(biller, from) && biller.frames?.includes(new URL(page.url).origin) === true;
        return { url: page.url, inFrame };
      }
    }
    await data.tx(scope, (tx) => this.#desk.judge(tx, order.id, { base: 'created' }));
    return null;
  }

  /**
   * Charges a saved card for an order that is `unknown` already, once: from here on only its biller knows.
   */
  async charge(
    scope: Scope, order: Order, biller: Biller, card: Card, from: Whence = NOBODY_THERE,
  ): Promise<Charged> {
    const { data } = this.#deps;
    const asked = await this.#orderFor(scope, order, biller, from);
    const { token, brand, first6, last4, expiry } = card;
    const outcome = await biller.charge(asked, { token, face: { brand, first6, last4, expiry } });
    if (outcome.kind === 'unreachable') {
      await data.tx(scope, (tx) => this.#desk.judge(tx, order.id, { base: 'created' }));
      return { kind: 'unreachable' };
    }
    const now = await data.tx(scope, async (tx) => {
      if (outcome.kind === 'page') return this.#desk.judge(tx, order.id, { base: 'pending' });
      if (outcome.kind !== 'unknown') {
        await this.#desk.hear(tx, biller.name, [outcome.event], { callbackId: null, isAnswer: true });
      }
      return findOrder(tx, order.id);
    });
    if (!now) throw new Error(`order ${order.id} is gone`);
    if (outcome.kind === 'page') return { kind: 'page', order: now, url: outcome.url };
    return { kind: now.state === 'unknown' ? 'unknown' : 'settled', order: now };
  }

  /** The first question about an order that is on its way. */
  async watch(tx: Tx, biller: Biller, order: Order): Promise<void> {
    await this.#askLater(tx, biller, order);
  }

  async #askLater(tx: Tx, biller: Biller, { id, state, asked }: Order): Promise<void> {
    if (!biller.abilities.answers || (state !== 'unknown' && state !== 'pending')) return;
    const waitMs = askAfterMs(state, asked);
    if (waitMs !== null) await tx.schedule({ kind: ASK, key: id, at: new Date(tx.now.getTime() + waitMs) });
  }

  /**
   * Asks a biller what became of an order and applies what it says. `unreachable` leaves everything as it is.
   * @param counts whether this is one of the questions that end after a while
   * @param hint what a callback said that is not believed, only asked about
   */
  async ask(scope: { operatorId: number }, orderId: string, counts: boolean, hint: {
    readonly callbackId: number | null; readonly reference: string | null;
  } = NO_HINT): Promise<'found' | 'nothing' | 'unreachable' | 'unable'> {
    const { data } = this.#deps;
    const asked = await data.tx(scope, async (tx) => {
      const order = await findOrder(tx, orderId);
      const isOver = counts && order?.state !== 'unknown' && order?.state !== 'pending';
      if (!order || isOver) return null;
      await noteAsked(tx, orderId, counts);
      // The next question first: this one may end with the process.
      const asking = counts ? this.find(scope, order.biller) : null;
      if (asking) await this.#askLater(tx, asking, { ...order, asked: order.asked + 1 });
      return order;
    });
    const biller = asked && this.find(scope, asked.biller);
    if (!asked || !biller?.abilities.answers) return 'unable';
    const finding = await biller.find({ id: asked.id, reference: asked.reference ?? hint.reference });
    return data.tx(scope, async (tx) => {
      if (finding.kind === 'found') {
        await this.#desk.hear(tx, biller.name, finding.events,
          { callbackId: hint.callbackId, isAnswer: false });
      }
      const order = await findOrder(tx, orderId);
      const open = order && (order.state === 'unknown' || order.state === 'pending') ? order.state : null;
      if (!order || open === null) return finding.kind;
      if (finding.kind === 'nothing' && isNothingFinal(open, order.asked)) {
        await this.#desk.judge(tx, orderId, { base: 'expired' });
      }
      return finding.kind;
    });
  }
}

/** What an order is for, in one line. */
export function titleOf(
  text: BillingDependencies['text'], locale: string, order: Pick<Order,
    'tokens' | 'freeTokens' | 'membership' | 'purpose'>,
): string {
  const { tokens, freeTokens, membership, purpose } = order;
  if (purpose === 'post_pay') return text(locale, 'billing:titles.postpay', { tokens });
  if (membership !== null) {
    return text(locale, 'billing:titles.membership',
      { name: text(locale, `billing:memberships.${membership}`) });
  }
  if (tokens === 0) return text(locale, 'billing:titles.pass');
  return freeTokens > 0 ? text(locale, 'billing:titles.packWithGift', { tokens, free: freeTokens })
    : text(locale, 'billing:titles.pack', { tokens });
}
