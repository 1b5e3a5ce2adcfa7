import type { Tx } from '../../../platform/data/data.ts';
import type { DeclineCode } from '../rules.ts';
import { titleOf } from './cashier.ts';
import type { Follower } from './desk.ts';
import type { BillingNeeds } from './needs.ts';
import { localeOf, type Order } from '../store/orders.ts';
import { membershipEnd } from '../store/people.ts';

type Letter =
  | 'receipt' | 'refund' | 'partRefund' | 'reUpFailed' | 'reUpOff' | 'postpayFailed' | 'renewalFailed';
type Values = Readonly<Record<string, string | number>>;

/** An amount as a receipt says it: `20.00 USD`. */
const priceOf = (minor: number, currency: string): string => `${(minor / 100).toFixed(2)} ${currency}`;
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Mails about purchases, in the language of the purchase. */
export class Letters {
  readonly #needs: BillingNeeds;

  constructor(needs: BillingNeeds) {
    this.#needs = needs;
  }

  async send(tx: Tx, kind: Letter, order: Order, more: Values = {}): Promise<void> {
    const { text } = this.#needs;
    await this.#mail(tx, kind, order, {
      title: titleOf(text, order.locale, order), price: priceOf(order.amountMinor, order.currency),
      order: order.id, reference: order.reference ?? '–', descriptor: order.descriptor,
      date: dayOf(order.paidAt ?? tx.now),
      card: order.cardLast4 === null ? '' : `${order.cardBrand} •••• ${order.cardLast4}`,
      reason: this.#reason(order.locale, order.decline), ...more,
    });
  }

  /** A re-up that became no order, its card or pack being gone. In the language of the last purchase. */
  async sayReUpImpossible(tx: Tx, personId: number): Promise<void> {
    await this.#mail(tx, 'reUpImpossible', { personId, locale: await localeOf(tx, personId) }, {});
  }

  async #mail(
    tx: Tx, kind: Letter | 'reUpImpossible', { personId, locale }: Pick<Order, 'personId' | 'locale'>,
    values: Values,
  ): Promise<void> {
    const { accounts, notices } = this.#needs;
    const person = await accounts.findById(tx, personId);
    if (!person) return;
    await notices.send(tx, {
      to: person.email, kind: `billing:mails.${kind}`, locale,
      values: { name: person.displayName, ...values },
    });
  }

  /** Why a bank said no, in words. */
  #reason(locale: string, decline: DeclineCode | null): string {
    return this.#needs.text(locale, `billing:web.decline.${decline ?? 'NDECLINED'}`);
  }

  get follower(): Follower {
    return {
      changed: async (tx, { order, isNewlyPaid }) => {
        if (order.amountMinor === 0) return;
        if (isNewlyPaid) await this.send(tx, 'receipt', order);
        if (order.state === 'refunded') await this.send(tx, 'refund', order);
      },
      partlyBack: async (tx, order, { beforeMinor, nowMinor, mode }, tokens) => {
        if (mode === 'chargeback') return;
        await this.send(tx, 'partRefund', order, {
          part: priceOf(nowMinor - beforeMinor, order.currency), tokens,
        });
      },
      renewalFailed: async (tx, root, decline) => {
        const until = await membershipEnd(tx, root.id);
        if (until === null) return;
        await this.send(tx, 'renewalFailed', root, {
          until: dayOf(until), reason: this.#reason(root.locale, decline),
        });
      },
    };
  }
}
