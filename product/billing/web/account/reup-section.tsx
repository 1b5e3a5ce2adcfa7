import type { OutputOf } from '#platform/contract/call.ts';
import { formatMoney } from '#platform/text/money.ts';
import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, keepDigits, Select, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm, type Form } from '#platform/ui/forms/form.ts';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { getAutoReUp, listProducts, offerChanged, setAutoReUp } from '../../client.ts';
import type { ProductView } from '../../contract.ts';
import { shownOf } from '../buying.ts';
import { CardChoice, firstCard, usable } from '../choice/card-choice.tsx';
import { useReloadMoney } from '../live.ts';
import { useProductName } from '../money.tsx';
import type { ProductListing } from '../steps.ts';

type ReUp = OutputOf<typeof getAutoReUp>;

/** Auto re-up: off until the person ticks a text that says what it will charge. */
export function ReUpSection() {
  const { t } = useTranslation('billing');
  const reUp = useRead(getAutoReUp, {});
  const listing = useRead(listProducts, {});
  const state = reUp.data
    ? (
      <Pill tone={reUp.data.enabled ? 'online' : 'quiet'}>
        {t(reUp.data.enabled ? 'web.reup.on' : 'web.reup.off')}
      </Pill>
    )
    : null;
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
  listing.products.credit.filter((item) => item.is_oneclick && item.membership === null);

/** The person's choices, in the words of the confirmation, and the product to buy. */
function useReUpChoice(reUp: ReUp, listing: ProductListing) {
  const packs = packsOf(listing);
  const [threshold, setThreshold] = useState(String(reUp.enabled ? reUp.threshold : FIRST_THRESHOLD));
  const [product, setProduct] = useState(reUp.internal_id ?? packs[0]?.internal_id ?? '');
  const [card, setCard] = useState(reUp.cardId ?? firstCard(listing.cards)?.id ?? null);
  const [perDay, setPerDay] = useState(String(reUp.per_day || 1));
  const [confirmed, setConfirmed] = useState(false);
  const chosen = packs.find((pack) => pack.internal_id === product) ?? packs[0];
  /** Any change needs another confirmation. */
  const unconfirmed = <Value,>(set: (value: Value) => void) => (value: Value) => {
    setConfirmed(false);
    set(value);
  };
  return {
    packs,
    chosen,
    threshold,
    card,
    perDay,
    confirmed,
    setConfirmed,
    setThreshold: unconfirmed(setThreshold),
    setProduct: unconfirmed(setProduct),
    setCard: unconfirmed(setCard),
    setPerDay: unconfirmed(setPerDay),
  };
}

type Choice = ReturnType<typeof useReUpChoice>;

function ReUpForm({ reUp, listing }: { reUp: ReUp; listing: ProductListing }) {
  const { t } = useTranslation('billing');
  const choice = useReUpChoice(reUp, listing);
  const { chosen } = choice;
  if (usable(listing.cards).length === 0) {
    return <CardChoice cards={listing.cards} chosen={null} onChoose={choice.setCard} savedOnly />;
  }
  if (!chosen) return <p className="text-sm text-muted">{t('web.buy.empty')}</p>;
  return <ReUpFields enabled={reUp.enabled} listing={listing} choice={choice} chosen={chosen} />;
}

/** Shows that the change was saved, once the page has reloaded it. */
function useSaved(): (text: 'web.reup.saved' | 'web.reup.stopped') => Promise<void> {
  const { t } = useTranslation('billing');
  const toast = useToast();
  const reload = useReloadMoney();
  return async (text) => {
    await reload();
    toast(t(text), 'success');
  };
}

function ReUpFields({ enabled, listing, choice, chosen }: {
  enabled: boolean;
  listing: ProductListing;
  choice: Choice;
  chosen: ProductView;
}) {
  const { t } = useTranslation('billing');
  const saved = useSaved();
  const reload = useReloadMoney();
  const off = useAction(setAutoReUp);
  const form = useForm(setAutoReUp, {
    shape: async () => (await import('../../contract/credit.ts')).setAutoReUp,
    read: (fields) => ({
      enabled: true,
      threshold: Number(textOf(fields, 'threshold')),
      internal_id: textOf(fields, 'internal_id'),
      cardId: choice.card ?? 0,
      per_day: Number(textOf(fields, 'per_day')),
      confirmed: true as const,
      shown: shownOf(chosen),
    }),
    onRefused: (problem) => {
      if (problem.errorType === offerChanged.code) {
        // The current offer differs from the confirmed one.
        choice.setConfirmed(false);
        void reload();
      }
      return problem;
    },
    onDone: () => saved('web.reup.saved'),
  });
  const turnOff = async () => {
    if (choice.card === null) return;
    const done = await off.run({
      enabled: false,
      threshold: Math.max(1, Number(choice.threshold)),
      internal_id: chosen.internal_id,
      cardId: choice.card,
      per_day: Number(choice.perDay),
      confirmed: true,
    });
    if (done) await saved('web.reup.stopped');
  };
  const confirm = form.field('confirmed');
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <Amounts form={form} choice={choice} chosen={chosen} />
      <CardChoice cards={listing.cards} chosen={choice.card} onChoose={choice.setCard} savedOnly />
      <Checkbox
        {...confirm}
        required
        checked={choice.confirmed}
        onChange={(change) => {
          choice.setConfirmed(change.target.checked);
          confirm.onChange(change);
        }}
        label={<Confirmation choice={choice} chosen={chosen} />}
      />
      <FormError problem={form.problem ?? off.problem} />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={form.busy || off.busy} disabled={!choice.confirmed}>
          {t(enabled ? 'web.reup.change' : 'web.reup.turnOn')}
        </Button>
        {enabled
          ? (
            <Button busy={form.busy || off.busy} onClick={() => void turnOff()}>
              {t('web.reup.turnOff')}
            </Button>
          )
          : null}
      </div>
    </form>
  );
}

