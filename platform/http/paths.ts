import type { AnyCall } from '#platform/contract/call.ts';

/**
 * Headers for answers of calls that pages of any origin may make; `*` excludes credentials (Fetch §3.2.5).
 */
export const OPEN_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'location, etag, link, retry-after',
};
/** Headers of the preflight answer for such a call; browsers cache it for two hours at most. */
const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-headers': 'authorization, content-type, if-match',
  'access-control-max-age': '7200',
};

interface PathOfCall {
  readonly call: AnyCall;
  readonly pattern: RegExp;
}

/** Maps addresses to calls. Only calls that declare it are open to other origins. */
export class Paths {
  readonly #paths: readonly PathOfCall[];
  readonly #open: readonly PathOfCall[];

  constructor(calls: readonly { readonly call: AnyCall; readonly route: string }[]) {
    this.#paths = calls.map(({ route, call }) => {
      const pattern = route
        .replaceAll(/[.+]/gu, '\\$&').replaceAll(/:[^/]+/gu, '[^/]+').replace(/\*$/u, '.*');
      return { call, pattern: new RegExp(`^${pattern}$`, 'u') };
    });
    this.#open = this.#paths.filter(({ call }) => call.crossOrigin);
  }

  /**
   * Normalizes an address for routing. People type the addresses of calls that are open to other programs by
   * hand, so extra slashes are removed there. All other addresses stay as they are.
   */
  tidied(url: string): string {
    const path = pathOf(url);
    if (path.length < 2 || !(path.endsWith('/') || path.includes('//'))) return url;
    const tidy = path.replaceAll(/\/{2,}/gu, '/').replace(/\/$/u, '');
    return callsOf(this.#open, tidy).length > 0 ? tidy + url.slice(path.length) : url;
  }

  callsAt(url: string): AnyCall[] {
    return callsOf(this.#paths, pathOf(url));
  }

  /** Whether an address is only for other programs, with nothing for a person to read. */
  isForProgramsAlone(url: string): boolean {
    return callsOf(this.#open, pathOf(url)).length > 0;
  }

  /** Headers that describe the methods of an address. */
  headersOf(url: string): Readonly<Record<string, string>> {
    const calls = this.callsAt(url);
    const methods = new Set<string>(calls.map(({ method }) => method)).add('OPTIONS');
    if (methods.has('GET')) methods.add('HEAD');
    const allow = [...methods].join(', ');
    const open = calls.filter(({ crossOrigin }) => crossOrigin);
    if (open.length === 0) return { allow };
    const allowed = open.map(({ method }) => method).join(', ');
    return { allow, ...OPEN_HEADERS, ...PREFLIGHT_HEADERS, 'access-control-allow-methods': allowed };
  }
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

const callsOf = (paths: readonly PathOfCall[], path: string): AnyCall[] =>
  paths.filter(({ pattern }) => pattern.test(path)).map(({ call }) => call);
