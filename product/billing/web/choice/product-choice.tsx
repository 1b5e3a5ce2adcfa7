import { formatMoney } from '#platform/text/money.ts';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useId } from 'react';
import type { ProductView } from '../../contract.ts';
import { Price, useProductName, type AmountView } from '../money.tsx';
import { Choice } from './choice.tsx';

interface ProductChoiceProps {
  readonly label: string;
  readonly products: readonly ProductView[];
  readonly chosen: string | null;
  /** The balance was too low: the specification's highlighted products are marked. */
  readonly low: boolean;
  /** `internal_id` of the smallest pack that covers the missing tokens; null if that is unknown. */
  readonly covers?: string | null;
  /** The person's current membership. */
  readonly own?: string | null;
  readonly onChoose: (internalId: string) => void;
}

/** Choice of a product, with tokens, price and discount. */
export function ProductChoice(
  { label, products, chosen, low, covers = null, own = null, onChoose }: ProductChoiceProps,
) {
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">{label}</legend>
      {products.map((product) => (
        <Choice
          key={product.internal_id}
          name={id}
          value={product.internal_id}
          checked={product.internal_id === chosen}
          onChoose={() => onChoose(product.internal_id)}
        >
          <ProductLine
            product={product}
            low={low}
            covers={covers}
            own={own}
            usual={usualPrice(product, products)}
          />
        </Choice>
      ))}
    </fieldset>
  );
}

/** The regular price of a membership, where this product is cheaper. */
function usualPrice({ membership, price }: ProductView, products: readonly ProductView[]): AmountView | null {
  if (membership === null) return null;
  return products.find((item) =>
    item.membership === membership && item.price.currency === price.currency
    && item.price.minor > price.minor
  )?.price ?? null;
}

interface LineProps extends Required<Pick<ProductChoiceProps, 'low' | 'covers' | 'own'>> {
  readonly product: ProductView;
  readonly usual: AmountView | null;
}

function ProductLine({ product, low, covers, own, usual }: LineProps) {
  const { t, i18n } = useTranslation('billing');
  const nameOf = useProductName();
  const { tokens, membership, days, renews, free_tokens: free, discount, price } = product;
  return (
    <>
      <span className="flex flex-wrap items-center gap-2 text-base font-bold">
        {membership === null && tokens > 0 ? <TokenAmount tokens={tokens} /> : nameOf(product)}
        {membership === null
          ? null
          : (
            <span className="inline-flex items-center gap-1 text-sm font-medium text-muted">
              + <TokenAmount tokens={tokens} />
            </span>
          )}
        {free > 0
          ? (
            <span className="text-sm font-medium text-success-text">
              {t('web.buy.free', { amount: formatCount(free, i18n.language) })}
            </span>
          )
          : null}
        {membership !== null && membership === own ? <Pill>{t('web.buy.yours')}</Pill> : null}
        {product.internal_id === covers ? <Pill tone="online">{t('web.buy.covers')}</Pill> : null}
        {low && product.highlighted ? <Pill tone="online">{t('web.buy.suggested')}</Pill> : null}
      </span>
      <span className="flex items-baseline gap-2">
        {discount > 0
          ? <span className="text-xs text-success-text">{t('web.buy.discount', { percent: discount })}</span>
          : null}
        {usual
          ? (
            <span className="text-xs text-muted">
              {t('web.membership.insteadOf', { price: formatMoney(usual, i18n.language) })}
            </span>
          )
          : null}
        <Price amount={price} className="text-base font-bold" />
        {tokens === 0
          ? null
          : membership === null
          ? <Rate product={product} />
          : (
            <span className="text-right text-xs text-muted sm:w-24">
              {t(renews ? 'web.membership.every' : 'web.membership.for', { count: days ?? 0 })}
            </span>
          )}
      </span>
    </>
  );
}

/** Price of a hundred tokens, for comparing packs. */
function Rate({ product: { tokens, free_tokens: free, price } }: { product: ProductView }) {
  const { t, i18n } = useTranslation('billing');
  const minor = Math.round((price.minor * 100) / Math.max(1, tokens + free));
  return (
    <span className="tabular w-24 text-right text-xs text-muted max-sm:hidden">
      {t('web.buy.rate', { price: formatMoney({ ...price, minor }, i18n.language) })}
    </span>
  );
}