/** Form fields: the threshold, the product, and how often a day. */
function Amounts({ form, choice, chosen }: { form: Form; choice: Choice; chosen: ProductView }) {
  const { t, i18n } = useTranslation('billing');
  const nameOf = useProductName();
  const threshold = form.field('threshold');
  const product = form.field('internal_id');
  const perDay = form.field('per_day');
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <TextField
        {...threshold}
        label={t('web.reup.threshold')}
        inputMode="numeric"
        required
        value={choice.threshold}
        pattern="[1-9][0-9]{0,4}"
        maxLength={5}
        autoComplete="off"
        onInput={keepDigits}
        onChange={(change) => {
          choice.setThreshold(change.target.value);
          threshold.onChange(change);
        }}
      />
      <Select
        {...product}
        label={t('web.reup.product')}
        value={chosen.internal_id}
        onChange={(change) => {
          choice.setProduct(change.target.value);
          product.onChange(change);
        }}
        options={choice.packs.map((pack) => ({
          value: pack.internal_id,
          text: `${nameOf(pack)} · ${formatMoney(pack.price, i18n.language)}`,
        }))}
      />
      <Select
        {...perDay}
        label={t('web.reup.perDay')}
        value={choice.perDay}
        onChange={(change) => {
          choice.setPerDay(change.target.value);
          perDay.onChange(change);
        }}
        options={PER_DAY.map((count) => ({ value: String(count), text: t('web.reup.times', { count }) }))}
      />
    </div>
  );
}

/** What will be charged, and at most how much a day. */
function Confirmation({ choice, chosen }: { choice: Choice; chosen: ProductView }) {
  const { t, i18n } = useTranslation('billing');
  const nameOf = useProductName();
  const most = { ...chosen.price, minor: chosen.price.minor * Number(choice.perDay) };
  return t('web.reup.confirm', {
    threshold: formatCount(Number(choice.threshold), i18n.language),
    product: nameOf(chosen),
    price: formatMoney(chosen.price, i18n.language),
    most: formatMoney(most, i18n.language),
  });
}
