import { Select } from '#platform/ui/controls/fields.tsx';
import type { FormField } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { COUNTRY_CODES } from '#product/site/rules/places.ts';

/** All countries by their names in the reader's language. */
export function CountryField({ label, hint, ...field }: FormField & {
  readonly label: string;
  readonly hint?: string;
}) {
  const { t, i18n } = useTranslation('identity');
  const names = new Intl.DisplayNames(i18n.language, { type: 'region', fallback: 'code' });
  const options = COUNTRY_CODES.map((value) => ({ value, text: names.of(value) ?? value }))
    .sort((a, b) => a.text.localeCompare(b.text, i18n.language));
  return (
    <Select
      {...field}
      label={label}
      hint={hint}
      required
      placeholder={t('fields.choose')}
      defaultValue=""
      options={options}
    />
  );
}
