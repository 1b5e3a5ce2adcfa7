import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { PURPOSES } from '../rules.ts';
import { STORED_KEYS, type Life, type StoredKey } from '../rules/stored.ts';

const COLUMNS = ['name', 'use', 'place', 'life'] as const;
/** On a phone, place and lifetime are shown below the use. */
const WIDE = 'max-sm:hidden';

/** Everything the site stores in a browser, by purpose; made from the list that the site enforces. */
export function StoredTable() {
  const { t } = useTranslation('consent');
  return (
    <div className="flex flex-col gap-6">
      {(['necessary', ...PURPOSES] as const).map((purpose) => {
        const keys = STORED_KEYS.filter((key) => key.purpose === purpose);
        return (
          <section key={purpose} aria-labelledby={`stored-${purpose}`}>
            <h3 id={`stored-${purpose}`} className="font-bold">{t(`purposes.${purpose}.title`)}</h3>
            {keys.length === 0
              ? <p className="mt-1 text-sm text-muted">{t('stored.none')}</p>
              : (
                <table className="mt-1 w-full text-left text-sm">
                  <thead className="text-muted">
                    <tr>
                      {COLUMNS.map((column, at) => (
                        <th
                          key={column}
                          scope="col"
                          className={`py-2 pr-4 font-medium ${at < 2 ? '' : WIDE}`}
                        >
                          {t(`stored.columns.${column}`)}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>{keys.map((key) => <Row key={key.name} stored={key} />)}</tbody>
                </table>
              )}
          </section>
        );
      })}
    </div>
  );
}

function Row({ stored: { name, use, place, life } }: { readonly stored: StoredKey }) {
  const { t, i18n } = useTranslation('consent');
  const where = t(`stored.places.${place}`);
  const howLong = 'count' in life ? spanOf(life, i18n.language) : t(`stored.lives.${life.unit}`);
  return (
    <tr className="border-t border-line align-top">
      <th scope="row" className="py-2 pr-4 font-medium wrap-anywhere">{name}</th>
      <td className="py-2 sm:max-w-80 sm:pr-4">
        {t(`stored.uses.${use}`)}
        <span className="block text-muted sm:hidden">{where} · {howLong}</span>
      </td>
      <td className={`py-2 pr-4 ${WIDE}`}>{where}</td>
      <td className={`py-2 ${WIDE}`}>{howLong}</td>
    </tr>
  );
}

/** A time span in words, such as `30 days`. */
const spanOf = (
  { unit, count }: Extract<Life, { readonly count: number }>,
  locale: string,
): string => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
