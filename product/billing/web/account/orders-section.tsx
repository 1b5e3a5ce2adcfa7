import { keyOf } from '#platform/text/message-keys.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Pill, type PillTone } from '#platform/ui/surfaces/card.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ReceiptText } from 'lucide-react';
import { Link } from 'react-router';
import { listOrders } from '../../client.ts';
import { declineText } from '../../rules/payments/payment-return.ts';
import { billerText, CardName, Price, Refunded, useProductName } from '../money.tsx';
import type { Order } from '../steps.ts';

const TONES: Readonly<Record<Order['state'], PillTone>> = {
  created: 'quiet',
  pending: 'warning',
  unknown: 'warning',
  paid: 'online',
  declined: 'danger',
  expired: 'quiet',
  refunded: 'private',
  charged_back: 'danger',
};

/** The status of an order. */
export function OrderState({ state }: { state: Order['state'] }) {
  const { t } = useTranslation('billing');
  return <Pill tone={TONES[state]}>{t(`web.orders.state.${state}`)}</Pill>;
}

/** Purchases, newest first, each with its receipt. */
export function OrdersSection() {
  const { t } = useTranslation('billing');
  const nameOf = useProductName();
  const read = useReadPages(listOrders, {});
  const columns: readonly Column<Order>[] = [
    { key: 'at', text: t('web.orders.at'), cell: (order) => <RelativeTime at={order.at} /> },
    { key: 'what', text: t('web.orders.what'), cell: nameOf },
    {
      key: 'price',
      text: t('web.orders.price'),
      numeric: true,
      cell: (order) => (
        <span className="flex flex-col items-end">
          <Price amount={order.price} />
          <Refunded order={order} />
        </span>
      ),
    },
    {
      key: 'how',
      text: t('web.orders.how'),
      cell: (order) => (order.card
        ? <CardName card={order.card} />
        : billerText(order.biller)),
    },
    {
      key: 'state',
      text: t('web.orders.status'),
      cell: (order) => (
        <span className="flex flex-col items-start gap-1">
          <OrderState state={order.state} />
          {order.state === 'declined'
            ? (
              <span className="text-xs text-muted">
                {t(keyOf('billing', 'web.decline', declineText(order.declined_reason)))}
              </span>
            )
            : null}
        </span>
      ),
    },
    {
      key: 'receipt',
      text: t('web.orders.receipt'),
      cell: (order) => (order.paid_at
        ? (
          <Link
            to={`/account/receipts/${order.id}`}
            className="inline-flex min-h-11 items-center text-link hover:underline pointer-fine:min-h-8"
          >
            {t('web.orders.open')}
          </Link>
        )
        : null),
    },
  ];
  return (
    <Section anchor="purchases" title={t('web.orders.title')} lead={t('web.orders.lead')}>
      <Loaded read={read} height="h-44">
        {({ pages }) => (
          <>
            {pages[0]?.orders.length === 0
              ? <EmptyState icon={<ReceiptText size={28} aria-hidden />} text={t('web.orders.empty')} />
              : (
                <Table
                  caption={t('web.orders.title')}
                  columns={columns}
                  keyOf={({ id }) => id}
                  rows={pages.flatMap(({ orders }) => orders)}
                />
              )}
            <MorePages read={read} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
