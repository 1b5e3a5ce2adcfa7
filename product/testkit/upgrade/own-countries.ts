import type { Driver } from '../../../platform/data/drivers/driver.ts';

/**
 * Sets the countries that the dump's operator closed to tips, and with them to purchases, as its site stored
 * them then: no call of today writes that setting.
 * @param countries ISO 3166-1 alpha-2
 */
export async function closeCountries({ pool }: Driver, countries: readonly string[]): Promise<void> {
  await pool.query(
    "update site.operators set settings = settings || jsonb_build_object('tipBlockedCountries', $1::jsonb)",
    [JSON.stringify(countries)],
  );
}
