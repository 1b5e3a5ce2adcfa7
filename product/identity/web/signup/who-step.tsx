import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { BirthDateField } from '#product/accounts/web/sign-in/birth-date-field.tsx';
import { giveIdentity } from '../../client.ts';
import { MAX_ALIASES, MAX_NAME_LENGTH } from '../../rules.ts';
import { showApplication } from '../live.ts';
import { CountryField } from './country-field.tsx';

const FIELD_OF = {
  too_young: 'birth_date',
  birth_date_unknown: 'birth_date',
  name_empty: 'legal_name',
  country_unknown: 'country',
} as const;

/** Legal name, birth date, country and every other name. */
export function WhoStep({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation('identity');
  const form = useForm(giveIdentity, {
    shape: async () => (await import('../../contract.ts')).giveIdentity,
    read: (fields) => ({
      legal_name: textOf(fields, 'legal_name').trim(),
      birth_date: textOf(fields, 'birth_date'),
      country: textOf(fields, 'country'),
      aliases: textOf(fields, 'aliases').split('\n').map((name) => name.trim())
        .filter((name) => name !== ''),
    }),
    fieldOf: FIELD_OF,
    applied: showApplication,
    onDone,
  });
  return (
    <form {...form.props} method="post" className="flex flex-col gap-4">
      <TextField
        {...form.field('legal_name')}
        label={t('fields.legalName')}
        hint={t('fields.legalNameHint')}
        required
        maxLength={MAX_NAME_LENGTH}
        autoComplete="name"
      />
      <BirthDateField {...form.field('birth_date')} />
      <CountryField {...form.field('country')} label={t('fields.country')} />
      <TextArea
        {...form.field('aliases')}
        label={t('fields.aliases')}
        hint={t('fields.aliasesHint', { max: MAX_ALIASES })}
        rows={3}
        autoComplete="off"
        maxLength={(MAX_NAME_LENGTH + 1) * MAX_ALIASES}
      />
      <FormError problem={form.problem} />
      <Button type="submit" tone="primary" wide busy={form.busy}>{t('fields.save')}</Button>
    </form>
  );
}
