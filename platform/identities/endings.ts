import { AuthorizationResponseError, ClientError, ResponseBodyError, WWWAuthenticateChallengeError }
  from 'openid-client';
import type { Ending } from './identity-provider.ts';

/** A provider that has not answered by then is away: somebody waits. */
export const TIMEOUT_S = 10;

/** Why the library has failed, as an ending. What it says stands in no log: it may quote codes and tokens. */
export async function ending(work: () => Promise<Ending>): Promise<Ending> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthorizationResponseError) {
      return error.error === 'access_denied' ? 'cancelled' : 'wrong';
    }
    if (error instanceof ResponseBodyError) return error.status >= 500 ? 'away' : 'wrong';
    if (error instanceof WWWAuthenticateChallengeError) return 'wrong';
    return isAway(error) ? 'away' : 'wrong';
  }
}

/** No connection, no answer in time, or an answer that is none. */
function isAway(error: unknown): boolean {
  if (error instanceof ClientError) {
    return error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM';
  }
  // What `fetch` throws.
  return error instanceof TypeError && error.message === 'fetch failed';
}
