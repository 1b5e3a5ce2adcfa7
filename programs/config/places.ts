import type { Clock } from '#platform/data/clock.ts';
import { openPlaces, PlacesUnreadable, type Places } from '#platform/http/places/places.ts';
import type { Logger } from 'pino';
import { ConfigInvalid, type Config } from './config.ts';

/**
 * Places of addresses from GEO_DATABASE and GEO_ANONYMOUS_DATABASE; null where neither is set. Rejects with
 * {@link ConfigInvalid} when a file cannot be used: the site would have the strictest rules for everybody.
 */
export async function openPlaceFiles(
  { geoDatabase, geoAnonymousDatabase }: Pick<Config, 'geoDatabase' | 'geoAnonymousDatabase'>,
  clock: Clock,
  log: Pick<Logger, 'error'>,
): Promise<Places | null> {
  if (geoDatabase === null && geoAnonymousDatabase === null) return null;
  try {
    return await openPlaces({
      database: geoDatabase,
      anonymousDatabase: geoAnonymousDatabase,
      clock,
      onError: ({ message }) => log.error(`${message}: the places of before stay in use`),
    });
  } catch (error) {
    if (!(error instanceof PlacesUnreadable)) throw error;
    const name = error.file === geoDatabase ? 'GEO_DATABASE' : 'GEO_ANONYMOUS_DATABASE';
    throw new ConfigInvalid([`${name}=${error.message}: it needs a file in the MaxMind DB format 2`]);
  }
}
