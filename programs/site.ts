import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { diskBlobs } from '../platform/data/blobs.ts';
import { systemClock } from '../platform/data/clock.ts';
import { DirectoryHeld } from '../platform/data/drivers/directory-lock.ts';
import { describeFault } from '../platform/data/fault.ts';
import { readMigrations, SchemaMismatch } from '../platform/data/migrations.ts';
import { openData } from '../platform/data/open.ts';
import type { Host } from '../platform/http/host.ts';
import { createEmbeddedEngine } from '../platform/streaming/embedded/embedded-engine.ts';
import { assemble } from '../product/assembly.ts';
import { order } from '../product/order.ts';
import { banner } from './banner.ts';
import { ConfigInvalid, isLoopback, readConfig, siteSecret, type Config } from './config.ts';
import { startDemo } from './demo.ts';
import { mountPages } from './pages.ts';

/** sysexits EX_CONFIG: the supervisor does not try again. */
const EXIT_CONFIG = 78;

const root = fileURLToPath(new URL('..', import.meta.url));
const isSource = import.meta.url.endsWith('.ts');
let isRunning = false;

/** The whole site in this process: pages, calls, sockets and deliveries; media in children of its own. */
async function run(config: Config): Promise<() => Promise<void>> {
  const log = pino({ name: 'candela', level: config.logLevel });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const { host, port, mode, publicUrl, databaseUrl, dataDir } = config;
  const { trustedProxies, geoHeader, geoFallback } = config;
  const data = await openData({
    at: databaseUrl === null ? { dataDir: join(dataDir, 'data') } : { databaseUrl },
    clock: systemClock,
    development: isSource,
    log,
    migrations: readMigrations(root, order.map(([slice]) => slice)),
  });
  const engine = createEmbeddedEngine({
    udpPort: config.mediaPort,
    publicAddress: config.publicIp ?? undefined,
    bindAddress: isLoopback(host) && host !== 'localhost' ? host : undefined,
    onRelayLost: (relay, detail) => log.error({ relay, detail }, 'a relay ended; it is started again'),
  });
  const blobs = diskBlobs(join(dataDir, 'blobs'));
  const site = await assemble({
    root, data, engine, blobs, log, transportClock: systemClock, checkOutputs: isSource,
    settings: {
      mode, version, publicUrl, secret: siteSecret(config), trustedProxies, geoHeader, geoFallback,
    },
  });
  if (mode === 'production' && (await site.services.site.holdsDemo())) {
    await data.close();
    throw new ConfigInvalid([
      'this database holds demo people, whose passwords are public: production needs another ' +
        (databaseUrl === null ? 'DATA_DIR' : 'DATABASE_URL'),
    ]);
  }
  const hasPages = isSource ? await developmentPages(site.http) : await mountPages(root, site.http);
  // The port first: whether it is free is known before anything is begun.
  await site.http.app.listen({ host, port });
  await site.start();
  data.start();
  const onFault = (error: unknown): void => log.warn(describeFault(error), 'demo');
  const demo = config.seeds ? await startDemo({ root, data, blobs, site, port, version, onFault }) : null;
  const logins = demo?.logins ?? [];
  isRunning = true;
  console.log(banner({ config, driver: data.driver, features: engine.features(), hasPages, logins }));
  return async () => {
    await demo?.stop();
    await site.stop();
  };
}

/** Imported when it is needed: the development server is not there in production. */
async function developmentPages(host: Host): Promise<boolean> {
  const { mountDevelopmentPages } = await import('./development.ts');
  await mountDevelopmentPages(root, host);
  return true;
}

/**
 * Faults of whoever starts the program get their text alone; others go to the log, and the supervisor starts
 * anew.
 */
function fail(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  const isSettings = [ConfigInvalid, DirectoryHeld, SchemaMismatch].some((one) => error instanceof one);
  if (code === 'EADDRINUSE') console.error('The port is in use by another program: set PORT to a free one.');
  else if (isSettings) console.error((error as Error).message);
  // While it starts, a message tells of this machine; later it could quote somebody.
  else console.error('candela: fault', isRunning ? '' : String(error), JSON.stringify(describeFault(error)));
  process.exit(code === 'EADDRINUSE' || isSettings ? EXIT_CONFIG : 1);
}

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
const running = Promise.resolve()
  .then(() => run(readConfig(process.env, process.argv.slice(2))))
  .catch(fail);
let ending = false;
const end = (): void => {
  if (ending) return;
  ending = true;
  running.then((stop) => stop()).then(() => process.exit(0), fail);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(signal, end);
