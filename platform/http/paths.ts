import type { AnyCall } from '#platform/contract/call.ts';

/** Answers of calls that pages of any origin may make; `*` lets no cookies through (Fetch §3.2.5). */
export const OPEN_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'location, etag, link, retry-after',
};
/** The answer to the question before such a call; browsers keep it for two hours at most. */
const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-headers': 'authorization, content-type, if-match',
  'access-control-max-age': '7200',
};

interface PathOfCall {
  readonly call: AnyCall;
  readonly pattern: RegExp;
}

/** Which addresses belong to which calls. Only calls that say so are open to other origins. */
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
   * An address as it is routed. Those of calls that are open to other programs are typed into these by hand:
   * slashes too many are left out. All others stay as they came.
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

  /** Whether an address takes programs of others and nothing that a person reads. */
  isForProgramsAlone(url: string): boolean {
    return callsOf(this.#open, pathOf(url)).length > 0;
  }

  /** What the answers of an address say of its methods. */
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
