import { API_BASE } from '#platform/contract/client.ts';
import { networks } from '#platform/http/address.ts';
import { isSmsAddress, isSmsSender, type SmsSettings } from '#platform/outgoing/sms.ts';
import type { SmtpSettings } from '#platform/outgoing/smtp.ts';
import { GATEWAY_LIMITS, type GatewayLimits } from '#platform/realtime/limits.ts';
import { MAX_TRANSCODERS } from '#platform/streaming/rtmp/limits.ts';
import { REGION_CODE } from '#platform/text/codes.ts';
import type { IceSettings } from '#product/broadcast/server.ts';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { readIceServers, readTurnUrls } from './ice.ts';

/** Everything that can be configured from outside; nothing else reads the environment. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** Connects the processes of one site; null while it is a single process. */
  readonly redisUrl: string | null;
  /** Origin at which people reach the site, e.g. `https://cam.example`. */
  readonly publicUrl: string | null;
  /** Path prefix of the calls. */
  readonly apiBase: string;
  /** UDP port of media; by default the number of PORT. */
  readonly mediaPort: number;
  /** TCP port of RTMP ingest; null when it is turned off. */
  readonly rtmpPort: number | null;
  /** How many RTMP streams with B-frames may be transcoded at once. */
  readonly rtmpTranscoders: number;
  /** STUN and TURN servers for browsers and encoders. */
  readonly ice: IceSettings;
  /** Sockets that a process allows one address and one session, and how long it waits for a token. */
  readonly socketLimits: Pick<GatewayLimits, 'socketsPerAddress' | 'socketsPerSession' | 'authorizeWithinMs'>;
  /** Address media is sent to when this machine is behind NAT. */
  readonly publicIp: string | null;
  readonly mode: 'demo' | 'production';
  /** Fills an empty demo site with performers. */
  readonly seeds: boolean;
  /** How many of the demo's performers are live. */
  readonly demoLive: number;
  readonly trustedProxies: readonly string[];
  readonly geoHeader: string | null;
  readonly geoFallback: string;
  /** File with the places of addresses, in the MaxMind DB format; null for none. */
  readonly geoDatabase: string | null;
  /** File with the networks of VPNs, proxies and Tor, in the same format; null for none. */
  readonly geoAnonymousDatabase: string | null;
  readonly logLevel: string;
  /** The server that takes emails; null stores them for admins to read. */
  readonly smtp: SmtpSettings | null;
  /** The provider of text messages; null for none: a demo stores them for admins to read. */
  readonly sms: SmsSettings | null;
  /** File with the accounts at payment processors; null for none. */
  readonly billersFile: string | null;
  /** File with the accounts at log-in providers, by host name; null for none. */
  readonly loginProvidersFile: string | null;
  /** File with the accounts at providers of age verification; null for none. */
  readonly ageChecksFile: string | null;
  /** TCP port of a demo's simulated processors; null for the default port, or any other if that is taken. */
  readonly simulatorPort: number | null;
  /** SITE_SECRET; null when the secret is in a file in the data directory. */
  readonly secret: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** All wrong values at once, each with what is allowed. The text is for the person who starts the program. */
export class ConfigInvalid extends Error {
  constructor(problems: readonly string[]) {
    const list = problems.map((problem) => `  - ${problem}`).join('\n');
    super(`Candela cannot start with these settings:\n${list}`);
    this.name = 'ConfigInvalid';
  }
}

export const DEFAULT_PORT = 3000;
/** Where browsers find the simulated payment processors of a demo. */
export const DEFAULT_SIMULATOR_PORT = 3010;
/** Performers of the demo who have a loop to broadcast. */
const MAX_DEMO_LIVE = 24;
/** Default port to which encoders send RTMP. */
const DEFAULT_RTMP_PORT = 1935;
/** A secret signs sessions for years: 32 characters of base64 are 192 bits. */
const MIN_SECRET_LENGTH = 32;
const FLAGS = ['--no-demo'];
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'];
const MODES = ['demo', 'production'];

const isPort = (text: string): boolean =>
  /^\d{1,5}$/u.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
const isCount = (text: string): boolean => /^[1-9]\d{0,5}$/u.test(text);
const isOff = (text: string): boolean => text === '0' || text === 'off';
const listOf = (text: string | null): string[] =>
  (text ?? '').split(',').map((item) => item.trim()).filter((item) => item !== '');

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

