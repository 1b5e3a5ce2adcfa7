import type { IceServerView, IceSettings } from '#product/broadcast/server.ts';

/** Browsers slow down with more (Chromium warns from five on), and each is asked by every viewer. */
const MAX_ICE_SERVERS = 8;
const MAX_URLS = 8;
/** RFC 7064 and RFC 7065, without anything that could end a header or a list. */
const ICE_URL = /^(stun|stuns|turn|turns):[\w.[\]:-]+(\?transport=(udp|tcp))?$/iu;
/** Visible ASCII: credentials stand in headers. */
const CREDENTIAL = /^[\x21-\x7E]{1,256}$/u;

/** Whether browsers may come through TURN over TCP or TLS; `turns:` is over TCP unless it says otherwise. */
export function hasTurnOverTcp({ servers, turn }: IceSettings): boolean {
  const urls = [...servers.flatMap((server) => server.urls), ...(turn?.urls ?? [])];
  return urls.some((url) => isTurn(url)
    && (/transport=tcp$/iu.test(url) || (/^turns:/iu.test(url) && !/transport=udp$/iu.test(url))));
}

const isTurn = (url: string): boolean => /^turns?:/iu.test(url);

/** Servers of ICE_SERVERS, written as browsers take them: a JSON array. Null when that is not what it is. */
export function readIceServers(text: string): IceServerView[] | null {
  const list = parsed(text);
  if (!Array.isArray(list) || list.length > MAX_ICE_SERVERS) return null;
  const servers = list.map(serverOf);
  return servers.every((server) => server !== null) ? servers : null;
}

/** Addresses of TURN_URLS, with commas; null when one is none. */
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
  // Nothing is left out quietly; browsers know one type of credential by now.
  const isPlain = Object.entries(rest).every(([name, value]) =>
    name === 'credentialType' && value === 'password');
  if (!isPlain) return null;
  const isNamed = [username, credential].every((one) => typeof one === 'string' && CREDENTIAL.test(one));
  if (isNamed) return { urls: list, username: username as string, credential: credential as string };
  // TURN always asks for them, STUN never does.
  return username === undefined && credential === undefined && !list.some(isTurn) ? { urls: list } : null;
}
