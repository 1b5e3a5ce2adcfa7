import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { CreditCard, Plus } from 'lucide-react';
import { useState } from 'react';
import { changeCard, listCards, removeCard } from '../../client.ts';
import { useReloadMoney } from '../live.ts';
import { CardName, type Card } from '../money.tsx';

/**
 * Saved cards: the default one, and removing them.
 * @param endsOnly for a person who may not buy: cards can be removed but not added
 */
export function CardsSection({ endsOnly = false }: { readonly endsOnly?: boolean }) {
  const { t } = useTranslation('billing');
  const read = useRead(listCards, {});
  // The card page has its own content policy, so it is loaded as a document.
  const add = (
    <ButtonLink to="/account/card" reloadDocument icon={<Plus size={20} aria-hidden />}>
      {t('web.card.add')}
    </ButtonLink>
  );
  if (endsOnly && !read.data?.cards.length) return null;
  return (
    <Section
      anchor="cards"
      title={t('web.card.title')}
      lead={t('web.card.lead')}
      action={endsOnly ? undefined : add}
    >
      <Loaded read={read} height="h-24">
        {({ cards }) => (cards.length === 0
          ? <EmptyState icon={<CreditCard size={28} aria-hidden />} text={t('web.card.empty')} />
          : <ul className="flex flex-col">{cards.map((card) => <CardLine key={card.id} card={card} />)}</ul>)}
      </Loaded>
    </Section>
  );
}

function CardLine({ card }: { card: Card }) {
  const { t } = useTranslation('billing');
  const choose = useAction(changeCard);
  const remove = useAction(removeCard);
  const reload = useReloadMoney();
  const [asking, setAsking] = useState(false);
  const forget = async () => {
    if (!(await remove.run({ id: card.id }))) return;
    setAsking(false);
    await reload();
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-2 text-sm
      last:border-0">
      <span className="flex grow flex-wrap items-center gap-x-3 gap-y-1">
        <CardName card={card} />
        {card.expiry ? <span className="tabular text-muted">{card.expiry}</span> : null}
        {card.is_default ? <Pill>{t('web.card.default')}</Pill> : null}
        {card.expired ? <Pill tone="warning">{t('web.card.expired')}</Pill> : null}
      </span>
      <span className="ml-auto flex gap-2">
        {card.is_default || card.expired
          ? null
          : (
            <Button
              busy={choose.busy}
              onClick={() => void choose.run({ id: card.id, is_default: true }).then(reload)}
            >
              {t('web.card.use')}
            </Button>
          )}
        <Button tone="danger" onClick={() => setAsking(true)}>{t('web.card.forget')}</Button>
      </span>
      <FormError problem={choose.problem} />
      {asking
        ? (
          <Dialog
            title={t('web.card.forgetTitle')}
            onClose={() => setAsking(false)}
            actions={
              <>
                <Button onClick={() => setAsking(false)}>{t('web.keep')}</Button>
                <Button
                  tone="danger"
                  busy={remove.busy}
                  onClick={() => void forget()}
                >
                  {t('web.card.forget')}
                </Button>
              </>
            }
          >
            <p>
              {t('web.card.forgetText')} <CardName card={card} />
            </p>
            <FormError problem={remove.problem} />
          </Dialog>
        )
        : null}
    </li>
  );
}
