import type { Refusal, RefusalDetail, Refused } from './refusal.ts';

/** Tenancy: the operator is the isolation boundary, the site its brand, chosen by host name. */
export interface Scope {
  readonly operatorId: number;
  readonly siteId: number;
}

/** Who makes a call or owns a socket, as found by the credential resolver. */
export interface Caller {
  /** `anonymous` has no session yet; `guest` a session without an account; `person` an account. */
  readonly kind: 'anonymous' | 'guest' | 'person';
  readonly personId: number | null;
  /** Opaque id of the session; never sent to anyone. */
  readonly sessionId: string | null;
  /** Username, `guest_…`, or null. */
  readonly username: string | null;
  readonly roles: readonly string[];
  /** Roles that don't count until a second step is set up; those of staff, until the session proved it. */
  readonly withheld?: readonly string[];
}

/**
 * The purposes that a caller allows beyond what the site needs in order to work (ePrivacy Directive art.
 * 5(3), GDPR art. 6 and 9): remembering preferences, statistics, marketing.
 */
export interface Consent {
  readonly preferences: boolean;
  readonly statistics: boolean;
  readonly marketing: boolean;
}
export type Purpose = keyof Consent;

/** Without a choice, nothing is allowed. */
export const NO_CONSENT: Consent = { preferences: false, statistics: false, marketing: false };

export interface CookieOptions {
  readonly maxAgeSeconds?: number;
  readonly httpOnly?: boolean;
}

/** The context of a request that a handler gets besides its input. */
export interface CallContext {
  readonly scope: Scope;
  readonly caller: Caller;
  /** The caller's consent, read once per request or upgrade to a socket. */
  readonly consent: Consent;
  /** One of the six locales. */
  readonly locale: string;
  /** Region the request comes from, e.g. `US-FL`, `DE`, or `unknown`. */
  readonly region: string;
  /** The caller's address; never logged whole. */
  readonly address: string;
  readonly origin: string;
  readonly userAgent: string;
  /** Value of the Bearer credential for `bearer` calls. */
  readonly bearer: string | null;
  readonly idempotencyKey: string | null;
  /** Conditional and partial requests (RFC 9110 §13.1.1, §14.2), as sent; null when absent. */
  readonly ifMatch: string | null;
  readonly range: string | null;
  /** The uploaded file; null for calls that take no upload. */
  readonly file: Uint8Array | null;
  /**
   * The undecoded query without its `?`, and the headers with lower-case names. For calls whose signature
   * covers them.
   */
  readonly raw: { readonly query: string; readonly headers: Readonly<Record<string, string>> };
  /** CSRF token of the session (null while anonymous). */
  readonly csrf: string | null;
  readonly cookie: (name: string) => string | null;
  /** Host-prefixed, Secure when the site is served over TLS, SameSite=Lax. `null` removes the cookie. */
  readonly setCookie: (name: string, value: string | null, options?: CookieOptions) => void;
}

/** Context of a call that requires an account, for helpers that handlers call. */
export interface PersonContext extends CallContext {
  /** The person who makes the call. */
  readonly personId: number;
}

/** Whether the caller of a call that `anyone` may make has an account. */
export const hasPerson = (
  context: CallContext & { readonly personId: number | null },
): context is PersonContext => context.personId !== null;

/** Context of one call; `refuse` takes only refusals that the call declares. */
export interface HandlerContext<
  R extends Refusal,
  PersonId extends number | null = number | null,
> extends CallContext {
  /** The person who makes the call; null for guests, whom only `anyone` admits. */
  readonly personId: PersonId;
  readonly refuse: <One extends R>(refusal: One, detail?: RefusalDetail) => Refused<One>;
}
