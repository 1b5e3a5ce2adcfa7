import { formatMoney } from '#platform/text/money.ts';
import { describedBy, FieldNotes } from '#platform/ui/controls/fields.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Choice } from '#product/billing/web/choice/choice.tsx';
import { useId } from 'react';
import type { CardToken } from './token-service.ts';

/** The choice `do_purchase`: only verify, or buy the offer too. Nothing is chosen for the person. */
export function PurchaseField({ offer, chosen, error, onChoose }: {
  readonly offer: CardToken['offer'];
  readonly chosen: string;
  readonly error: string | undefined;
  readonly onChoose: (choice: string) => void;
}) {
  const { t, i18n } = useTranslation('age-checks');
  const id = useId();
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
      <FieldNotes id={id} error={error} />
    </fieldset>
  );
}