const isRedis = (url: string): boolean =>
  /^rediss?:\/\/./u.test(url) && URL.canParse(url) && /^\/?\d*$/u.test(new URL(url).pathname);

const isSmtp = (url: string): boolean =>
  /^smtps?:\/\/./u.test(url) && URL.canParse(url) && /^\/?$/u.test(new URL(url).pathname);

/** A path of a few plain segments: any other could collide with addresses of pages. */
const isBase = (text: string): boolean => /^(?:\/[a-z0-9-]{1,32}){1,4}$/u.test(text);

interface Variable {
  readonly isGood: (value: string) => boolean;
  readonly allowed: string;
  /** Whether the value must never appear in a message. */
  readonly isSecret?: boolean;
}

const VARIABLES = {
  HOST: { isGood: (host) => host === 'localhost' || isIP(host) > 0, allowed: 'localhost, or an IP address' },
  PORT: { isGood: isPort, allowed: 'a whole number from 1 to 65535' },
  MEDIA_PORT: { isGood: isPort, allowed: 'a whole number from 1 to 65535' },
  RTMP_PORT: {
    isGood: (port) => isPort(port) || isOff(port),
    allowed: 'a whole number from 1 to 65535, or off',
  },
  RTMP_TRANSCODERS: {
    isGood: (count) => /^\d$/u.test(count) && Number(count) <= MAX_TRANSCODERS,
    allowed: `a whole number from 0 to ${MAX_TRANSCODERS}`,
  },
  SOCKETS_PER_ADDRESS: { isGood: isCount, allowed: 'a whole number from 1 to 999999' },
  SOCKETS_PER_SESSION: { isGood: isCount, allowed: 'a whole number from 1 to 999999' },
  SOCKET_AUTHORIZE_MS: { isGood: isCount, allowed: 'a whole number from 1 to 999999' },
  DEMO_LIVE: {
    isGood: (count) => /^\d{1,2}$/u.test(count) && Number(count) <= MAX_DEMO_LIVE,
    allowed: `a whole number from 0 to ${MAX_DEMO_LIVE}`,
  },
  SIMULATOR_PORT: { isGood: isPort, allowed: 'a whole number from 1 to 65535' },
  SMTP_URL: {
    isGood: isSmtp,
    isSecret: true,
    allowed: 'smtp://user:password@host:587, or smtps:// for TLS from the first byte',
  },
  MAIL_FROM: {
    isGood: (from) => /^[^\s<>,;@]+@[^\s<>,;@]+$/u.test(from),
    allowed: 'one plain email address',
  },
  SMS_URL: {
    isGood: isSmsAddress,
    isSecret: true,
    allowed: 'https://ACCOUNT:SECRET@host of a provider with Twilio’s Messages API',
  },
  SMS_FROM: {
    isGood: isSmsSender,
    allowed: 'a number such as +15550100200, a name of up to 11 letters and digits, or a messaging service',
  },
  BILLERS_FILE: { isGood: () => true, allowed: 'a file' },
  AGE_CHECKS_FILE: { isGood: () => true, allowed: 'a file' },
  LOGIN_PROVIDERS_FILE: { isGood: () => true, allowed: 'a file' },
  ICE_SERVERS: {
    isGood: (text) => readIceServers(text) !== null,
    isSecret: true,
    allowed: 'a JSON array such as [{"urls":"stun:stun.example.org"}]; turn: with username and credential',
  },
  TURN_URLS: {
    isGood: (text) => readTurnUrls(text) !== null,
    allowed: 'turn: or turns: addresses such as turn:turn.example.org?transport=udp, with commas',
  },
  TURN_SECRET: { isGood: (secret) => /^\S+$/u.test(secret), isSecret: true, allowed: 'one word' },
  DATA_DIR: { isGood: () => true, allowed: 'a directory' },
  DATABASE_URL: {
    isGood: (url) => /^postgres(ql)?:\/\/./u.test(url) && URL.canParse(url),
    isSecret: true,
    allowed: 'postgres://user@host/database',
  },
  REDIS_URL: {
    isGood: isRedis,
    isSecret: true,
    allowed: 'redis://host:6379, or rediss://, with the number of a database as its path',
  },
  PUBLIC_URL: { isGood: isOrigin, allowed: 'http:// or https:// and a host name, without a path' },
  API_BASE: { isGood: isBase, allowed: 'a path such as /api/v1, in small letters, digits and dashes' },
  PUBLIC_IP: { isGood: (ip) => isIP(ip) !== 0, allowed: 'an IP address' },
  CANDELA_MODE: { isGood: (mode) => MODES.includes(mode), allowed: MODES.join(' or ') },
  TRUSTED_PROXIES: { isGood: isNetworks, allowed: 'addresses or networks (10.0.0.0/8), with commas' },
  GEO_HEADER: { isGood: (name) => /^[\w-]+$/u.test(name), allowed: 'the name of a header' },
  GEO_FALLBACK: {
    isGood: (region) => region === 'strict' || REGION_CODE.test(region),
    allowed: 'strict, or a region such as DE or US-FL',
  },
  GEO_DATABASE: { isGood: () => true, allowed: 'a file' },
  GEO_ANONYMOUS_DATABASE: { isGood: () => true, allowed: 'a file' },
  LOG_LEVEL: { isGood: (level) => LOG_LEVELS.includes(level), allowed: LOG_LEVELS.join(', ') },
  SITE_SECRET: {
    isGood: (secret) => secret.length >= MIN_SECRET_LENGTH,
    isSecret: true,
    allowed: `at least ${MIN_SECRET_LENGTH} random characters`,
  },
} as const satisfies Record<string, Variable>;

