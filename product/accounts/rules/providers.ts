/** Providers that people can log in with, where the site configures them (spec 1 §3). */
export const PROVIDERS = ['google', 'facebook'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Time to log in at the provider, find the password there, and come back. */
export const PROVIDER_STATE_SECONDS = 15 * 60;
/** Time to fill in the rest of a sign-up, or to log in once. */
export const PROVIDER_PROOF_SECONDS = 15 * 60;
/** Longest subject of an account (OpenID Connect Core §2), and longest address. */
export const MAX_SUBJECT_LENGTH = 255;
export const MAX_EMAIL_LENGTH = 254;
/** Longest path to continue at: it travels in a sealed cookie. A longer one is dropped. */
export const MAX_NEXT_LENGTH = 200;
/** Longest query that a provider returns a browser with: codes and states take some hundred characters. */
export const MAX_PROVIDER_QUERY_LENGTH = 4_096;

export const isProvider = (name: string): name is ProviderName =>
  (PROVIDERS as readonly string[]).includes(name);
