/** A push provider's worker on the site's own origin: browsers accept it from nowhere else. */
export const PROVIDER_WORKER = '/push/provider/worker.js';
/**
 * The scope of that worker alone: the site's other workers have `/push/` and the whole site. It has no pages.
 */
export const PROVIDER_SCOPE = '/push/provider/';

/** Names of apps at providers: UUIDs, mostly. */
export const APP_ID = /^[\w-]+$/u;
export const MAX_APP_ID_LENGTH = 100;
/** API keys are printable and have no spaces, so that they fit a header (RFC 9110 §5.5). */
export const API_KEY = /^[\u0021-\u007e]+$/u;
export const MIN_API_KEY_LENGTH = 8;
export const MAX_API_KEY_LENGTH = 300;
/** A provider's id for a browser: a UUID at OneSignal. Long enough not to be guessed. */
export const PLAYER_NAME = /^[\w-]{16,64}$/u;

/** The provider's scripts, and the origins that a page or a worker needs for them. */
interface Scripts {
  readonly script: string;
  readonly worker: string;
  readonly origins: readonly string[];
}

/** Scheme, host and port of a script's URL. */
const originOf = (address: string): string => /^https?:\/\/[^/]+/u.exec(address)?.[0] ?? '';

const originsOf = (
  address: string,
  origins: readonly string[],
): string[] => [...new Set([originOf(address), ...origins])];

/** Origins that the page of a provider's script may load from and send to. */
export const pageOrigins = ({ script, origins }: Pick<Scripts, 'script' | 'origins'>): string[] =>
  originsOf(script, origins);

/** The worker file: it imports the provider's own from its URL. */
export const workerText = ({ worker }: Pick<Scripts, 'worker'>): string =>
  `importScripts(${JSON.stringify(worker)});\n`;

/** The worker's policy (CSP Level 3): run the provider's script, call its servers, and nothing else. */
export function workerPolicy({ worker, origins }: Pick<Scripts, 'worker' | 'origins'>): string {
  const sources = ['\'self\'', ...originsOf(worker, origins)].join(' ');
  return `default-src 'none'; script-src ${sources}; connect-src ${sources}`;
}
