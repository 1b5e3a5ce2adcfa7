import type { z } from 'zod';
import type { Refusal } from './refusal.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** Accepted type of a media call that takes bodies of any type. */
export const ANY_TYPE = '*/*';

/** Media type of an upload (RFC 7578). */
export const UPLOAD_TYPE = 'multipart/form-data';

/** How a caller proves who they are. `cookie` calls with effects also need the CSRF header. */
export type Credential = 'cookie' | 'bearer' | 'signature' | 'none';

/**
 * At most `points` requests per `seconds`, counted per person (else session, else address), per address, or
 * per link that the site made: programs that open the links of many people do so from one address. The
 * handler's `linkOf` returns the link of a request; links that the site did not make count per address.
 */
export interface RateLimit {
  readonly points: number;
  readonly seconds: number;
  readonly per: 'caller' | 'address' | 'link';
}

/**
 * How a call is sent, and its types: all that a client needs. Pages import these from the `client.ts` of a
 * slice, which is generated, so that they load no shapes.
 */
export interface ClientCall<Input = unknown, Output = unknown> {
  /** `slice.verbNoun`, unique: the handler binding, the query key and the OpenAPI operation id. */
  readonly name: string;
  readonly method: Method;
  /** Path below `/api/v1` (below `/` when `root`), with `:param` segments that are fields of `input`; a last
   * segment `*` is the field `path`. */
  readonly path: string;
  readonly root?: boolean;
  /**
   * Non-JSON bodies as unchanged text, e.g. `application/sdp`, or of any type ({@link ANY_TYPE}). The output
   * is then `{status, headers, body}`. With `streams` the handler returns the body in parts (`handleStream`),
   * and a person who followed a link to the call gets a refusal as a page.
   */
  readonly media?: { readonly accepts: string; readonly answers: string; readonly streams?: true };
  /**
   * The body is a form ({@link UPLOAD_TYPE}) with exactly one file, in the field `file`. The handler gets it
   * as `context.file`, in memory; `bodyLimitBytes` limits its size. The answer is JSON.
   */
  readonly upload?: true;
  /** Only for the compiler; never set. */
  readonly types?: { readonly input: Input; readonly output: Output };
}

/** The only row of the permission table that requires no account. */
export const OPEN_ACCESS = 'anyone';

/** One HTTP call as a contract declares it. */
export interface Call<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Refusals extends readonly Refusal[] = readonly Refusal[],
  Access extends string = string,
> extends ClientCall<z.infer<Input>, z.infer<Output>> {
  /**
   * A row of the permission table (`accounts/rules/permissions.ts`), which says who may use the call. The
   * handler's `personId` is null only if the row is {@link OPEN_ACCESS}.
   */
  readonly access: Access;
  readonly credential: Credential;
  /** Gives a caller without a session a new one (a signed cookie; nothing is stored). */
  readonly startsSession?: boolean;
  /**
   * For `bearer` calls: reads the session cookie too, if there is one, because the bearer token is bound to
   * it. The bearer token still authorizes the call, so no CSRF token is needed.
   */
  readonly readsSession?: boolean;
  /**
   * Pages of any origin may make the call and read its answer (CORS). Their cookies are ignored, even if the
   * browser sends them: only credentials in the request itself count.
   */
  readonly crossOrigin?: boolean;
  /** Whether the call changes anything; defaults to method ≠ GET and ≠ OPTIONS. */
  readonly effects: boolean;
  /** Path parameters, query (GET, DELETE) or JSON body (POST, PATCH) as one flat object; JSON-only, no
   * transforms. With `media`, the text body is the field `body`. */
  readonly input: Input;
  readonly output: Output;
  readonly refusals: Refusals;
  readonly limit: RateLimit;
  /**
   * Fields of the body with telephone numbers. A number in international format is not mistaken for the
   * number of a payment card there, although many look like one.
   */
  readonly phones?: readonly string[];
  /** Largest request body in bytes. */
  readonly bodyLimitBytes: number;
  /** Whether the call takes an `Idempotency-Key` (required for money calls). */
  readonly idempotency?: 'required' | 'optional';
  readonly summary: string;
  readonly description: string;
  readonly requirements: readonly string[];
}

export type AnyCall = Call;
export type InputOf<C extends ClientCall> = C extends ClientCall<infer Input, unknown> ? Input : never;
export type OutputOf<C extends ClientCall> = C extends ClientCall<unknown, infer Output> ? Output : never;
/** The client's side of a declared call. */
export type ClientCallOf<C extends AnyCall> = ClientCall<InputOf<C>, OutputOf<C>>;
export type RefusalOf<C extends AnyCall> = C['refusals'][number];
/** Type of a handler's `personId`: never null in calls that require an account. */
export type PersonIdOf<Access extends string> = typeof OPEN_ACCESS extends Access ? number | null
  : string extends Access ? number | null
  : number;

/** Largest JSON body of a call without a limit of its own: enough for forms, not for files. */
const DEFAULT_BODY_LIMIT_BYTES = 16 * 1024;
/** Far more than a person who clicks fast, but less than a loop. */
const DEFAULT_RATE_LIMIT: RateLimit = { points: 120, seconds: 60, per: 'caller' };

type Defaulted = 'effects' | 'limit' | 'bodyLimitBytes' | 'requirements';

/** Declares one HTTP call. Each call is its own exported constant of a slice's `contract.ts`. */
export function call<
  Input extends z.ZodType,
  Output extends z.ZodType,
  const Refusals extends readonly Refusal[],
  const Access extends string,
>(
  definition: Omit<Call<Input, Output, Refusals, Access>, Defaulted> & Partial<Pick<Call, Defaulted>>,
): Call<Input, Output, Refusals, Access> {
  return {
    effects: definition.method !== 'GET' && definition.method !== 'OPTIONS',
    limit: DEFAULT_RATE_LIMIT,
    bodyLimitBytes: DEFAULT_BODY_LIMIT_BYTES,
    requirements: [],
    ...definition,
  };
}

/** Names of the `:param` fields of a call's path; a trailing `*` is named `path`. */
export function pathFields(path: string): string[] {
  return path
    .split('/')
    .flatMap((part) => (part === '*' ? ['path'] : part.startsWith(':') ? [part.slice(1)] : []));
}
