/** Names of the providers, as on the wire and in the database. */
export type ProviderName = 'google' | 'facebook';

/** What a provider says of somebody who has logged in there. */
export interface Identity {
  /** The account, for ever; an email address may change hands. */
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider vouches that the address is this person's. */
  readonly isEmailVerified: boolean;
}

/** What must come back, and what only the browser that began has; stored until then. */
export interface Begun {
  /** RFC 6749 §10.12. */
  readonly state: string;
  /** OpenID Connect Core §3.1.2.1; a provider without ID tokens sends none back. */
  readonly nonce: string;
  /** PKCE (RFC 7636). */
  readonly verifier: string;
}

/**
 * How a log-in ends: `cancelled` by the person, `away` where the provider cannot be reached, `wrong` where
 * what came back is not an answer to what was begun.
 */
export type Ending = Identity | 'cancelled' | 'away' | 'wrong';

/** Somebody else's accounts that log in here. No request is made before `begin` or `finish` is called. */
export interface IdentityProvider {
  readonly name: ProviderName;
  /**
   * Where the browser goes; null where the provider cannot be reached.
   * @param returnTo address it comes back to, registered at the provider
   */
  readonly begin: (returnTo: string, begun: Begun) => Promise<string | null>;
  /** @param query what the browser came back with, without `?` */
  readonly finish: (returnTo: string, query: string, begun: Begun) => Promise<Ending>;
}

/** An account of a site at a provider. The secret is never logged. */
export interface ProviderAccount {
  readonly clientId: string;
  readonly clientSecret: string;
}
