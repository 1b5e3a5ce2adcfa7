import type { z } from 'zod';
import { Table, type Column } from '../../../../platform/ui/controls/table.tsx';
import { RelativeTime } from '../../../../platform/ui/text/amounts.tsx';
import { Moment } from '../../../../platform/ui/text/moment.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import type { PaymentView } from '../../contract/staff.ts';
import { OrderState } from '../account/orders-section.tsx';
import { billerText, CardName, Price, useProductName } from '../money.tsx';
import { AskAgain } from './ask-again.tsx';

export type Payment = z.infer<typeof PaymentView>;

/** Payments with what billers said of each: events as they were applied, callbacks as they came. */
export function PaymentTable({ caption, payments }: { caption: string; payments: readonly Payment[] }) {
  const { t } = useTranslation('billing');
  const nameOf = useProductName();
  const columns: readonly Column<Payment>[] = [
    { key: 'at', text: t('web.orders.at'), cell: (one) => <RelativeTime at={one.at} /> },
    { key: 'who', text: t('web.desk.person'), cell: (one) => `@${one.username}` },
    { key: 'what', text: t('web.orders.what'), cell: nameOf },
    { key: 'price', text: t('web.orders.price'), numeric: true, cell: (one) => <Price amount={one.price} /> },
    { key: 'how', text: t('web.orders.how'), cell: (one) => (
      <span className="flex flex-col">
        {billerText(one.biller)}{one.card ? <CardName card={one.card} /> : null}
      </span>
    ) },
    { key: 'state', text: t('web.orders.status'), cell: (one) => <OrderState state={one.state} /> },
    { key: 'more', text: t('web.desk.details'), cell: (one) => <Details payment={one} /> },
  ];
  return <Table caption={caption} columns={columns} rows={payments} keyOf={({ id }) => id} />;
}

function Details({ payment }: { payment: Payment }) {
  const { t } = useTranslation('billing');
  return (
    <details>
      <summary className="min-h-8 py-1 text-link">
        {t('web.desk.heard', { events: payment.events.length, callbacks: payment.callbacks.length })}
      </summary>
      <div className="flex max-w-2xl flex-col gap-4 py-2">
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs [&_dd]:break-all [&_dt]:text-muted">
          <dt>{t('web.desk.order')}</dt><dd className="tabular">{payment.id}</dd>
          <dt>{t('web.desk.reference')}</dt><dd className="tabular">{payment.reference ?? '—'}</dd>
          <dt>{t('web.desk.operation')}</dt><dd className="tabular">{payment.operation ?? '—'}</dd>
        </dl>
        <ul className="flex flex-col gap-1 text-xs">
          {payment.events.map((event) => (
            <li key={event.id}>
              <Moment at={event.at} /> · {event.type}
              {event.amount ? <>{' · '}<Price amount={event.amount} /></> : null}
              {' · '}<span className="text-muted">{event.outcome}</span>
            </li>
          ))}
        </ul>
        {payment.callbacks.map((callback) => (
          <details key={callback.id} className="text-xs">
            <summary className="min-h-6">
              {callback.method} · <Moment at={callback.at} /> · {callback.outcome}
            </summary>
            <pre className="overflow-x-auto rounded-control bg-raised p-2 whitespace-pre-wrap break-all">
              {callback.body}
            </pre>
          </details>
        ))}
        <div><AskAgain id={payment.id} /></div>
      </div>
    </details>
  );
}
