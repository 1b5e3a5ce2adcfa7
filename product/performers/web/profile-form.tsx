import { keyOf } from '#platform/text/message-keys.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select, type Option } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { countriesIn, optionOf } from '#product/site/rules/places.ts';
import { saveListingProfile } from '../client.ts';
import type { ListingProfileView } from '../contract.ts';
import { AGE_RANGES, BROWSE_REGIONS, ETHNICITIES, VOYEUR_ROOMS } from '../rules.ts';
import { showProfile } from './live.ts';

export type Draft = Partial<ListingProfileView>;

export interface DraftFormProps {
  readonly profile: ListingProfileView;
  /** Called with the form's values at every change. */
  readonly onDraft: (draft: Draft) => void;
}

/** The chosen value, or null. */
function chosen<Value extends string>(fields: FormData, name: string, of: readonly Value[]): Value | null {
  const value = textOf(fields, name);
  return of.find((item) => item === value) ?? null;
}

const profileIn = (fields: FormData): Draft => ({
  region: chosen(fields, 'region', BROWSE_REGIONS),
  country: textOf(fields, 'country') || null,
  age_range: chosen(fields, 'age_range', AGE_RANGES),
  ethnicity: chosen(fields, 'ethnicity', ETHNICITIES),
  voyeur_room: chosen(fields, 'voyeur_room', VOYEUR_ROOMS),
  is_independent: fields.get('is_independent') === 'on',
});

const options = (values: readonly string[], textOfValue: (value: string) => string): readonly Option[] =>
  values.map((value) => ({ value, text: textOfValue(value) }));

/** Where a performer is from, and the rest of their profile in listings. */
export function ProfileForm({ profile, onDraft }: DraftFormProps) {
  const { t, i18n } = useTranslation('performers');
  const toast = useToast();
  const form = useForm(saveListingProfile, {
    shape: async () => (await import('../contract.ts')).saveListingProfile,
    read: profileIn,
    applied: showProfile,
    onDone: () => toast(t('saved'), 'success'),
  });
  const regions = options(BROWSE_REGIONS, (value) => t(keyOf('performers', 'regions', value)));
  const ethnicities = options(ETHNICITIES, (value) => t(keyOf('performers', 'ethnicities', value)));
  const rooms = options(VOYEUR_ROOMS, (value) => t(keyOf('performers', 'voyeurRooms', value)));
  const select = (
    name: keyof Draft,
    label: string,
    list: readonly Option[],
    value: string | null,
    more: { hint?: string; placeholder?: string } = {},
  ) => (
    <Select
      {...form.field(name)}
      label={label}
      options={list}
      defaultValue={value ?? ''}
      placeholder={t('none')}
      {...more}
    />
  );
  return (
    <form
      {...form.props}
      onChange={() => onDraft(profileIn(form.fields()))}
      className="flex flex-col gap-4"
    >
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {select('region', t('profile.region'), regions, profile.region)}
        {select('country', t('profile.country'), countriesIn(i18n.language).map(optionOf), profile.country)}
        {select('age_range', t('profile.age'), options(AGE_RANGES, (value) => value), profile.age_range, {
          hint: t('profile.ageHint'),
        })}
        {select('ethnicity', t('profile.ethnicity'), ethnicities, profile.ethnicity, {
          hint: t('profile.ethnicityHint'),
        })}
        {select('voyeur_room', t('profile.voyeur'), rooms, profile.voyeur_room, {
          hint: t('profile.voyeurHint'),
          placeholder: t('profile.voyeurNone'),
        })}
      </div>
      <Checkbox
        {...form.field('is_independent')}
        label={t('profile.independent')}
        defaultChecked={profile.is_independent}
      />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('profile.save')}</Button>
      </div>
    </form>
  );
}
