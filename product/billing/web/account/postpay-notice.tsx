import { formatMoney } from '#platform/text/money.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Section } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSearchParams } from 'react-router';
import { getPostpay } from '../../client.ts';
import type { MoneyStep } from '../steps.ts';

/** The query of the redirect after a declined charge (`server/postpay.ts`). */
const [QUERY, DECLINED] = ['postpay', 'declined'];

/** For people who follow the email about a declined charge: that it failed and where to pay, or is paid. */
export function PostpayNotice({ go }: { go: (step: MoneyStep) => void }) {
  const [query] = useSearchParams();
  return query.get(QUERY) === DECLINED ? <Notice go={go} /> : null;
}

function Notice({ go }: { go: (step: MoneyStep) => void }) {
  const { t, i18n } = useTranslation('billing');
  // Without an answer the section below shows the problem.
  const { data } = useRead(getPostpay, {});
  if (!data) return null;
  if (data.owed === 0) {
    return (
      <Section anchor="postpay-notice" title={t('web.postpay.settled')}>
        <p>{t('web.postpay.settledText')}</p>
      </Section>
    );
  }
  // Settled and then spent again: the section below shows the current debt.
  if (!data.card_failed) return null;
  return (
    <Section anchor="postpay-notice" title={t('web.postpay.declined')}>
      <p className="mb-4 text-danger-text">
        {t('web.postpay.declinedText', { price: formatMoney(data.price, i18n.language) })}
      </p>
      <Button onClick={() => go({ kind: 'postpay_card' })}>{t('web.postpay.settle')}</Button>
    </Section>
  );
}
