import { pathFields, type ClientCall, type InputOf, type OutputOf } from './call.ts';

/** The body of a refused or failed call: the specification's fields and those of RFC 9457. */
export interface Problem {
  readonly status: number;
  readonly error: string;
  readonly errorType: string;
  readonly error_type: string;
  readonly message: string;
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly reference?: string;
  readonly issues?: readonly { path: string; message: string }[];
  readonly [extra: string]: unknown;
}

/**
 * Thrown by the typed client for every answer that is not a success. `problem.errorType` is the refusal's
 * code.
 */
export class CallFailed extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.name = 'CallFailed';
    this.problem = problem;
  }

  /** Pages and host are two bundles with a class each; `instanceof` must accept instances of both. */
  static override [Symbol.hasInstance](value: unknown): value is CallFailed {
    return value instanceof Error && value.name === 'CallFailed';
  }
}

export interface CallOptions {
  readonly idempotencyKey?: string;
  /** The page may be left before the answer: the request arrives all the same. */
  readonly outlivesPage?: boolean;
  /** An `AbortSignal` that ends the request when its answer is no longer needed. */
  readonly signal?: { readonly aborted: boolean };
  /** What a call that takes an upload sends: a `FormData` with the file as `file`. */
  readonly form?: { readonly get: (name: string) => unknown };
}

/**
 * Makes a call by its constant. In the browser over HTTP, on the server in process. Throws {@link
 * CallFailed}.
 */
export type CallFunction = <C extends ClientCall>(
  call: C,
  input: InputOf<C>,
  options?: CallOptions,
) => Promise<OutputOf<C>>;

/** Calls are answered below this path, unless an installation configures another. */
export const API_BASE = '/api/v1';

/** Header of an answer with the server's time when it was sent, in ms since 1970. */
export const SERVER_TIME = 'x-server-time';

/** Header with the language of the calling page: a link may have chosen another than the viewer's. */
export const PAGE_LANGUAGE = 'x-page-language';

export interface HttpRequestShape {
  readonly path: string;
  readonly body: string | null;
}

/**
 * Turns a call and its input into a path with query, and a JSON body; of an upload the form is made by who
 * sends it. Pure, shared by browser, tests and bench.
 * @param base the path below which the site answers calls
 */
export function requestOf(
  call: ClientCall,
  input: Record<string, unknown>,
  base: string = API_BASE,
): HttpRequestShape {
  const fields = new Set(pathFields(call.path));
  const path = call.path
    .split('/')
    .map((part) => {
      if (part === '*') {
        return String(input['path'] ?? '')
          .split('/')
          .map(encodeURIComponent)
          .join('/');
      }
      return part.startsWith(':') ? encodeURIComponent(String(input[part.slice(1)])) : part;
    })
    .join('/');
  const rest = Object.entries(input).filter(([name, value]) => !fields.has(name) && value !== undefined);
  const full = (call.root ? '' : base) + path;
  const hasBody = call.method === 'POST' || call.method === 'PATCH';
  if (call.upload) return { path: full, body: null };
  if (hasBody && !call.media) return { path: full, body: JSON.stringify(Object.fromEntries(rest)) };
  const query = rest.filter(([name]) => !call.media || name !== 'body')
    .map(([k, v]) => `${encodeURIComponent(k)}=${encodeURIComponent(String(v))}`).join('&');
  const body = call.media && hasBody ? String(input['body'] ?? '') : null;
  return { path: query ? `${full}?${query}` : full, body };
}
