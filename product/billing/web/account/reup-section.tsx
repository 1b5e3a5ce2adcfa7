import { useState } from 'react';
import type { OutputOf } from '../../../../platform/contract/call.ts';
import { useAction, useRead } from '../../../../platform/ui/calls/calls.ts';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { Checkbox, Select, TextField } from '../../../../platform/ui/controls/fields.tsx';
import { Pill } from '../../../../platform/ui/surfaces/card.tsx';
import { FormError } from '../../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../../platform/ui/surfaces/toasts.tsx';
import { formatCount } from '../../../../platform/ui/text/amounts.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { getAutoReUp, listProducts, setAutoReUp } from '../../client.ts';
import type { ProductView } from '../../contract.ts';
import { CardChoice, firstCard, usable } from '../choice/card-choice.tsx';
import { useReloadMoney } from '../live.ts';
import { useProductName } from '../money.tsx';
import type { ProductListing } from '../steps.ts';
import { Loaded, Section } from '../../../../platform/ui/surfaces/section.tsx';
import { formatMoney } from '../../../../platform/text/money.ts';

type ReUp = OutputOf<typeof getAutoReUp>;

/** Auto re-up: off until the person ticks a text with what it will charge. */
export function ReUpSection() {
  const { t } = useTranslation('billing');
  const reUp = useRead(getAutoReUp, {});
  const listing = useRead(listProducts, {});
  const state = reUp.data ? (
    <Pill tone={reUp.data.enabled ? 'online' : 'quiet'}>
      {t(reUp.data.enabled ? 'web.reup.on' : 'web.reup.off')}
    </Pill>
  ) : null;
  return (
    <Section anchor="auto-reup" title={t('web.reup.title')} lead={t('web.reup.lead')} action={state}>
      <Loaded read={reUp} height="h-44">
        {(known) => (
          <Loaded read={listing} height="h-44">
            {(offered) => <ReUpForm key={String(known.enabled)} reUp={known} listing={offered} />}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}

const FIRST_THRESHOLD = 50;
const PER_DAY = [1, 2, 3, 5, 10];
/** Packs that a saved card can be charged for. */
const packsOf = (listing: ProductListing): readonly ProductView[] =>
  listing.products.credit.filter((one) => one.is_oneclick && one.membership === null);

/** The form's state, and the product it would buy. */
function useReUpForm(reUp: ReUp, listing: ProductListing) {
  const packs = packsOf(listing);
  const [threshold, setThreshold] = useState(String(reUp.enabled ? reUp.threshold : FIRST_THRESHOLD));
  const [product, setProduct] = useState(reUp.internal_id ?? packs[0]?.internal_id ?? '');
  const [card, setCard] = useState(reUp.cardId ?? firstCard(listing.cards)?.id ?? null);
  const [perDay, setPerDay] = useState(String(reUp.per_day || 1));
  const [confirmed, setConfirmed] = useState(false);
  const chosen = packs.find((one) => one.internal_id === product) ?? packs[0];
  /** Any change needs another confirmation. */
  const unconfirmed = <Value,>(set: (value: Value) => void) => (value: Value) => {
    setConfirmed(false);
    set(value);
  };
  return {
    packs, chosen, threshold, card, perDay, confirmed, setConfirmed, setThreshold: unconfirmed(setThreshold),
    setProduct: unconfirmed(setProduct), setCard: unconfirmed(setCard), setPerDay: unconfirmed(setPerDay),
  };
}

function ReUpForm({ reUp, listing }: { reUp: ReUp; listing: ProductListing }) {
  const { t, i18n } = useTranslation('billing');
  const toast = useToast();
  const nameOf = useProductName();
  const reload = useReloadMoney();
  const action = useAction(setAutoReUp);
  const form = useReUpForm(reUp, listing);
  const { packs, chosen, threshold, card, perDay, confirmed } = form;
  if (usable(listing.cards).length === 0) {
    return <CardChoice cards={listing.cards} chosen={null} onChoose={form.setCard} savedOnly />;
  }
  if (!chosen) return <p className="text-sm text-muted">{t('web.buy.empty')}</p>;
  const save = async (enabled: boolean) => {
    if (card === null) return;
    const done = await action.run({
      enabled, threshold: Math.max(1, Number(threshold)), internal_id: chosen.internal_id, cardId: card,
      per_day: Number(perDay), confirmed: true,
    });
    if (!done) return;
    await reload();
    toast(t(enabled ? 'web.reup.saved' : 'web.reup.stopped'), 'success');
  };
  const most = { ...chosen.price, minor: chosen.price.minor * Number(perDay) };
  return (
    <form className="flex flex-col gap-4" onSubmit={(submit) => {
      submit.preventDefault();
      if (!action.busy) void save(true);
    }}>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField label={t('web.reup.threshold')} inputMode="numeric" required value={threshold}
          pattern="[1-9][0-9]{0,4}" maxLength={5} autoComplete="off"
          onChange={({ target }) => form.setThreshold(target.value.replaceAll(/\D/gu, ''))} />
        <Select label={t('web.reup.product')} value={chosen.internal_id}
          onChange={({ target }) => form.setProduct(target.value)}
          options={packs.map((one) => ({
            value: one.internal_id, text: `${nameOf(one)} · ${formatMoney(one.price, i18n.language)}`,
          }))} />
        <Select label={t('web.reup.perDay')} value={perDay} onChange={({ target }) =>
          form.setPerDay(target.value)}
          options={PER_DAY.map((count) => ({
            value: String(count), text: t('web.reup.times', { count }),
          }))} />
      </div>
      <CardChoice cards={listing.cards} chosen={card} onChoose={form.setCard} savedOnly />
      <Checkbox required checked={confirmed} onChange={({ target }) => form.setConfirmed(target.checked)}
        label={t('web.reup.confirm', {
          threshold: formatCount(Number(threshold), i18n.language), product: nameOf(chosen),
          price: formatMoney(chosen.price, i18n.language), most: formatMoney(most, i18n.language),
        })} />
      <FormError problem={action.problem} />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={action.busy} disabled={!confirmed}>
          {t(reUp.enabled ? 'web.reup.change' : 'web.reup.turnOn')}
        </Button>
        {reUp.enabled ? (
          <Button busy={action.busy} onClick={() => void save(false)}>{t('web.reup.turnOff')}</Button>
        ) : null}
      </div>
    </form>
  );
}
