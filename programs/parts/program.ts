import { DirectoryHeld } from '#platform/data/drivers/directory-lock.ts';
import { describeError } from '#platform/data/errors.ts';
import { RedisUnreachable } from '#platform/data/redis/connection.ts';
import { SchemaMismatch } from '#platform/data/schema/migration.ts';
import { mediaFeatures } from '#platform/streaming/media-plane.ts';
import { ROLES, type Role } from '#product/assembly.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { ConfigInvalid, readConfig, type Config } from '../config/config.ts';
import { banner } from './banner.ts';
import { startDemo } from './demo.ts';
import { openSite, type OpenedSite } from './open-site.ts';

/** sysexits EX_CONFIG: the supervisor does not restart the program. */
const EXIT_CONFIG = 78;

const isSource = import.meta.url.endsWith('.ts');
/** A build is one file per program, directly in `dist/`. */
const root = fileURLToPath(new URL(isSource ? '../..' : '..', import.meta.url));

const HELP = `
  site.js      everything in one process, the demo included; all.js starts it again when it ends
  web.js       pages, calls, and media: WebRTC relay, RTMP, HLS, recordings. One process for now
  gateway.js   the sockets below /ws/. As many as needed
  worker.js    delivers facts and deadlines. One is enough; more share the work
  admin.js     makes an admin and ends: admin.js create EMAIL

  web, gateway and worker need DATABASE_URL, REDIS_URL and SITE_SECRET, the same in all of them. Media is not
  apart from web: the relay and what records and segments run as children of the process that answers WHIP,
  WHEP and HLS, and the engine's port has no implementation over a network yet.
  Settings and an example of a proxy before them: README.md, "More than one process".
`;

/** A running program. */
export interface Running extends Pick<OpenedSite, 'site' | 'data'> {
  readonly stop: () => Promise<void>;
}

/**
 * Opens the site or its part, brings the demo to life, and prints where everything is.
 * @param fromSource serves pages from their sources, which only an unbuilt program has
 */
export async function startProgram(
  config: Config,
  roles: readonly Role[],
  fromSource = isSource,
): Promise<Running> {
  const log = pino({ name: 'candela', level: config.logLevel });
  const { site, data, media, blobs, version, hasPages, simulators } = await openSite({
    root,
    config,
    log,
    fromSource,
    roles,
  });
  const onError = (error: unknown): void => log.warn(describeError(error), 'demo');
  const demo = config.seeds && roles.length === ROLES.length
    ? await startDemo({
      root,
      data,
      blobs,
      site,
      port: config.port,
      version,
      liveCount: config.demoLive,
      onError,
    })
    : null;
  const logins = demo?.logins ?? [];
  const features = mediaFeatures(media);
  const firstAdmin = roles.includes('web')
    ? await data.tx(DEFAULT_SCOPE, (tx) => site.services.accounts.firstAdminToken(tx))
    : null;
  console.log(banner({
    config,
    driver: data.driver,
    features,
    hasPages,
    logins,
    roles,
    simulators,
    firstAdmin,
  }));
  const stop = async (): Promise<void> => {
    await demo?.stop();
    await site.stop();
  };
  return { site, data, stop };
}

/**
 * Prints only the text of configuration errors. Other errors go to the log, and the supervisor restarts the
 * program.
 */
function fail(error: unknown, isRunning: boolean): never {
  const { code } = error as NodeJS.ErrnoException;
  const isSettings = [ConfigInvalid, DirectoryHeld, SchemaMismatch].some((item) => error instanceof item);
  if (code === 'EADDRINUSE') console.error('The port is in use by another program: set PORT to a free one.');
  else if (isSettings || error instanceof RedisUnreachable) console.error((error as Error).message);
  // During the start a message is about this machine; later it could quote a person.
  else {
    const described = JSON.stringify(describeError(error));
    console.error('candela: unexpected error', isRunning ? '' : String(error), described);
  }
  process.exit(code === 'EADDRINUSE' || isSettings ? EXIT_CONFIG : 1);
}

/** The body of every program: runs these roles until a signal ends it. */
export function runProgram(roles: readonly Role[], defaultPort: number): void {
  const args = process.argv.slice(2);
  if (args.includes('--help')) return console.log(HELP);
  let isRunning = false;
  const failed = (error: unknown): never => fail(error, isRunning);
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  const isPart = roles.length < ROLES.length;
  const running = Promise.resolve()
    .then(() => startProgram(readConfig(process.env, args, { defaultPort, isPart }), roles))
    .then(({ stop }) => {
      isRunning = true;
      return stop;
    })
    .catch(failed);
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    running.then((stop) => stop()).then(() => process.exit(0), failed);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(signal, end);
  return undefined;
}
