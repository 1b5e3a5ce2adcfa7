import { formatMoney } from '#platform/text/money.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { describedBy, FieldNotes } from '#platform/ui/controls/fields.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { listProducts } from '#product/billing/client.ts';
import { Choice } from '#product/billing/web/choice/product-choice.tsx';
import { useId } from 'react';
import { OFFER_PRODUCT } from '../../rules/card-form.ts';

/** The choice `do_purchase`: only verify, or buy the offer too. Nothing is chosen for the person. */
export function PurchaseField({ chosen, error, onChoose }: {
  readonly chosen: string;
  readonly error: string | undefined;
  readonly onChoose: (choice: string) => void;
}) {
  const { t, i18n } = useTranslation('age-checks');
  const id = useId();
  const listing = useRead(listProducts, { wanted: OFFER_PRODUCT });
  const offer = listing.data?.wanted.credit ?? null;
  const count = (tokens: number) => formatCount(tokens, i18n.language);
  return (
    <fieldset className="flex flex-col gap-2" {...describedBy(id, { error })}>
      <legend className="mb-2 text-sm font-medium">{t('web.card.label.do_purchase')}</legend>
      <Choice name={id} value="0" checked={chosen === '0'} onChoose={() => onChoose('0')}>
        {t('web.card.noPurchase')}
      </Choice>
      {offer
        ? (
          <Choice name={id} value="1" checked={chosen === '1'} onChoose={() => onChoose('1')}>
            <span>
              {t('web.card.offer', {
                tokens: count(offer.tokens),
                price: formatMoney(offer.price, i18n.language),
              })}
            </span>
            {offer.free_tokens > 0
              ? (
                <span className="text-success-text">
                  {t('web.card.free', { tokens: count(offer.free_tokens) })}
                </span>
              )
              : null}
          </Choice>
        )
        : null}
      <ReadError read={listing} />
      <FieldNotes id={id} error={error} />
    </fieldset>
  );
}
