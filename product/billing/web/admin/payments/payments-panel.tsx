import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Select, TextField } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Search } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { findPayments } from '../../../client.ts';
import { Alarms } from './alarms.tsx';
import { PaymentCard } from './payment-card.tsx';
import { PaymentTable } from './payment-table.tsx';

const WAYS = ['username', 'order', 'reference'] as const;
type Way = (typeof WAYS)[number];
const isWay = (way: string): way is Way => (WAYS as readonly string[]).includes(way);

/** Alarms, and a search for payments. */
export function PaymentsPanel() {
  return (
    <div className="flex flex-col gap-8">
      <Alarms />
      <Finder />
    </div>
  );
}

/** The search is in the address, so that it can be shared. */
function Finder() {
  const { t } = useTranslation('billing');
  const [params, setParams] = useSearchParams();
  const way = WAYS.find((text) => params.has(text)) ?? 'username';
  const sought = params.get(way) ?? '';
  const isOne = way === 'order' && sought !== '';
  const found = useReadPages(findPayments, sought === '' ? {} : { [way]: sought }, { keep: true });
  const form = useFields({
    read: (fields) => ({ by: textOf(fields, 'by'), text: textOf(fields, 'text').trim() }),
    onSubmit: ({ by, text }) => setParams(text !== '' && isWay(by) ? { [by]: text } : {}),
  });
  return (
    <section aria-labelledby="payments-found">
      <h2 id="payments-found" className="mb-3 text-lg font-bold">{t('web.admin.payments')}</h2>
      <form
        key={`${way} ${sought}`}
        role="search"
        {...form.props}
        className="mb-4 flex flex-wrap items-end gap-3"
      >
        <Select
          {...form.field('by')}
          label={t('web.admin.by')}
          defaultValue={way}
          options={WAYS.map((value) => ({ value, text: t(`web.admin.way.${value}`) }))}
        />
        <div className="grow basis-56">
          <TextField
            {...form.field('text')}
            type="search"
            label={t('web.admin.text')}
            defaultValue={sought}
            maxLength={128}
            autoComplete="off"
          />
        </div>
        <Button type="submit" icon={<Search size={20} aria-hidden />}>{t('web.admin.find')}</Button>
        {sought === ''
          ? null
          : <ButtonLink to="/admin/payments" tone="quiet">{t('web.admin.payments')}</ButtonLink>}
      </form>
      <Loaded read={found} height="h-64">
        {({ pages }) => {
          const payments = pages.flatMap((page) => page.payments);
          return (
            <>
              {payments.length === 0
                ? <EmptyState text={t(sought === '' ? 'web.admin.noneYet' : 'web.admin.none')} />
                : null}
              {payments.length > 0 && isOne
                ? payments.map((payment) => <PaymentCard key={payment.id} payment={payment} />)
                : null}
              {payments.length > 0 && !isOne
                ? <PaymentTable caption={t('web.admin.payments')} payments={payments} />
                : null}
              <MorePages read={found} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
