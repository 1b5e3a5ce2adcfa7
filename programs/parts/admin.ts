import { diskBlobs } from '#platform/data/blobs.ts';
import { systemClock } from '#platform/data/clock.ts';
import { DirectoryHeld } from '#platform/data/drivers/directory-lock.ts';
import { openData } from '#platform/data/open.ts';
import { SchemaMismatch } from '#platform/data/schema/migration.ts';
import { readSchema } from '#platform/data/schema/migrations.ts';
import { absentMedia } from '#platform/streaming/absent.ts';
import { isEmailAddress } from '#product/accounts/rules/staff/usernames.ts';
import type { Appointed } from '#product/accounts/server.ts';
import { assemble } from '#product/assembly.ts';
import { order } from '#product/order.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { loadTexts } from '#product/texts.ts';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { ConfigInvalid, readConfig, siteSecret, type Config } from '../config/config.ts';
import { localUrlOf } from './banner.ts';
import { staffSettingsOf } from './open-site.ts';

const HELP = `
  npm run admin -- create EMAIL [--username NAME] [--birth-date YYYY-MM-DD]
  node dist/admin.js create EMAIL …

  Makes the account with this email address an admin who can make others; without one it makes the account.
  It prints a link to set the password of a new account, and of one whose address nobody has proven. It uses
  the same settings as the site (PUBLIC_URL, DATABASE_URL or DATA_DIR, SITE_SECRET). A site with the embedded
  database is stopped first: one process at a time has it.
`;
/** sysexits: EX_USAGE and EX_CONFIG. */
const [EXIT_USAGE, EXIT_CONFIG] = [64, 78];

const isSource = import.meta.url.endsWith('.ts');
/** A build is one file per program, directly in `dist/`. */
const root = fileURLToPath(new URL(isSource ? '../..' : '..', import.meta.url));

/** The command that was given; null when it cannot be parsed. */
export function readArguments(args: readonly string[]) {
  const [verb, email, ...flags] = args;
  if (verb !== 'create' || email === undefined || !isEmailAddress(email) || flags.length % 2 > 0) return null;
  const given = new Map<string, string>();
  for (let at = 0; at < flags.length; at += 2) given.set(flags[at] ?? '', flags[at + 1] ?? '');
  const known = ['--username', '--birth-date'];
  if ([...given.keys()].some((name) => !known.includes(name)) || given.size * 2 < flags.length) return null;
  return { email, username: given.get('--username'), birthDate: given.get('--birth-date') };
}

const REFUSALS: Readonly<Record<Extract<Appointed, { refused: string }>['refused'], string>> = {
  username: 'Usernames are 3 to 25 letters, digits, - or _, and start with none of the last two.',
  taken: 'This username is taken or reserved. Choose another: --username NAME',
  birth_date: 'The birth date is YYYY-MM-DD, of somebody who is at least 18.',
  inactive: 'The account with this address is suspended or being deleted.',
};

/** What is printed about a person who was made an admin. */
function report({ username, isNew, passwordLink }: Exclude<Appointed, { refused: string }>): string {
  return [
    isNew ? `Made the account ${username}, an admin.` : `The account ${username} is an admin now.`,
    ...(isNew || passwordLink === null
      ? []
      : ['Nobody had proven the address: its sessions have ended, and its password is gone.']),
    ...(passwordLink === null ? [] : ['Set its password within an hour; the link works once:', passwordLink]),
    // Whether the site is a demo depends on a start flag, which this command does not see.
    'Then set up two-step log-in or a passkey: except in the demo, the back office opens only with one.',
  ].join('\n');
}

/** Opens the database of the site with its slices, without starting them, and closes it again. */
async function appoint(
  config: Config,
  asked: NonNullable<ReturnType<typeof readArguments>>,
): Promise<Appointed> {
  const log = pino({ name: 'candela', level: config.logLevel });
  const data = await openData({
    at: config.databaseUrl === null
      ? { dataDir: join(config.dataDir, 'data') }
      : { databaseUrl: config.databaseUrl },
    clock: systemClock,
    development: isSource,
    log,
    schema: readSchema(root, order.map(([slice]) => slice)),
  });
  const { mode, publicUrl, apiBase } = config;
  const site = await assemble({
    data,
    media: absentMedia(),
    blobs: diskBlobs(join(config.dataDir, 'blobs')),
    log,
    roles: [],
    text: loadTexts(root),
    transportClock: systemClock,
    checkOutputs: isSource,
    recordingsFolder: join(config.dataDir, 'recordings'),
    settings: {
      mode,
      version: 'admin',
      publicUrl,
      localUrl: localUrlOf(config),
      apiBase,
      secret: siteSecret(config),
      trustedProxies: [],
      geoHeader: null,
      geoFallback: config.geoFallback,
      ice: config.ice,
      rtmpPort: null,
      asksLoginCodes: false,
      billersOf: () => [],
      isTestPayment: false,
      identityProvidersAt: () => [],
      ...staffSettingsOf(config),
    },
  });
  try {
    const origin = publicUrl ?? localUrlOf(config);
    return await site.services.accounts.appoint(DEFAULT_SCOPE, { ...asked, origin });
  } finally {
    await site.stop();
  }
}

/** The body of the program: runs one command, then ends. */
export async function runAdmin(args: readonly string[]): Promise<void> {
  const asked = readArguments(args);
  if (asked === null) {
    console.error(HELP);
    process.exit(args.includes('--help') ? 0 : EXIT_USAGE);
  }
  try {
    const config = readConfig(process.env, []);
    const appointed = await appoint(config, asked);
    if ('refused' in appointed) {
      console.error(REFUSALS[appointed.refused]);
      process.exit(1);
    }
    console.log(report(appointed));
    process.exit(0);
  } catch (error) {
    const isSettings = [ConfigInvalid, DirectoryHeld, SchemaMismatch].some((item) => error instanceof item);
    console.error(isSettings ? (error as Error).message : error);
    if (error instanceof DirectoryHeld) console.error('Stop the site first, or open the link in its log.');
    process.exit(isSettings ? EXIT_CONFIG : 1);
  }
}
