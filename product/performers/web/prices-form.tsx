import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, keepDigits, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { saveListingProfile } from '../client.ts';
import { MAX_RATE, MIN_RATE } from '../rules.ts';
import { showProfile } from './live.ts';
import type { Draft, DraftFormProps } from './profile-form.tsx';

const PRICES = [
  ['private_price', 'prices.private'],
  ['exclusive_price', 'prices.exclusive'],
  ['spy_price', 'prices.spy'],
] as const;
type Price = (typeof PRICES)[number][0];

const isPrice = (price: number | null): boolean =>
  price === null || (Number.isInteger(price) && price >= MIN_RATE && price <= MAX_RATE);

function pricesIn(fields: FormData): Readonly<Record<Price, number | null>> & Draft {
  const of = (name: Price): number | null => {
    const typed = textOf(fields, name).trim();
    return typed === '' ? null : Number(typed);
  };
  return {
    private_price: of('private_price'),
    exclusive_price: of('exclusive_price'),
    spy_price: of('spy_price'),
    offers_cam2cam: fields.get('offers_cam2cam') === 'on',
  };
}

/** A performer's prices for paid shows, by the minute; an empty field offers nothing. */
export function PricesForm({ profile, onDraft }: DraftFormProps) {
  const { t } = useTranslation('performers');
  const toast = useToast();
  const wrong = t('prices.wrong', { min: MIN_RATE, max: MAX_RATE });
  const form = useForm(saveListingProfile, {
    shape: async () => (await import('../contract.ts')).saveListingProfile,
    read: pricesIn,
    applied: showProfile,
    check: (_prices, fields) =>
      Object.fromEntries(
        PRICES
          .filter(([name]) => !isPrice(pricesIn(fields)[name])).map(([name]) => [name, wrong]),
      ),
    onDone: () => toast(t('saved'), 'success'),
  });
  const changed = () => {
    const draft = pricesIn(form.fields());
    // A price that cannot be saved is not shown either.
    onDraft({
      ...draft,
      ...Object.fromEntries(
        PRICES
          .filter(([name]) => !isPrice(draft[name])).map(([name]) => [name, null]),
      ),
    });
  };
  return (
    <form {...form.props} onChange={changed} className="flex flex-col gap-4">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {PRICES.map(([name, label]) => (
          <TextField
            key={name}
            {...form.field(name)}
            label={t(label)}
            inputMode="numeric"
            autoComplete="off"
            maxLength={3}
            onInput={keepDigits}
            defaultValue={profile[name] ?? ''}
          />
        ))}
      </div>
      <Checkbox
        {...form.field('offers_cam2cam')}
        label={t('prices.cam2cam')}
        defaultChecked={profile.offers_cam2cam}
      />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('prices.save')}</Button>
      </div>
    </form>
  );
}
