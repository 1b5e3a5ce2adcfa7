/** Names of the providers, as on the wire and in the database. */
export type ProviderName = 'google' | 'facebook';

/** What a provider states about a person who has logged in there. */
export interface Identity {
  /** Identifies the account for ever, while an email address may change hands. */
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider vouches that the address is this person's. */
  readonly isEmailVerified: boolean;
}

/** The values that must be returned, and those only the starting browser has; stored until then. */
export interface Begun {
  /** RFC 6749 §10.12. */
  readonly state: string;
  /** OpenID Connect Core §3.1.2.1; providers without ID tokens do not return it. */
  readonly nonce: string;
  /** PKCE (RFC 7636). */
  readonly verifier: string;
}

/**
 * How a log-in ends: `cancelled` by the person, `away` when the provider cannot be reached, `wrong` when the
 * returned values do not answer the request.
 */
export type Ending = Identity | 'cancelled' | 'away' | 'wrong';

/**
 * An outside provider of accounts for logging in. No request is made before `begin` or `finish` is called.
 */
export interface IdentityProvider {
  readonly name: ProviderName;
  /**
   * The address to send the browser to; null when the provider cannot be reached.
   * @param returnTo address that the browser comes back to, registered at the provider
   */
  readonly begin: (returnTo: string, begun: Begun) => Promise<string | null>;
  /** @param query the query that the browser came back with, without `?` */
  readonly finish: (returnTo: string, query: string, begun: Begun) => Promise<Ending>;
}

/** A site's own account at a provider. The secret is never logged. */
export interface ProviderAccount {
  readonly clientId: string;
  readonly clientSecret: string;
}
