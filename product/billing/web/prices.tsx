import { useRead } from '#platform/ui/calls/calls.ts';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { getPrices } from '../client.ts';
import { Price } from './money.tsx';

/** Token prices, for people signing up; nothing until loaded, or if nothing is sold. */
export default function Prices() {
  const ready = useTexts('billing');
  const { t } = useTranslation('billing');
  const { data } = useRead(getPrices, {});
  if (!ready || !data || data.prices.length === 0) return null;
  return (
    <section aria-label={t('web.prices')} className="mb-4 rounded-control bg-raised p-3 text-sm">
      <p className="font-medium">{t('web.prices')}</p>
      <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {data.prices.map(({ tokens, free_tokens: free, price }) => (
          <li key={`${tokens} ${price.minor}`} className="inline-flex items-center gap-2">
            <TokenAmount tokens={tokens + free} />
            <Price amount={price} className="text-muted" />
          </li>
        ))}
      </ul>
    </section>
  );
}
