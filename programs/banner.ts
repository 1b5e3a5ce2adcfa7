import type { MediaFeature } from '../platform/streaming/engine.ts';
import type { Config } from './config.ts';

/** Somebody who can log in to try the demo. */
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
}

/** Where to click, who to be, and what runs: the only thing a start prints. */
export function banner({ config, driver, features, hasPages, logins }: Started): string {
  const { host, port, mode, publicUrl, dataDir } = config;
  const name = host.includes(':') ? `[${host}]` : host;
  const address = publicUrl ?? `http://${name === '127.0.0.1' ? 'localhost' : name}:${port}`;
  const database = driver === 'pglite' ? `embedded, in ${dataDir}` : 'PostgreSQL';
  return [
    '',
    `  Candela is at  ${address}`,
    `  Mode           ${mode}${publicUrl === null ? '' : `, listening on ${name}:${port}`}`,
    `  Database       ${database}`,
    ...features.map(({ name: what, on, detail }, index) =>
      `  ${(index === 0 ? 'Media' : '').padEnd(15)}${on ? 'on ' : 'off'} ${what}: ${detail}`),
    ...(hasPages ? [] : ['  Pages          not built: npm run build']),
    ...logins.map(({ role, username, password }, index) =>
      `  ${(index === 0 ? 'Log in as' : '').padEnd(15)}${role.padEnd(10)} ${username} / ${password}`),
    '',
  ].join('\n');
}
