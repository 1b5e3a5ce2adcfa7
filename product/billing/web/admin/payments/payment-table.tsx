import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link } from 'react-router';
import { OrderState } from '../../account/orders-section.tsx';
import { billerText, CardName, Price, Refunded, useProductName } from '../../money.tsx';
import type { Payment } from './payment-steps.ts';

/** A table of payments; each has its own address. */
export function PaymentTable({ caption, payments }: { caption: string; payments: readonly Payment[] }) {
  const { t } = useTranslation('billing');
  const nameOf = useProductName();
  const columns: readonly Column<Payment>[] = [
    { key: 'at', text: t('web.orders.at'), cell: (item) => <RelativeTime at={item.at} /> },
    { key: 'who', text: t('web.admin.person'), cell: (item) => `@${item.username}` },
    { key: 'what', text: t('web.orders.what'), cell: nameOf },
    {
      key: 'price',
      text: t('web.orders.price'),
      numeric: true,
      cell: (item) => (
        <span className="flex flex-col items-end">
          <Price amount={item.price} />
          <Refunded order={item} />
        </span>
      ),
    },
    {
      key: 'how',
      text: t('web.orders.how'),
      cell: (item) => (
        <span className="flex flex-col">
          {billerText(item.biller)}
          {item.card ? <CardName card={item.card} /> : null}
        </span>
      ),
    },
    { key: 'state', text: t('web.orders.status'), cell: (item) => <OrderState state={item.state} /> },
    {
      key: 'more',
      text: t('web.admin.details'),
      cell: (item) => (
        <Link
          to={`/admin/payments?order=${item.id}`}
          className="inline-flex min-h-11 items-center whitespace-nowrap text-link hover:underline
          pointer-fine:min-h-8"
        >
          {t('web.admin.events', { count: item.events.length })},{' '}
          {t('web.admin.callbacks', { count: item.callbacks.length })}
          {/* The accessible name contains the visible words, which speech control uses. */}
          <span className="sr-only">{` ${t('web.admin.openOf', { order: item.id })}`}</span>
        </Link>
      ),
    },
  ];
  return <Table caption={caption} columns={columns} rows={payments} keyOf={({ id }) => id} />;
}
