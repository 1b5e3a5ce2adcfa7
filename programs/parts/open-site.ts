import { diskBlobs, type Blobs } from '#platform/data/blobs.ts';
import { systemClock } from '#platform/data/clock.ts';
import { openData, type OpenedData } from '#platform/data/open.ts';
import { readSchema } from '#platform/data/schema/migrations.ts';
import type { Host } from '#platform/http/host.ts';
import { absentMedia } from '#platform/streaming/absent.ts';
import type { MediaPlane } from '#platform/streaming/media-plane.ts';
import { assemble, ROLES, type Assembly, type Role } from '#product/assembly.ts';
import { order } from '#product/order.ts';
import { loadTexts } from '#product/texts.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openAgeChecks } from '../config/age-checks.ts';
import { ConfigInvalid, siteSecret, type Config } from '../config/config.ts';
import { openIdentities } from '../config/identities.ts';
import { openPayments } from '../config/payments.ts';
import { openPlaceFiles } from '../config/places.ts';
import { localUrlOf } from './banner.ts';
import { openFanOut } from './fan-out.ts';
import { createMedia } from './media.ts';
import { mountPages, type Frames, type OnMarked } from './pages.ts';

export interface SiteOptions {
  /** The project's folder, or a copy with its texts, tables and build. */
  readonly root: string;
  readonly config: Config;
  readonly log: Logger;
  /** Whether pages come from their sources, with hot updates, instead of the build. */
  readonly fromSource: boolean;
  /** The roles of this process; all of them by default. */
  readonly roles?: readonly Role[];
}

/** A running site. */
export interface OpenedSite {
  readonly site: Assembly;
  readonly data: OpenedData;
  readonly media: MediaPlane;
  readonly blobs: Blobs;
  readonly version: string;
  /** Where the simulated payment processors are; null where none run. */
  readonly simulators: string | null;
  /** False when no pages are built, or this process serves none. */
  readonly hasPages: boolean;
}

/**
 * Opens the site in this process, or the part that its roles name: pages, calls, sockets, deliveries; media
 * in children. Rejects with {@link ConfigInvalid}, DirectoryHeld, SchemaMismatch or RedisUnreachable for
 * problems that the operator can fix.
 */
export async function openSite(
  { root, config, log, fromSource, roles = ROLES }: SiteOptions,
): Promise<OpenedSite> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const { host, port, mode, publicUrl, apiBase, databaseUrl, dataDir } = config;
  const { trustedProxies, geoHeader, geoFallback, ice, rtmpPort, socketLimits } = config;
  const places = await openPlaceFiles(config, systemClock, log);
  const fanOut = config.redisUrl === null ? null : await openFanOut(config.redisUrl, systemClock, log);
  const data = await openData({
    ...(fanOut ? { bus: fanOut.bus, attendance: fanOut.attendance, limits: fanOut.limits } : {}),
    at: databaseUrl === null ? { dataDir: join(dataDir, 'data') } : { databaseUrl },
    clock: systemClock,
    development: fromSource,
    log,
    schema: readSchema(root, order.map(([slice]) => slice)),
  });
  const isWeb = roles.includes('web');
  const media = isWeb ? await createMedia(config, log) : absentMedia();
  const blobs = diskBlobs(join(dataDir, 'blobs'));
  const payments = await openPayments(config, systemClock, isWeb);
  const identities = await openIdentities(config, isWeb);
  const ageChecks = await openAgeChecks(config, systemClock, isWeb);
  const site = await assemble({
    data,
    media,
    blobs,
    log,
    roles,
    text: loadTexts(root),
    transportClock: systemClock,
    checkOutputs: fromSource,
    recordingsFolder: join(dataDir, 'recordings'),
    settings: {
      mode,
      version,
      publicUrl,
      localUrl: localUrlOf(config),
      apiBase,
      secret: siteSecret(config),
      trustedProxies,
      geoHeader,
      geoFallback,
      places,
      ice,
      rtmpPort,
      socketLimits,
      smtp: config.smtp,
      sms: config.sms ?? (mode === 'demo' ? 'outbox' : null),
      asksLoginCodes: config.smtp !== null,
      billersOf: payments.billersOf,
      ...staffSettingsOf(config),
      isTestPayment: payments.isTestPayment,
      identityProvidersAt: identities.providersAt,
      ageChecksOf: ageChecks.of,
    },
  });
  if (mode === 'production' && (await site.services.site.holdsDemo())) {
    await data.close();
    throw new ConfigInvalid([
      'this database holds demo people, whose passwords are public: production needs another ' +
      (databaseUrl === null ? 'DATA_DIR' : 'DATABASE_URL'),
    ]);
  }
  const mount = fromSource ? developmentPages : mountPages;
  const { documentSent } = site.services.browse;
  const hasPages = isWeb && (await mount(root, site.http, payments.framesOf, documentSent));
  // The port comes first: if it is taken, nothing else has started.
  await site.http.app.listen({ host, port });
  await site.start();
  // Sockets commit transactions too, which must wake the delivering process.
  if (isWeb || roles.includes('worker')) data.start();
  const stop = async (): Promise<void> => {
    await site.stop();
    await payments.close();
    await identities.close();
    await ageChecks.close();
    places?.close();
    await fanOut?.close();
  };
  return { site: { ...site, stop }, data, media, blobs, version, hasPages, simulators: payments.simulators };
}

/** A demo has an admin with a public password: the protections of staff accounts would only be in the way. */
export const staffSettingsOf = ({ mode, seeds }: Pick<Config, 'mode' | 'seeds'>) => ({
  staffNeedsSecondStep: !seeds,
  needsAdmin: mode === 'production',
});

/** Imported on demand: the development server is missing in production. */
async function developmentPages(
  root: string,
  host: Host,
  frames: Frames,
  onMarked: OnMarked,
): Promise<boolean> {
  const { mountDevelopmentPages } = await import('./development.ts');
  await mountDevelopmentPages(root, host, frames, onMarked);
  return true;
}
