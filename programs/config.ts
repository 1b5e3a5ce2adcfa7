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
const FLAGS = ['--no-demo'];
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'];
const MODES = ['demo', 'production'];

const isPort = (text: string): boolean =>
  /^\d{1,5}$/u.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
const listOf = (text: string | null): string[] =>
  (text ?? '').split(',').map((one) => one.trim()).filter((one) => one !== '');

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash, username } = new URL(text);
  return /^https?:$/u.test(protocol) && pathname === '/' && search + hash + username === '';
}

function isNetworks(text: string): boolean {
  try {
    networks(listOf(text));
    return true;
  } catch {
    return false;
  }
}

interface Variable {
  readonly isGood: (value: string) => boolean;
  readonly allowed: string;
  /** Never stands in a message. */
  readonly isSecret?: boolean;
}

const VARIABLES = {
  HOST: { isGood: (host) => host === 'localhost' || isIP(host) > 0, allowed: 'localhost, or an IP address' },
  PORT: { isGood: isPort, allowed: 'a whole number from 1 to 65535' },
  MEDIA_PORT: { isGood: isPort, allowed: 'a whole number from 1 to 65535' },
  DATA_DIR: { isGood: () => true, allowed: 'a directory' },
  DATABASE_URL: {
    isGood: (url) => /^postgres(ql)?:\/\/./u.test(url) && URL.canParse(url), isSecret: true,
    allowed: 'postgres://user@host/database',
  },
  PUBLIC_URL: { isGood: isOrigin, allowed: 'http:// or https:// and a host name, without a path' },
  PUBLIC_IP: { isGood: (ip) => isIP(ip) !== 0, allowed: 'an IP address' },
  CANDELA_MODE: { isGood: (mode) => MODES.includes(mode), allowed: MODES.join(' or ') },
  TRUSTED_PROXIES: { isGood: isNetworks, allowed: 'addresses or networks (10.0.0.0/8), with commas' },
  GEO_HEADER: { isGood: (name) => /^[\w-]+$/u.test(name), allowed: 'the name of a header' },
  GEO_FALLBACK: {
    isGood: (region) => region === 'strict' || /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/u.test(region),
    allowed: 'strict, or a region such as DE or US-FL',
  },
  LOG_LEVEL: { isGood: (level) => LOG_LEVELS.includes(level), allowed: LOG_LEVELS.join(', ') },
  SITE_SECRET: {
    isGood: (secret) => secret.length >= MIN_SECRET_LENGTH, isSecret: true,
    allowed: `at least ${MIN_SECRET_LENGTH} random characters`,
  },
} as const satisfies Record<string, Variable>;

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');

/** Settings from environment and flags. Throws {@link ConfigInvalid} with every fault. */
export function readConfig(environment: Environment, flags: readonly string[]): Config {
  /** Empty counts as not set, as in shell scripts. */
  const read = (name: keyof typeof VARIABLES): string | null => environment[name]?.trim() || null;
  const faults = flags.filter((flag) => !FLAGS.includes(flag))
    .map((flag) => `${flag} is unknown: the flags are ${FLAGS.join(', ')}`);
  for (const [name, { isGood, allowed, isSecret }] of Object.entries<Variable>(VARIABLES)) {
    const value = read(name as keyof typeof VARIABLES);
    if (value === null || isGood(value)) continue;
    faults.push(`${name}=${isSecret ? '…' : value} is not possible: ${allowed}`);
  }
  const host = read('HOST') ?? '127.0.0.1';
  const publicUrl = read('PUBLIC_URL');
  const usual = isLoopback(host) && publicUrl === null ? 'demo' : 'production';
  const mode = (read('CANDELA_MODE') ?? usual) as Config['mode'];
  if (mode === 'production' && publicUrl === null) {
    const hint = read('CANDELA_MODE') === null ? ' (or CANDELA_MODE=demo to try it out in this network)' : '';
    faults.push(`production needs PUBLIC_URL, the address under which people reach the site${hint}`);
  }
  if (faults.length > 0) throw new ConfigInvalid(faults);
  const port = Number(read('PORT') ?? DEFAULT_PORT);
  return {
    host, port, mode,
    mediaPort: Number(read('MEDIA_PORT') ?? port),
    dataDir: resolve(read('DATA_DIR') ?? 'var'),
    databaseUrl: read('DATABASE_URL'),
    publicUrl: publicUrl === null ? null : new URL(publicUrl).origin,
    publicIp: read('PUBLIC_IP'),
    seeds: mode === 'demo' && !flags.includes('--no-demo'),
    trustedProxies: listOf(read('TRUSTED_PROXIES')),
    geoHeader: read('GEO_HEADER'),
    geoFallback: read('GEO_FALLBACK') ?? 'strict',
    logLevel: read('LOG_LEVEL') ?? 'warn',
    secret: read('SITE_SECRET'),
  };
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
