import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Section } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSearchParams } from 'react-router';
import { getOrder } from '../../client.ts';
import { AGAIN } from '../../rules/payments/payment-return.ts';
import { Bought } from '../money.tsx';
import { againStep, type MoneyStep } from '../steps.ts';

/** For people who return from adding or verifying a card after a decline: the purchase they wanted. */
export function AgainSection({ go }: { go: (step: MoneyStep) => void }) {
  const { t } = useTranslation('billing');
  const [query, setQuery] = useSearchParams();
  const id = query.get(AGAIN) ?? '';
  // An address that names no order, or another person's, offers nothing.
  const { data } = useRead(getOrder, { id }, { enabled: id !== '' });
  const order = data?.order;
  if (order?.state !== 'declined') return null;
  const again = (): void => {
    setQuery((before) => {
      before.delete(AGAIN);
      return before;
    }, { replace: true, preventScrollReset: true });
    go(againStep(order));
  };
  return (
    <Section anchor="again" title={t('web.again.title')}>
      <div className="flex flex-col gap-4">
        <Bought order={{ ...order, card: null }} />
        <div>
          <Button tone="primary" onClick={again}>{t('web.failed.again')}</Button>
        </div>
      </div>
    </Section>
  );
}
