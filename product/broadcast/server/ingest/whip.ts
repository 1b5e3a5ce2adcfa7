import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import {
  sessionUnknown,
  streamKeyInvalid,
  whip,
  whipEnd,
  whipOptions,
  whipPatch,
} from '../../contract/webrtc.ts';
import type { Cameras } from '../cameras.ts';
import type { BroadcastDependencies } from '../dependencies.ts';
import { IceSessions } from '../ice-sessions.ts';
import { iceServersOf, linkHeaders } from '../ice.ts';
import { publisherOf } from './keys.ts';
import type { Publishing } from './publishing.ts';

/** Publishers over WHIP (RFC 9725). The caller calls `ended` for each publish session that ends. */
export function whipHandlers(deps: BroadcastDependencies, publishing: Publishing, cameras: Cameras): {
  readonly callHandlers: CallHandler[];
  readonly ended: (session: string) => void;
} {
  const { data, secret, media: { engine } } = deps;
  const ice = new IceSessions(engine, true);
  const links = (): { link?: string } => linkHeaders(iceServersOf(deps.ice, data.clock.now()));
  const callHandlers = [
    handleCall(whip)(async ({ body }, context) => {
      const result = cameras.isKey(context.bearer)
        ? await cameras.publish(body, context)
        : await publishing.publish({
          scope: context.scope,
          identify: (tx) => publisherOf(tx, secret, context),
          connection: { protocol: 'whip', address: context.address },
          open: (stream, options) => engine.publish(stream, body, options),
        });
      if ('refused' in result) return context.refuse(result.refused, result.detail);
      const { session, answer: sdp } = result.opened;
      const headers = { location: `/whip/${session}`, etag: ice.open(session), ...links() };
      return { status: 201, headers, body: sdp };
    }),
    handleCall(whipPatch)(async ({ session, body }, context) => {
      if (cameras.ownsSession(session, context)) return ice.patch(session, body, context);
      const publisher = await data.tx(context.scope, (tx) => publisherOf(tx, secret, context));
      if (!publisher) return context.refuse(streamKeyInvalid);
      if (!publishing.sessionOf(session, publisher, context.scope)) return context.refuse(sessionUnknown);
      return ice.patch(session, body, context);
    }),
    handleCall(whipEnd)(async ({ session }, context) => {
      if (cameras.ownsSession(session, context)) {
        return (await engine.end(session)) ? {} : context.refuse(sessionUnknown);
      }
      const publisher = await data.tx(context.scope, (tx) => publisherOf(tx, secret, context));
      if (!publisher) return context.refuse(streamKeyInvalid);
      const isEnded = await publishing.endSession(context.scope, session, publisher);
      return isEnded ? {} : context.refuse(sessionUnknown);
    }),
    handleCall(whipOptions)(async (_input, context) => {
      const isKnown = context.bearer !== null
        && (await data.tx(context.scope, (tx) => publisherOf(tx, secret, context))) !== null;
      const headers = { 'accept-post': 'application/sdp', ...(isKnown ? links() : {}) };
      return { status: 204, headers, body: '' };
    }),
  ];
  return { callHandlers, ended: (session) => ice.close(session) };
}
