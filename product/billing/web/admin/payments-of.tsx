import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { findPayments } from '../../client.ts';
import { PaymentTable } from './payments/payment-table.tsx';

/** One person's payments; each links to its details, where it can be refunded. */
export function PaymentsOf({ username }: { readonly username: string }) {
  const { t } = useTranslation('billing');
  const found = useReadPages(findPayments, { username });
  return (
    <Section anchor="payments" title={t('web.admin.title')}>
      <Loaded read={found} height="h-48">
        {({ pages }) => {
          const payments = pages.flatMap((page) => page.payments);
          return (
            <>
              {payments.length === 0
                ? <EmptyState text={t('web.admin.noneOf')} />
                : <PaymentTable caption={t('web.admin.title')} payments={payments} />}
              <MorePages read={found} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
