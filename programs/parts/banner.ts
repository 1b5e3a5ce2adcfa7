import type { MediaFeature } from '#platform/streaming/engine.ts';
import { ROLES, type Role } from '#product/assembly.ts';
import type { Config } from '../config/config.ts';

/** An account to try the demo with. */
export interface DemoLogin {
  readonly role: string;
  readonly username: string;
  readonly password: string;
}

export interface Started {
  readonly config: Config;
  readonly driver: string;
  readonly features: readonly MediaFeature[];
  readonly hasPages: boolean;
  readonly logins: readonly DemoLogin[];
  readonly roles: readonly Role[];
  /** Where the simulated payment processors are; null where none run. */
  readonly simulators: string | null;
  /** Token of the link for the first admin; null when there is an admin. It is shown nowhere else. */
  readonly firstAdmin: string | null;
}

const nameOf = (host: string): string => (host.includes(':') ? `[${host}]` : host);
/** Hosts that mean every address of this machine, or loopback. */
const LOCAL = new Set(['127.0.0.1', '0.0.0.0', '[::]']);

/** Where a browser on this machine finds the site. */
export const localUrlOf = ({ host, port }: Pick<Config, 'host' | 'port'>): string =>
  `http://${LOCAL.has(nameOf(host)) ? 'localhost' : nameOf(host)}:${port}`;

/** Where to click, which accounts to use, and which features run: the only thing a start prints. */
export function banner(started: Started): string {
  const { config, driver, features, hasPages, logins, roles, firstAdmin } = started;
  const { host, port, mode, publicUrl, dataDir } = config;
  const name = nameOf(host);
  const address = publicUrl ?? localUrlOf(config);
  const isPart = roles.length < ROLES.length;
  const database = driver === 'pglite' ? `embedded, in ${dataDir}` : 'PostgreSQL';
  return [
    '',
    `  Candela${isPart ? ` (${roles.join(', ')})` : ''} is at  ${address}`,
    `  Mode           ${mode}${publicUrl === null ? '' : `, listening on ${name}:${port}`}`,
    `  Database       ${database}`,
    ...features.map(({ name: what, on, detail }, index) =>
      `  ${(index === 0 ? 'Media' : '').padEnd(15)}${on ? 'on ' : 'off'} ${what}: ${detail}`
    ),
    ...(roles.includes('web') ? [`  Payments       ${paymentsOf(started)}`] : []),
    ...(hasPages || !roles.includes('web') ? [] : ['  Pages          not built: npm run build']),
    ...logins.map(({ role, username, password }, index) =>
      `  ${(index === 0 ? 'Log in as' : '').padEnd(15)}${role.padEnd(10)} ${username} / ${password}`
    ),
    ...(firstAdmin === null ? [] : [
      '',
      '  This site has no admin yet. Whoever opens this link, once and within a day, becomes the first:',
      `  ${address}/admin/first-admin?token=${firstAdmin}`,
      '  Or stop the site and run:  npm run admin -- create EMAIL',
    ]),
    '',
  ].join('\n');
}

/** The payment processors, in one line. */
function paymentsOf({ config, simulators }: Started): string {
  if (simulators !== null) return `simulated at ${simulators} (test cards: ${simulators}/test-cards)`;
  return config.billersFile === null ? 'none: nothing is sold without BILLERS_FILE' : 'by BILLERS_FILE';
}
