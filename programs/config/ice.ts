import type { IceServerView, IceSettings } from '#product/broadcast/server.ts';

/** Browsers slow down with more (Chromium warns from five on), and every viewer contacts each of them. */
const MAX_ICE_SERVERS = 8;
const MAX_URLS = 8;
/** RFC 7064 and RFC 7065, without anything that could end a header or a list. */
const ICE_URL = /^(stun|stuns|turn|turns):[\w.[\]:-]+(\?transport=(udp|tcp))?$/iu;
/** Visible ASCII: credentials are sent in headers. */
const CREDENTIAL = /^[\x21-\x7E]{1,256}$/u;

/** Whether browsers may connect through TURN over TCP or TLS; `turns:` is over TCP unless it says UDP. */
export function hasTurnOverTcp({ servers, turn }: IceSettings): boolean {
  const urls = [...servers.flatMap((server) => server.urls), ...(turn?.urls ?? [])];
  return urls.some((url) =>
    isTurn(url)
    && (/transport=tcp$/iu.test(url) || (/^turns:/iu.test(url) && !/transport=udp$/iu.test(url)))
  );
}

const isTurn = (url: string): boolean => /^turns?:/iu.test(url);

/** The servers in ICE_SERVERS, a JSON array in the form browsers take. Null when it is invalid. */
export function readIceServers(text: string): IceServerView[] | null {
  const list = parsed(text);
  if (!Array.isArray(list) || list.length > MAX_ICE_SERVERS) return null;
  const servers = list.map(serverOf);
  return servers.every((server) => server !== null) ? servers : null;
}

/** The addresses in TURN_URLS, separated by commas; null when one is invalid. */
export function readTurnUrls(text: string): string[] | null {
  const urls = text.split(',').map((url) => url.trim());
  const areGood = urls.length <= MAX_URLS && urls.every((url) => isTurn(url) && ICE_URL.test(url));
  return areGood ? urls : null;
}

const areIceUrls = (list: unknown[]): list is string[] =>
  list.every((url) => typeof url === 'string' && ICE_URL.test(url));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function serverOf(entry: unknown): IceServerView | null {
  if (typeof entry !== 'object' || entry === null) return null;
  const { urls, username, credential, ...rest } = entry as Record<string, unknown>;
  const list: unknown[] = Array.isArray(urls) ? urls : [urls];
  if (list.length === 0 || list.length > MAX_URLS || !areIceUrls(list)) return null;
  // Unknown fields are refused rather than dropped; browsers know only one type of credential.
  const isPlain = Object.entries(rest).every(([name, value]) =>
    name === 'credentialType' && value === 'password'
  );
  if (!isPlain) return null;
  const isNamed = [username, credential].every((item) => typeof item === 'string' && CREDENTIAL.test(item));
  if (isNamed) return { urls: list, username: username as string, credential: credential as string };
  // TURN always requires credentials, STUN never does.
  return username === undefined && credential === undefined && !list.some(isTurn) ? { urls: list } : null;
}
