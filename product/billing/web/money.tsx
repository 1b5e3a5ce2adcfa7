import { keyOf } from '#platform/text/message-keys.ts';
import { formatMoney } from '#platform/text/money.ts';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { FlaskConical } from 'lucide-react';
import type { z } from 'zod';
import type { Amount, CardView, ProductView } from '../contract.ts';
import { missingOf } from '../rules/products.ts';
import type { Order } from './steps.ts';

export type AmountView = z.infer<typeof Amount>;
export type Card = z.infer<typeof CardView>;

/** A price, in tabular figures. */
export function Price({ amount, className = '' }: { amount: AmountView; className?: string }) {
  const { i18n } = useTranslation();
  return (
    <span className={`tabular whitespace-nowrap ${className}`}>{formatMoney(amount, i18n.language)}</span>
  );
}

/** How many tokens somebody lacks for what they wanted; other words where that is unknown. */
export function Missing({ needed, unknown }: { needed: number | undefined; unknown?: string }) {
  const { t, i18n } = useTranslation('billing');
  const missing = missingOf(needed, useMe()?.tokens ?? 0);
  if (missing === 0) return unknown === undefined ? null : <p>{unknown}</p>;
  return <p>{t('web.buy.missing', { count: missing, amount: formatCount(missing, i18n.language) })}</p>;
}

/** A partial refund, `Refunded $3.33 of $20.00`; nothing for a full one, which the status shows. */
export function Refunded({ order }: { order: Pick<Order, 'price' | 'refunded_minor' | 'state'> }) {
  const { t, i18n } = useTranslation('billing');
  const { price, refunded_minor: minor, state } = order;
  if (minor === 0 || minor >= price.minor) return null;
  return (
    <span className="tabular text-xs text-muted">
      {t(state === 'charged_back' ? 'web.orders.chargedBack' : 'web.orders.refunded', {
        part: formatMoney({ ...price, minor }, i18n.language),
        whole: formatMoney(price, i18n.language),
      })}
    </span>
  );
}

/** Marks a site whose payment runs on simulators. */
export function TestLabel() {
  const { t } = useTranslation('billing');
  return (
    <Pill tone="warning">
      <FlaskConical size={14} aria-hidden />
      {t('web.test')}
    </Pill>
  );
}

/** `Visa ···· 4242`, with a text for screen readers. */
export function CardName({ card }: { card: Pick<Card, 'brand' | 'last4'> }) {
  const { t } = useTranslation('billing');
  const brand = brandText(card.brand);
  return (
    <span className="tabular whitespace-nowrap">
      <span aria-hidden>{`${brand} ···· ${card.last4}`}</span>
      <span className="sr-only">{t('web.card.spoken', { brand, last4: card.last4 })}</span>
    </span>
  );
}

/** Billers spell brands in different ways: `VISA`, `visa`, `MasterCard`. */
const brandText = (brand: string): string => (brand === brand.toUpperCase() || brand === brand.toLowerCase()
  ? brand.slice(0, 1).toUpperCase() + brand.slice(1).toLowerCase()
  : brand);

/** Display names of billers. */
const BILLERS: Readonly<Record<string, string>> = {
  ccbill: 'CCBill',
  segpay: 'Segpay',
  rocketgate: 'RocketGate',
  nowpayments: 'NOWPayments',
  btcpay: 'BTCPay',
  cashtocode: 'CashtoCode',
};
export const billerText = (name: string): string => BILLERS[name] ?? name;

/** The title of a product: its tokens, or its membership. */
export function useProductName(): (product: Pick<ProductView, 'tokens' | 'membership'>) => string {
  const { t, i18n } = useTranslation('billing');
  return ({ tokens, membership }) => {
    if (membership !== null) {
      return t('web.membership.name', { level: t(keyOf('billing', 'web.membership.level', membership)) });
    }
    if (tokens === 0) return t('titles.pass');
    return t('web.tokens', { count: tokens, amount: formatCount(tokens, i18n.language) });
  };
}

/** The title of a payment. */
export function Bought({ order }: {
  order: Pick<Order, 'tokens' | 'membership' | 'price' | 'card'>;
}) {
  const nameOf = useProductName();
  return (
    <p className="flex flex-wrap justify-between gap-x-4 gap-y-1 rounded-control bg-raised px-4 py-3 text-sm">
      <span>{nameOf(order)}</span>
      {order.card
        ? (
          <span className="text-muted">
            <CardName card={order.card} />
          </span>
        )
        : null}
      <Price amount={order.price} />
    </p>
  );
}
