import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Caller } from '#platform/contract/context.ts';
import type { Data } from '#platform/data/data.ts';
import { endDevice, listDevices, sessionUnknown, type DeviceView } from '../contract/devices.ts';
import { placeOf } from '../rules.ts';
import { listSessions, type ListedSession } from '../store/sessions.ts';
import { lockCaller } from './credentials/ways-in.ts';
import type { Sessions } from './sessions.ts';

/** Calls that list the caller's sessions and end one of them. */
export const deviceHandlers = (data: Data, sessions: Sessions): CallHandler[] => [
  handleCall(listDevices)(async (_input, { scope, caller, personId }) => {
    const rows = await data.tx(scope, (tx) => listSessions(tx, personId));
    return { sessions: rows.map((row) => viewOf(row, caller)) };
  }),
  handleCall(endDevice)(async ({ id }, context) => {
    const { scope, caller, personId, refuse } = context;
    const left = await data.tx(scope, async (tx) => {
      await lockCaller(tx, context);
      return (await sessions.end(tx, personId, { id })) === 0 ? null : listSessions(tx, personId);
    });
    if (!left) return refuse(sessionUnknown);
    return { status: 1 as const, sessions: left.map((row) => viewOf(row, caller)) };
  }),
];

/** A session as its person and admins see it. */
export const deviceView = (
  { id, browser, platform, region, startedAt, renewedAt }: ListedSession,
): Omit<DeviceView, 'is_current'> => ({
  id,
  browser,
  platform,
  ...placeOf(region),
  started_at: startedAt.toISOString(),
  used_at: renewedAt.toISOString(),
});

const viewOf = (session: ListedSession, { sessionId }: Caller): DeviceView => ({
  ...deviceView(session),
  is_current: session.digest === sessionId,
});
