/** The worker of a push provider, on the site's own origin: browsers take it from nowhere else. */
export const PROVIDER_WORKER = '/push/provider/worker.js';
/** Of that worker alone, beside `/push/` and the whole site of the others: no page is below it. */
export const PROVIDER_SCOPE = '/push/provider/';

/** How providers name an app of theirs: UUIDs, mostly. */
export const APP_ID = /^[\w-]+$/u;
export const MAX_APP_ID_LENGTH = 100;
/** Keys of an API are printable and have no spaces, so that they fit a header (RFC 9110 §5.5). */
export const API_KEY = /^[\u0021-\u007e]+$/u;
export const MIN_API_KEY_LENGTH = 8;
export const MAX_API_KEY_LENGTH = 300;
/** What a provider calls a browser: a UUID at OneSignal. Long enough not to be guessed. */
export const PLAYER_NAME = /^[\w-]{16,64}$/u;

/** The provider's script with the addresses that a page or a worker needs for it. */
interface Scripts {
  readonly script: string;
  readonly worker: string;
  readonly origins: readonly string[];
}

/** Scheme, host and port of the address of a script. */
const originOf = (address: string): string => /^https?:\/\/[^/]+/u.exec(address)?.[0] ?? '';

const originsOf = (address: string, origins: readonly string[]): string[] =>
  [...new Set([originOf(address), ...origins])];

/** Origins that the page of a provider's script may load from and send to. */
export const pageOrigins = ({ script, origins }: Pick<Scripts, 'script' | 'origins'>): string[] =>
  originsOf(script, origins);

/** The worker file: the provider's own, which browsers import from its address. */
export const workerText = ({ worker }: Pick<Scripts, 'worker'>): string =>
  `importScripts(${JSON.stringify(worker)});\n`;

/** What the worker may do (CSP Level 3): run the provider's script, ask its servers, and nothing else. */
export function workerPolicy({ worker, origins }: Pick<Scripts, 'worker' | 'origins'>): string {
  const sources = ["'self'", ...originsOf(worker, origins)].join(' ');
  return `default-src 'none'; script-src ${sources}; connect-src ${sources}`;
}
