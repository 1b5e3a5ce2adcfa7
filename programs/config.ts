import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { networks } from '../platform/http/address.ts';

/** Everything that can be set from outside; nothing else reads the environment. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** Origin under which people reach the site, e.g. `https://cam.example`. */
  readonly publicUrl: string | null;
  /** UDP port of media; the number of PORT unless set. */
  readonly mediaPort: number;
  /** Address media is sent to when this machine is behind NAT. */
  readonly publicIp: string | null;
  readonly mode: 'demo' | 'production';
  /** Fills an empty demo site with performers. */
  readonly seeds: boolean;
  readonly trustedProxies: readonly string[];
  readonly geoHeader: string | null;
  readonly geoFallback: string;
  readonly logLevel: string;
  /** From SITE_SECRET; null means the file in the data directory. */
  readonly secret: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Every wrong value at once, each with what is allowed. The text is for whoever starts the program. */
export class ConfigInvalid extends Error {
  constructor(faults: readonly string[]) {
    super(`Candela cannot start with these settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigInvalid';
  }
}

const DEFAULT_PORT = 3000;
/** A secret signs sessions for years: 32 characters of base64 are 192 bits. */
const MIN_SECRET_LENGTH = 32;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'];
const MODES = ['demo', 'production'];
const FLAGS = ['--no-demo'];
/** Values that never stand in a message: they hold passwords. */
const SECRETS = ['DATABASE_URL'];

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\./u.test(host);

/** Settings from environment and flags. Throws {@link ConfigInvalid} with every fault. */
export function readConfig(environment: Environment, flags: readonly string[]): Config {
  const faults: string[] = [];
  /** Empty counts as not set, as in shell scripts. */
  const read = (name: string): string | null => environment[name]?.trim() || null;
  const check = <T>(name: string, isGood: (value: string) => boolean, allowed: string, value: T): T => {
    const given = read(name);
    if (given !== null && !isGood(given)) faults.push(`${name}=${SECRETS.includes(name) ? '…' : given} is not possible: ${allowed}`);
    return value;
  };
  for (const flag of flags) {
    if (!FLAGS.includes(flag)) faults.push(`${flag} is unknown: the flags are ${FLAGS.join(', ')}`);
  }
  const host = check('HOST', isHost, 'an IP address, or localhost', read('HOST') ?? '127.0.0.1');
  const publicUrl = check(
    'PUBLIC_URL',
    isOrigin,
    'http:// or https:// and a host name, without a path',
    originOf(read('PUBLIC_URL')),
  );
  const isPrivate = isLoopback(host) && publicUrl === null;
  const mode = check(
    'CANDELA_MODE',
    (m) => MODES.includes(m),
    MODES.join(' or '),
    read('CANDELA_MODE') ?? (isPrivate ? 'demo' : 'production'),
  ) as Config['mode'];
  if (mode === 'production' && publicUrl === null) {
    faults.push(
      'production needs PUBLIC_URL, the address under which people reach the site' +
        (read('CANDELA_MODE') === null ? ' (or CANDELA_MODE=demo to try it out in this network)' : ''),
    );
  }
  const config: Config = {
    host,
    publicUrl,
    mode,
    port: check('PORT', isPort, 'a whole number from 1 to 65535', Number(read('PORT') ?? DEFAULT_PORT)),
    mediaPort: check(
      'MEDIA_PORT',
      isPort,
      'a whole number from 1 to 65535',
      Number(read('MEDIA_PORT') ?? read('PORT') ?? DEFAULT_PORT),
    ),
    dataDir: resolve(read('DATA_DIR') ?? 'var'),
    databaseUrl: check('DATABASE_URL', isDatabaseUrl, 'postgres://user@host/database', read('DATABASE_URL')),
    publicIp: check('PUBLIC_IP', (ip) => isIP(ip) !== 0, 'an IP address', read('PUBLIC_IP')),
    seeds: mode === 'demo' && !flags.includes('--no-demo'),
    trustedProxies: check(
      'TRUSTED_PROXIES',
      isNetworks,
      'addresses or networks such as 10.0.0.0/8, with commas between',
      listOf(read('TRUSTED_PROXIES')),
    ),
    geoHeader: check(
      'GEO_HEADER',
      (name) => /^[\w-]+$/u.test(name),
      'the name of a header',
      read('GEO_HEADER'),
    ),
    geoFallback: check(
      'GEO_FALLBACK',
      isRegion,
      'strict, or a region such as DE or US-FL',
      read('GEO_FALLBACK') ?? 'strict',
    ),
    logLevel: check(
      'LOG_LEVEL',
      (level) => LOG_LEVELS.includes(level),
      LOG_LEVELS.join(', '),
      read('LOG_LEVEL') ?? 'warn',
    ),
    secret: read('SITE_SECRET'),
  };
  if (config.secret !== null && config.secret.length < MIN_SECRET_LENGTH) {
    faults.push(`SITE_SECRET is too short: at least ${MIN_SECRET_LENGTH} random characters`);
  }
  if (faults.length > 0) throw new ConfigInvalid(faults);
  return config;
}

const isHost = (host: string): boolean => isIP(host) !== 0 || host === 'localhost';
const isPort = (text: string): boolean =>
  /^\d{1,5}$/u.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
const isRegion = (text: string): boolean => text === 'strict' || /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/u.test(text);
const isDatabaseUrl = (text: string): boolean => /^postgres(ql)?:\/\/./u.test(text) && URL.canParse(text);
const listOf = (text: string | null): string[] =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash, username } = new URL(text);
  return /^https?:$/u.test(protocol) && pathname === '/' && search + hash + username === '';
}
const originOf = (text: string | null): string | null =>
  text !== null && isOrigin(text) ? new URL(text).origin : null;

function isNetworks(text: string): boolean {
  try {
    networks(listOf(text));
    return true;
  } catch {
    return false;
  }
}

/**
 * The secret that signs sessions and tokens: SITE_SECRET, else a random one made at the first start and kept
 * in the data directory for the owner's eyes only.
 */
export function siteSecret({ secret, dataDir }: Pick<Config, 'secret' | 'dataDir'>): string {
  if (secret !== null) return secret;
  const file = join(dataDir, 'site-secret');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const kept = readFileSync(file, 'utf8').trim();
  if (kept.length < MIN_SECRET_LENGTH) throw new ConfigInvalid([`${file} is damaged: it holds no secret`]);
  return kept;
}
