import type { Caller, Consent, CookieOptions, Scope } from '#platform/contract/context.ts';
import type { IncomingHttpHeaders } from 'node:http';

/** What the host knows about a request before it knows the caller. */
export interface RequestFacts {
  readonly host: string;
  /** The client's address, from a trusted proxy's header when there is one. */
  readonly address: string;
  /** The other end of the connection, which may be a proxy; absent within the process. */
  readonly peer?: string;
  readonly headers: IncomingHttpHeaders;
  /** The query without its `?`, undecoded; absent within the process. */
  readonly query?: string;
  /** Language of the rendered document, or of the calling page: calls are answered in it. */
  readonly language?: string | null;
  readonly cookie: (name: string) => string | null;
  readonly setCookie: (name: string, value: string | null, options?: CookieOptions) => void;
}

/**
 * What the HTTP host needs from the product; the wiring provides it from `site`, `accounts` and `compliance`.
 */
export interface HostPort {
  /** Site of a host name; null answers 421 (RFC 9110 §15.5.20). */
  readonly resolveScope: (host: string) => Promise<Scope | null>;
  /**
   * The caller of the session cookie, and their consent; `csrf` is null while anonymous. Never starts a
   * session.
   */
  readonly resolveCaller: (scope: Scope, request: RequestFacts) => Promise<{
    readonly caller: Caller;
    readonly csrf: string | null;
    readonly consent: Consent;
  }>;
  /** Starts a guest session (signed cookie, no row); for GET /site_config. */
  readonly startGuest: (scope: Scope, request: RequestFacts) => Promise<{ caller: Caller; csrf: string }>;
  /** The permission table; throws for an unknown row, which the host checks at start. */
  readonly mayUse: (access: string, caller: Caller) => boolean;
  readonly localeOf: (request: RequestFacts) => string;
  readonly regionOf: (request: RequestFacts) => string;
  /** Changes whenever visitors may have to see other documents at once; no document outlives it. */
  readonly epoch?: () => string;
  /** Text of a message key such as `tips:refusals.own_tip` in a locale. */
  readonly text: (locale: string, key: string, values?: Readonly<Record<string, string | number>>) => string;
}
