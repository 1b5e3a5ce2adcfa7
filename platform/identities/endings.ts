import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import type { Ending } from './identity-provider.ts';

/** A provider that takes longer counts as away, because the person is waiting. */
export const TIMEOUT_S = 10;

/**
 * Turns a failure of the library into an ending. Its message may quote codes and tokens: it is never logged.
 */
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

/** No connection, no answer in time, or an invalid answer. */
function isAway(error: unknown): boolean {
  if (error instanceof ClientError) {
    return error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM';
  }
  // The error that `fetch` throws.
  return error instanceof TypeError && error.message === 'fetch failed';
}
