import * as client from 'openid-client';
import { ending, TIMEOUT_S } from './endings.ts';
import type { IdentityProvider, ProviderAccount } from './identity-provider.ts';

const GOOGLE = 'https://accounts.google.com';

export interface OpenIdOptions extends ProviderAccount {
  /** The issuer, below which the discovery document is; Google's by default. */
  readonly issuer?: string;
  /** The issuer is a simulator of this machine, without TLS. */
  readonly isSimulated?: boolean;
}

/**
 * Google by OpenID Connect: authorization code with PKCE, state and nonce; the ID token's signature is
 * checked against the provider's keys. Library: openid-client, which reads the system's clock.
 */
export function googleProvider({
  clientId,
  clientSecret,
  issuer = GOOGLE,
  isSimulated = false,
}: OpenIdOptions): IdentityProvider {
  let found: Promise<client.Configuration> | null = null;
  /** Discovered once, and again after a failure. */
  const configuration = (): Promise<client.Configuration> => {
    found ??= client.discovery(new URL(issuer), clientId, undefined, client.ClientSecretPost(clientSecret), {
      timeout: TIMEOUT_S,
      execute: [client.enableNonRepudiationChecks, ...(isSimulated ? [client.allowInsecureRequests] : [])],
    }).catch((error: unknown) => {
      found = null;
      throw error;
    });
    return found;
  };
  return {
    name: 'google',
    begin: async (returnTo, { state, nonce, verifier }) => {
      const known = await configuration().catch(() => null);
      if (!known) return null;
      return client.buildAuthorizationUrl(known, {
        redirect_uri: returnTo,
        scope: 'openid email',
        state,
        nonce,
        prompt: 'select_account',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).href;
    },
    finish: (returnTo, query, { state, nonce, verifier }) =>
      ending(async () => {
        const tokens = await client.authorizationCodeGrant(
          await configuration(),
          new URL(`${returnTo}?${query}`),
          { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        );
        const claims = tokens.claims();
        if (!claims) return 'wrong';
        const email = typeof claims['email'] === 'string' ? claims['email'] : null;
        const isEmailVerified = email !== null && claims['email_verified'] === true;
        return { subject: claims.sub, email, isEmailVerified };
      }),
  };
}
