import type { AnyCall, InputOf } from '#platform/contract/call.ts';
import { requestOf, type Problem } from '#platform/contract/client.ts';
import { getPlayback } from '#product/broadcast/contract.ts';
import { whep, whip } from '#product/broadcast/contract/webrtc.ts';
import type { Visitor } from '../visitor.ts';
import { TEST_OFFER } from './engine.ts';

/** A response of a media call. */
export interface MediaReply {
  readonly status: number;
  /** Code of the refusal, null for a success. */
  readonly code: string | null;
  /** Id of the publish or play session, from `Location`. */
  readonly session: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface MediaOptions {
  readonly bearer?: string | null;
  /** Content type of the body; the call's own type by default. */
  readonly type?: string;
  /** The region that the request appears to come from. */
  readonly region?: string;
  /** Added to the address. */
  readonly query?: string;
  /** Added to the browser's headers; `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Makes a media call as encoders and players do: with a bearer and without a CSRF token. */
export async function media<C extends AnyCall>(
  who: Visitor,
  call: C,
  input: InputOf<C>,
  options: MediaOptions = {},
): Promise<MediaReply> {
  const { bearer, type = call.media?.accepts ?? 'application/json', region, query = '', headers } = options;
  const { path, body } = requestOf(call, input as Record<string, unknown>);
  const response = await who.request({
    method: call.method,
    url: path + query,
    ...(body === null ? {} : { payload: body }),
    headers: {
      'x-csrf-token': undefined,
      ...(bearer == null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === null ? {} : { 'content-type': type }),
      ...(region === undefined ? {} : { 'x-candela-test-region': region }),
      ...headers,
    },
  });
  const location = response.headers.location ?? '';
  return {
    status: response.statusCode,
    code: response.statusCode >= 400 ? response.json<Problem>().errorType : null,
    session: location.slice(location.lastIndexOf('/') + 1),
    headers: response.headers,
    body: response.body,
  };
}

/** Publishes with a key. */
export const publishes = (
  who: Visitor,
  key: string | null,
  offer: string = TEST_OFFER,
): Promise<MediaReply> => media(who, whip, { body: offer }, { bearer: key });

/** Plays a stream with a token. */
export const plays = (
  who: Visitor,
  stream: string,
  token: string | null,
  offer: string = TEST_OFFER,
): Promise<MediaReply> => media(who, whep, { stream, body: offer }, { bearer: token });

/** The stream of a live performer, and this visitor's token for it. */
export async function playbackOf(
  who: Visitor,
  performer: { readonly username: string },
): Promise<{ stream: string; token: string }> {
  const { stream_name: stream, token } = await who.call(getPlayback, { username: performer.username });
  return { stream, token };
}
