import type { Problem } from '../../platform/contract/client.ts';
import { getPlayback } from '../broadcast/contract.ts';
import { TEST_OFFER } from './engine.ts';
import type { Visitor } from './visitor.ts';

/** An answer of the media endpoints. */
export interface MediaReply {
  readonly status: number;
  /** Code of the refusal, null for a success. */
  readonly code: string | null;
  /** Address of the publish or play session. */
  readonly location: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface MediaRequest {
  readonly bearer?: string | null;
  /** SDP; the test offer when absent. */
  readonly offer?: string;
  readonly type?: string;
  /** Region the request seems to come from. */
  readonly region?: string;
}

/** A request of the media endpoints as encoders and players make it: a bearer, no CSRF token. */
export async function media(
  who: Visitor, method: 'POST' | 'DELETE', url: string, request: MediaRequest = {},
): Promise<MediaReply> {
  const { bearer, offer = TEST_OFFER, type = 'application/sdp', region } = request;
  const response = await who.request({
    method, url,
    ...(method === 'POST' ? { payload: offer } : {}),
    headers: {
      'x-csrf-token': undefined,
      ...(bearer == null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(method === 'POST' ? { 'content-type': type } : {}),
      ...(region === undefined ? {} : { 'x-candela-test-region': region }),
    },
  });
  return {
    status: response.statusCode,
    code: response.statusCode >= 400 ? response.json<Problem>().errorType : null,
    location: String(response.headers.location), headers: response.headers, body: response.body,
  };
}

/** Publishes with a key. */
export const whip = (who: Visitor, key: string | null, offer?: string): Promise<MediaReply> =>
  media(who, 'POST', '/whip', { bearer: key, offer });

/** Plays a stream with a token. */
export const whep = (
  who: Visitor, stream: string, token: string | null, offer?: string,
): Promise<MediaReply> => media(who, 'POST', `/whep/${stream}`, { bearer: token, offer });

/** The stream of a live performer, and a token of this visitor for it. */
export async function playbackOf(
  who: Visitor, performer: { readonly username: string },
): Promise<{ stream: string; token: string }> {
  const { url, token } = await who.call(getPlayback, { username: performer.username });
  return { stream: url.slice(url.lastIndexOf('/') + 1), token };
}