const smtpOf = (
  url: string | null,
  from: string | null,
): SmtpSettings | null => (url === null || from === null ? null : { url, from });

const smsOf = (
  url: string | null,
  from: string | null,
): SmsSettings | null => (url === null || from === null ? null : { url, from });

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');

/** The loopback address of a site that listens on loopback alone; otherwise undefined. */
export const loopbackOf = (
  host: string,
): string | undefined => (host === 'localhost' ? '127.0.0.1' : isLoopback(host) ? host : undefined);

/** Settings that depend on the program that reads them. */
export interface ProgramDependencies {
  readonly defaultPort: number;
  /** Whether it is one of several processes of a site. */
  readonly isPart: boolean;
}

/** What all processes of a site share: an embedded database or a secret in a file belongs to one of them. */
const SHARED = {
  DATABASE_URL: 'a PostgreSQL that all of them use: the embedded database belongs to one process',
  REDIS_URL: 'a Redis over which they hear of each other',
  SITE_SECRET: 'the same secret in all of them: they sign and check the same sessions',
} as const;

/** Reads the settings from environment and flags. Throws {@link ConfigInvalid} with every problem. */
export function readConfig(
  environment: Environment,
  flags: readonly string[],
  { defaultPort, isPart }: ProgramDependencies = { defaultPort: DEFAULT_PORT, isPart: false },
): Config {
  /** An empty variable counts as not set, as in shell scripts. */
  const read = (name: keyof typeof VARIABLES): string | null => environment[name]?.trim() || null;
  const problems = flags.filter((flag) => !FLAGS.includes(flag))
    .map((flag) => `${flag} is unknown: the flags are ${FLAGS.join(', ')}`);
  for (const [name, { isGood, allowed, isSecret }] of Object.entries<Variable>(VARIABLES)) {
    const value = read(name as keyof typeof VARIABLES);
    if (value === null || isGood(value)) continue;
    problems.push(`${name}=${isSecret ? '…' : value} is not possible: ${allowed}`);
  }
  const host = read('HOST') ?? '127.0.0.1';
  const publicUrl = read('PUBLIC_URL');
  const usual = isLoopback(host) && publicUrl === null ? 'demo' : 'production';
  const mode = (read('CANDELA_MODE') ?? usual) as Config['mode'];
  if (mode === 'production' && publicUrl === null) {
    const hint = read('CANDELA_MODE') === null ? ' (or CANDELA_MODE=demo to try it out in this network)' : '';
    problems.push(`production needs PUBLIC_URL, the address under which people reach the site${hint}`);
  }
  if ((read('TURN_URLS') === null) !== (read('TURN_SECRET') === null)) {
    problems.push('TURN_URLS and TURN_SECRET go together: addresses of a TURN server and its shared secret');
  }
  if ((read('SMTP_URL') === null) !== (read('MAIL_FROM') === null)) {
    problems.push('SMTP_URL and MAIL_FROM go together: the mail server, and the address emails come from');
  }
  if ((read('SMS_URL') === null) !== (read('SMS_FROM') === null)) {
    problems.push('SMS_URL and SMS_FROM go together: the provider, and whom text messages come from');
  }
  for (const [name, why] of Object.entries(isPart ? SHARED : {})) {
    if (read(name as keyof typeof SHARED) === null) {
      problems.push(`${name} is missing: web, gateway and worker as processes of their own need ${why}`);
    }
  }
  if (read('REDIS_URL') !== null && read('DATABASE_URL') === null && !isPart) {
    problems.push(`REDIS_URL is for several processes, and DATABASE_URL is missing: ${SHARED.DATABASE_URL}`);
  }
  if (problems.length > 0) throw new ConfigInvalid(problems);
  const port = Number(read('PORT') ?? defaultPort);
  return {
    host,
    port,
    mode,
    mediaPort: Number(read('MEDIA_PORT') ?? port),
    rtmpPort: isOff(read('RTMP_PORT') ?? '') ? null : Number(read('RTMP_PORT') ?? DEFAULT_RTMP_PORT),
    rtmpTranscoders: Number(read('RTMP_TRANSCODERS') ?? MAX_TRANSCODERS),
    ice: iceOf(read('ICE_SERVERS'), read('TURN_URLS'), read('TURN_SECRET')),
    socketLimits: {
      socketsPerAddress: Number(read('SOCKETS_PER_ADDRESS') ?? GATEWAY_LIMITS.socketsPerAddress),
      socketsPerSession: Number(read('SOCKETS_PER_SESSION') ?? GATEWAY_LIMITS.socketsPerSession),
      authorizeWithinMs: Number(read('SOCKET_AUTHORIZE_MS') ?? GATEWAY_LIMITS.authorizeWithinMs),
    },
    dataDir: resolve(read('DATA_DIR') ?? 'var'),
    databaseUrl: read('DATABASE_URL'),
    redisUrl: read('REDIS_URL'),
    publicUrl: publicUrl === null ? null : new URL(publicUrl).origin,
    apiBase: read('API_BASE') ?? API_BASE,
    publicIp: read('PUBLIC_IP'),
    seeds: mode === 'demo' && !flags.includes('--no-demo'),
    demoLive: Number(read('DEMO_LIVE') ?? MAX_DEMO_LIVE),
    trustedProxies: listOf(read('TRUSTED_PROXIES')),
    geoHeader: read('GEO_HEADER'),
    geoFallback: read('GEO_FALLBACK') ?? 'strict',
    geoDatabase: read('GEO_DATABASE'),
    geoAnonymousDatabase: read('GEO_ANONYMOUS_DATABASE'),
    logLevel: read('LOG_LEVEL') ?? 'warn',
    smtp: smtpOf(read('SMTP_URL'), read('MAIL_FROM')),
    sms: smsOf(read('SMS_URL'), read('SMS_FROM')),
    billersFile: read('BILLERS_FILE'),
    loginProvidersFile: read('LOGIN_PROVIDERS_FILE'),
    ageChecksFile: read('AGE_CHECKS_FILE'),
    simulatorPort: read('SIMULATOR_PORT') === null ? null : Number(read('SIMULATOR_PORT')),
    secret: read('SITE_SECRET'),
  };
}

/** The values have been checked above. */
const iceOf = (servers: string | null, urls: string | null, secret: string | null): IceSettings => ({
  servers: servers === null ? [] : (readIceServers(servers) ?? []),
  turn: urls === null || secret === null ? null : { urls: readTurnUrls(urls) ?? [], secret },
});

/**
 * The secret that signs sessions and tokens: SITE_SECRET, otherwise a random one made at the first start and
 * stored in the data directory, readable by its owner only.
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
  const saved = readFileSync(file, 'utf8').trim();
  if (saved.length < MIN_SECRET_LENGTH) throw new ConfigInvalid([`${file} is damaged: it holds no secret`]);
  return saved;
}
