import { useRead } from '#platform/ui/calls/calls.ts';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { formatCount, RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import { getBillingAlarms } from '../../../client.ts';
import { OrderState } from '../../account/orders-section.tsx';
import { billerText, Price, useProductName } from '../../money.tsx';
import type { Order } from '../../steps.ts';
import { AskAgain } from './ask-again.tsx';
import { PaymentTable } from './payment-table.tsx';

/** Payments that need attention, and counts of refused callbacks. */
export function Alarms() {
  const { t, i18n } = useTranslation('billing');
  const read = useRead(getBillingAlarms, {}, { everyMs: 30_000 });
  return (
    <section aria-labelledby="payment-alarms">
      <h2 id="payment-alarms" className="mb-3 text-lg font-bold">{t('web.admin.alarms')}</h2>
      <Loaded read={read} height="h-32">
        {({ unknown, mismatched, over_cap: overCap, forged_today: forged, unread }) => (
          <div className="flex flex-col gap-4">
            <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
              {([
                ['unknown', unknown.length],
                ['mismatched', mismatched.length],
                ['over_cap', overCap.length],
                ['forged', forged],
                ['unread', unread],
              ] as const).map(([key, count]) => (
                <Card key={key} className="p-4">
                  <dt className="text-sm text-muted">{t(`web.admin.count.${key}`)}</dt>
                  <dd className="tabular flex items-center gap-2 text-lg font-bold">
                    {count === 0
                      ? <CircleCheck size={20} aria-hidden className="text-success-text" />
                      : <TriangleAlert size={20} aria-hidden className="text-warning-text" />}
                    {formatCount(count, i18n.language)}
                  </dd>
                </Card>
              ))}
            </dl>
            {unknown.length > 0 ? <Unknown orders={unknown} /> : null}
            {mismatched.length > 0
              ? <PaymentTable caption={t('web.admin.count.mismatched')} payments={mismatched} />
              : null}
            {overCap.length > 0
              ? (
                <div className="flex flex-col gap-2">
                  <p className="text-sm">
                    {t('web.admin.overCap')}{' '}
                    <Link to="/admin/products#payout" className="text-link hover:underline">
                      {t('web.operator.payout.title')}
                    </Link>
                  </p>
                  <PaymentTable caption={t('web.admin.count.over_cap')} payments={overCap} />
                </div>
              )
              : null}
          </div>
        )}
      </Loaded>
    </section>
  );
}

/** Orders with an unknown outcome: their biller is asked on schedule, or now by a button. */
function Unknown({ orders }: { orders: readonly Order[] }) {
  const { t } = useTranslation('billing');
  const nameOf = useProductName();
  const columns: readonly Column<Order>[] = [
    { key: 'at', text: t('web.orders.at'), cell: (order) => <RelativeTime at={order.at} /> },
    {
      key: 'id',
      text: t('web.admin.order'),
      cell: ({ id }) => <span className="tabular text-xs">{id}</span>,
    },
    { key: 'what', text: t('web.orders.what'), cell: nameOf },
    {
      key: 'price',
      text: t('web.orders.price'),
      numeric: true,
      cell: (order) => (
        <Price
          amount={order.price}
        />
      ),
    },
    { key: 'biller', text: t('web.receipt.biller'), cell: (order) => billerText(order.biller) },
    { key: 'state', text: t('web.orders.status'), cell: (order) => <OrderState state={order.state} /> },
    { key: 'ask', text: t('web.admin.do'), cell: ({ id }) => <AskAgain id={id} /> },
  ];
  return (
    <Table
      caption={t('web.admin.count.unknown')}
      columns={columns}
      rows={orders}
      keyOf={({ id }) => id}
    />
  );
}
