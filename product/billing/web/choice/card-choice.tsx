import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useId } from 'react';
import { Link } from 'react-router';
import { CardName, type Card } from '../money.tsx';
import { Choice } from './choice.tsx';

/** Saved cards that can be charged. */
export const usable = (cards: readonly Card[]): readonly Card[] => cards.filter(({ expired }) => !expired);

/** The initially selected card. */
export const firstCard = (cards: readonly Card[]): Card | null =>
  usable(cards).find((card) => card.is_default) ?? usable(cards)[0] ?? null;

interface CardChoiceProps {
  readonly cards: readonly Card[];
  /** Null for the biller's page, which takes any card. */
  readonly chosen: number | null;
  readonly onChoose: (cardId: number | null) => void;
  /** Offers only saved cards, not the biller's page. */
  readonly savedOnly?: boolean;
}

/** Choice of a saved card or the biller's page. */
export function CardChoice({ cards, chosen, onChoose, savedOnly = false }: CardChoiceProps) {
  const { t } = useTranslation('billing');
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-sm font-medium">{t('web.buy.payWith')}</legend>
      {cards.map((card) => (card.expired
        ? (
          <p key={card.id} className="flex justify-between gap-4 px-3 text-sm text-muted">
            <CardName card={card} /> {t('web.card.expired')}
          </p>
        )
        : (
          <Choice
            key={card.id}
            name={id}
            value={String(card.id)}
            checked={card.id === chosen}
            onChoose={() => onChoose(card.id)}
          >
            <CardName card={card} />
            {card.expiry ? <span className="tabular text-xs text-muted">{card.expiry}</span> : null}
          </Choice>
        ))
      )}
      {savedOnly
        ? null
        : (
          <Choice
            name={id}
            value="page"
            checked={chosen === null}
            onChoose={() => onChoose(null)}
          >
            {t('web.buy.otherCard')}
          </Choice>
        )}
      {savedOnly && usable(cards).length === 0
        ? (
          <p className="text-sm text-muted">
            {t('web.card.none')}{' '}
            {/* The card page has its own content policy, so it is loaded as a document. */}
            <Link to="/account/card" reloadDocument className="text-link underline">{t('web.card.add')}</Link>
          </p>
        )
        : null}
    </fieldset>
  );
}

/** Asks whether to save the biller's token for a card. */
export function KeepCard({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  const { t } = useTranslation('billing');
  return (
    <Checkbox
      checked={checked}
      onChange={({ target }) => onChange(target.checked)}
      label={
        <>
          {t('web.buy.keepCard')} <span className="block text-xs text-muted">{t('web.buy.keepNote')}</span>
        </>
      }
    />
  );
}
