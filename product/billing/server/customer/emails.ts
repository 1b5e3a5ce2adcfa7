import type { Tx } from '#platform/data/data.ts';
import { decimalOf } from '#platform/text/money.ts';
import { dayOf } from '#platform/time/days.ts';
import type { DeclineCode } from '../../rules.ts';
import { habitsOf, type Order } from '../../store/orders.ts';
import { membershipEnd } from '../../store/people.ts';
import type { OrderObserver } from '../callbacks/order-processor.ts';
import { titleOf } from '../checkout/biller-client.ts';
import type { BillingDependencies } from '../dependencies.ts';
import { statementOf } from '../views.ts';

type EmailKind =
  | 'receipt'
  | 'refund'
  | 'partRefund'
  | 'reUpFailed'
  | 'reUpOff'
  | 'postpayFailed'
  | 'renewalFailed';
type Values = Readonly<Record<string, string | number>>;

/** An amount as on a receipt: `20.00 USD`. */
const priceOf = (minor: number, currency: string): string => `${decimalOf({ minor, currency })} ${currency}`;
/** A date and time in a language. The reader's time zone is unknown, so it is UTC and says so. */
const momentOf = (at: Date, locale: string): string =>
  new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(at);

/** Emails about purchases, in the buyer's language. */
export class Emails {
  readonly #deps: BillingDependencies;

  constructor(deps: BillingDependencies) {
    this.#deps = deps;
  }

  async send(
    tx: Tx,
    kind: EmailKind,
    order: Order,
    more: (locale: string) => Values = () => ({}),
  ): Promise<void> {
    const { site, text, notices } = this.#deps;
    const { amountMinor, currency } = order;
    const seller = order.seller ?? (await site.sellerIn(tx, order.siteId));
    const descriptor = statementOf(order);
    await notices.sendTo(tx, order.personId, {
      kind: `billing:mails.${kind}`,
      locale: order.locale,
      network: order.network,
      values: (locale) => ({
        title: titleOf(text, locale, order),
        price: priceOf(amountMinor, currency),
        order: order.id,
        reference: order.reference ?? '–',
        brand: seller.brand,
        seller: [seller.name, ...seller.address.split('\n')].filter((line) => line !== '').join(', '),
        statement: descriptor === '' ? '' : text(locale, 'billing:mails.statement', { descriptor }),
        date: momentOf(order.paidAt ?? tx.now, locale),
        refunded: priceOf(order.refundedMinor, currency),
        refundedOn: momentOf(tx.now, locale),
        card: order.cardLast4 === null ? '' : `${order.cardBrand} •••• ${order.cardLast4}`,
        reason: this.#reason(locale, order.decline),
        ...more(locale),
      }),
    });
  }

  /** For a re-up without a card or product to charge. */
  async sendReUpImpossible(tx: Tx, personId: number): Promise<void> {
    const { locale } = await habitsOf(tx, personId);
    const kind = 'billing:mails.reUpImpossible';
    await this.#deps.notices.sendTo(tx, personId, { kind, locale, values: () => ({}) });
  }

  /** Why a payment was declined, as text. */
  #reason(locale: string, decline: DeclineCode | null): string {
    return this.#deps.text(locale, `billing:web.decline.${decline ?? 'NDECLINED'}`);
  }

  get observer(): OrderObserver {
    return {
      changed: async (tx, { order, isNewlyPaid }) => {
        if (order.amountMinor === 0) return;
        if (isNewlyPaid) await this.send(tx, 'receipt', order);
        if (order.state === 'refunded') await this.send(tx, 'refund', order);
      },
      partlyReversed: async (tx, order, { beforeMinor, nowMinor, mode }, tokens) => {
        if (mode === 'chargeback') return;
        const part = priceOf(nowMinor - beforeMinor, order.currency);
        await this.send(tx, 'partRefund', order, () => ({ part, tokens }));
      },
      renewalFailed: async (tx, root, decline) => {
        const until = await membershipEnd(tx, root.id);
        if (until === null) return;
        await this.send(tx, 'renewalFailed', root, (locale) => ({
          until: dayOf(until),
          reason: this.#reason(locale, decline),
        }));
      },
    };
  }
}
