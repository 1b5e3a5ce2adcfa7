import * as client from 'openid-client';
import { ending, TIMEOUT_S } from './endings.ts';
import type { IdentityProvider, ProviderAccount } from './identity-provider.ts';

/** Version of Facebook's Graph API; each is served for two years or more. */
const VERSION = 'v23.0';

export interface GraphOptions extends ProviderAccount {
  /** Addresses of the log-in page and of the Graph API; Facebook's by default. */
  readonly dialog?: string;
  readonly graph?: string;
  /** Whether they are a simulator on this machine, without TLS. */
  readonly isSimulated?: boolean;
}

/**
 * Facebook by OAuth 2.0: authorization code with PKCE and state, then the person's identity from the Graph
 * API (`me`). There is no ID token and so no nonce. Facebook does not say whether an address is confirmed, so
 * it never counts as verified. Ids are per app, so they are prefixed with the app's id.
 */
export function facebookProvider({
  clientId,
  clientSecret,
  dialog = 'https://www.facebook.com',
  graph = 'https://graph.facebook.com',
  isSimulated = false,
}: GraphOptions): IdentityProvider {
  const server = {
    issuer: dialog,
    authorization_endpoint: `${dialog}/${VERSION}/dialog/oauth`,
    token_endpoint: `${graph}/${VERSION}/oauth/access_token`,
  };
  const known = new client.Configuration(server, clientId, undefined, client.ClientSecretPost(clientSecret));
  known.timeout = TIMEOUT_S;
  if (isSimulated) client.allowInsecureRequests(known);
  return {
    name: 'facebook',
    begin: async (returnTo, { state, verifier }) =>
      client.buildAuthorizationUrl(known, {
        redirect_uri: returnTo,
        scope: 'email',
        state,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).href,
    finish: (returnTo, query, { state, verifier }) =>
      ending(async () => {
        const tokens = await client.authorizationCodeGrant(known, new URL(`${returnTo}?${query}`), {
          expectedState: state,
          pkceCodeVerifier: verifier,
          idTokenExpected: false,
        });
        const address = new URL(`${graph}/${VERSION}/me?fields=id,email`);
        const response = await client.fetchProtectedResource(known, tokens.access_token, address, 'GET');
        if (!response.ok) return response.status >= 500 ? 'away' : 'wrong';
        const me = await response.json() as { readonly id?: unknown; readonly email?: unknown };
        if (typeof me.id !== 'string' || me.id === '') return 'wrong';
        const email = typeof me.email === 'string' ? me.email : null;
        return { subject: `${clientId}:${me.id}`, email, isEmailVerified: false };
      }),
  };
}
