import type { Driver } from '#platform/data/drivers/driver.ts';

/**
 * Sets the countries in which the dump's operator blocked tips, and with them purchases, as that version
 * stored them: no current call writes this setting.
 * @param countries ISO 3166-1 alpha-2
 */
export async function closeCountries({ pool }: Driver, countries: readonly string[]): Promise<void> {
  await pool.query(
    "update site.operators set settings = settings || jsonb_build_object('tipBlockedCountries', $1::jsonb)",
    [JSON.stringify(countries)],
  );
}
