import { Select } from '#platform/ui/controls/fields.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { countriesIn, optionOf, subdivisionsOf, type Place } from '#product/site/rules/places.ts';

/** Chooses a country, and a state where the lists have states; other places stand before the countries. */
export function PlaceFields({ region, others, error, onChange }: {
  region: string;
  others: readonly Place[];
  error?: string | undefined;
  onChange: (region: string) => void;
}) {
  const { t, i18n } = useTranslation('compliance');
  const [country = ''] = region.split('-');
  const states = subdivisionsOf(country).map(optionOf);
  return (
    <>
      <Select
        name="region"
        label={t('regions.form.country')}
        options={[...others, ...countriesIn(i18n.language)].map(optionOf)}
        placeholder={t('regions.form.choose')}
        value={country}
        error={error}
        required
        onChange={({ target }) => onChange(target.value)}
      />
      {states.length > 0
        ? (
          <Select
            label={t('regions.form.state')}
            options={states}
            placeholder={t('regions.form.anyState')}
            value={region === country ? '' : region}
            onChange={({ target }) => onChange(target.value === '' ? country : target.value)}
          />
        )
        : null}
    </>
  );
}
