import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { PURPOSES } from '../rules.ts';
import { STORED_KEYS, type Life } from '../rules/stored.ts';

/** Everything the site stores in a browser, by purpose: made of the list that the site itself keeps to. */
export function StoredTable() {
  const { t, i18n } = useTranslation('consent');
  return (
    <div className="flex flex-col gap-6">
      {(['necessary', ...PURPOSES] as const).map((purpose) => {
        const keys = STORED_KEYS.filter((key) => key.purpose === purpose);
        return (
          <section key={purpose} aria-labelledby={`stored-${purpose}`}>
            <h3 id={`stored-${purpose}`} className="font-bold">{t(`purposes.${purpose}.title`)}</h3>
            {keys.length === 0 ? <p className="mt-1 text-sm text-muted">{t('stored.none')}</p> : (
              <div className="mt-1 overflow-x-auto">
                <table className="w-full min-w-max text-left text-sm sm:min-w-0">
                  <thead className="text-muted">
                    <tr>
                      {(['name', 'use', 'place', 'life'] as const).map((column) => (
                        <th key={column} scope="col" className="py-2 pr-4 font-medium">
                          {t(`stored.columns.${column}`)}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {keys.map(({ name, use, place, life }) => (
                      <tr key={name} className="border-t border-line align-top">
                        <th scope="row" className="py-2 pr-4 font-medium">{name}</th>
                        <td className="max-w-80 py-2 pr-4">{t(`stored.uses.${use}`)}</td>
                        <td className="py-2 pr-4">{t(`stored.places.${place}`)}</td>
                        <td className="py-2">
                          {'count' in life ? spanOf(life, i18n.language) : t(`stored.lives.${life.unit}`)}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </section>
        );
      })}
    </div>
  );
}

/** A span of time in words, such as `30 days`. */
const spanOf = (
  { unit, count }: Extract<Life, { readonly count: number }>, locale: string,
): string => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
