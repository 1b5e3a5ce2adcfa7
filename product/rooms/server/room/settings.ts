import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext, Caller } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { RateLimits, Use, WindowLimit } from '#platform/data/limits/rate-limits.ts';
import { addressGroups } from '#platform/http/address.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import { normalizePassword } from '#product/accounts/rules.ts';
import { verify } from '@node-rs/argon2';
import type { ModelSettingsView } from '../../contract.ts';
import {
  enterPassword,
  getRoomSettings,
  modelSettings,
  notYourRoom,
  passwordTries,
  passwordWrong,
  saveRoomSettings,
} from '../../contract/controls.ts';
import { roomAssistant } from '../../extension-points.ts';
import {
  MAX_TRIED,
  PASSWORD_SLOW_MS,
  PASSWORD_TRIES,
  PASSWORD_TRIES_OF_ROOM,
  PASSWORD_WINDOW_MS,
} from '../../rules.ts';
import { lockState } from '../../store.ts';
import {
  deleteProofs,
  findSettings,
  hasProof,
  saveProof,
  saveSettings,
  type Settings,
} from '../../store/settings.ts';
import { record } from '../chat/log.ts';
import type { RoomsDependencies } from '../dependencies.ts';
import { enterRoom, refuseEntry } from './entry.ts';
import { sendRoomState } from './room-state.ts';

/** The public settings of a room. */
export async function settingsView(
  extensions: Extensions,
  tx: Tx,
  performerId: number,
  settings: Settings,
): Promise<ModelSettingsView> {
  const { followEnabled, passwordHash, passwordNumber, broadcastCategory, isUserListVisible } = settings;
  const hasCamPassword = passwordHash !== null;
  return {
    followEnabled,
    hasCamPassword,
    camPasswordNumber: hasCamPassword ? passwordNumber : 0,
    broadcastCategory,
    isUserListVisible,
    aiBot: await extensions.one(roomAssistant)(tx, performerId),
  };
}

/** Whether a caller must enter the camera password first. */
export async function isLockedFor(tx: Tx, { sessionId }: Caller, performerId: number): Promise<boolean> {
  const { passwordHash, passwordNumber } = await findSettings(tx, performerId);
  if (passwordHash === null) return false;
  return sessionId === null || !(await hasProof(tx, performerId, sessionId, passwordNumber));
}

export function settingsHandlers(deps: RoomsDependencies): CallHandler[] {
  const { data, extensions } = deps;
  return [
    handleCall(getRoomSettings)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const entry = await enterRoom(deps, tx, context, username);
        if ('refused' in entry) return refuseEntry(context, entry.refused);
        if (!entry.rights.isRoomAdmin) return context.refuse(notYourRoom);
        const stored = await findSettings(tx, entry.owner.id);
        const { notice: message, noticeMinutes: every_minutes } = stored;
        return {
          ...(await settingsView(extensions, tx, entry.owner.id, stored)),
          notice: message === null || every_minutes === null ? null : { message, every_minutes },
        };
      })
    ),
    saveHandler(deps),
    passwordHandler(deps),
  ];
}

function saveHandler(deps: RoomsDependencies): CallHandler {
  const { data, extensions, accounts, broadcast } = deps;
  return handleCall(saveRoomSettings)(async ({ username, camPassword, ...asked }, context) => {
    // Hashing is slow, and a unit of work awaits nothing but SQL.
    const hash = camPassword == null ? null : await accounts.hashPassword(camPassword);
    const saved = await data.tx(context.scope, async (tx) => {
      const entry = await enterRoom(deps, tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      if (!entry.rights.isStreamer) return context.refuse(notYourRoom);
      const { id } = entry.owner;
      const room = await lockState(tx, id);
      const before = await findSettings(tx, id);
      const isNew = hash !== null || (camPassword === null && before.passwordHash !== null);
      const changed = isNew ? { passwordHash: hash, passwordNumber: before.passwordNumber + 1 } : {};
      const after = await saveSettings(tx, id, before, { ...defined(asked), ...changed });
      const settings = await settingsView(extensions, tx, id, after);
      await record(tx, id, modelSettings, () => ({ payload: { settings } }));
      if (isNew) {
        await deleteProofs(tx, id);
        // With a new password viewers lose the stream's name; without one everybody receives it.
        if (room.stream !== null) await sendRoomState(extensions, tx, id, room);
      }
      return { settings, performerId: id, isNew };
    });
    if (!('settings' in saved)) return saved;
    if (saved.isNew) await broadcast.review(context.scope, saved.performerId);
    return saved.settings;
  });
}

/** A copy without undefined values. */
const defined = <T extends object>(asked: T): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as never;

function passwordHandler(deps: RoomsDependencies): CallHandler {
  const { data, broadcast, limits } = deps;
  const tries = limits.family('rooms.passwords', { maxKeys: MAX_TRIED, whenAway: 'refuse' });
  return handleCall(enterPassword)(async ({ username, password }, context) => {
    const { scope, caller: { sessionId, personId } } = context;
    const found = await data.tx(scope, async (tx) => {
      const entry = await enterRoom(deps, tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      return { performerId: entry.owner.id, ...(await findSettings(tx, entry.owner.id)) };
    });
    if (!('performerId' in found)) return found;
    const { performerId, passwordHash, passwordNumber: number } = found;
    if (passwordHash === null) return { status: 1 as const };
    if (sessionId === null) return context.refuse(passwordWrong);
    const own = usesOf(context, performerId);
    const waitMs = await waitToTry(tries, own, `room ${scope.operatorId} ${performerId}`);
    if (waitMs > 0) return context.refuse(passwordTries, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    if (!(await verify(passwordHash, normalizePassword(password)))) return context.refuse(passwordWrong);
    // A correct password does not count as a guess.
    for (const { key, limit } of own) await tries.forget(key, limit);
    const isStill = await data.tx(scope, async (tx) => {
      await lockState(tx, performerId);
      if ((await findSettings(tx, performerId)).passwordNumber !== number) return false;
      await saveProof(tx, performerId, { sessionId, viewer: String(personId ?? sessionId), number });
      return true;
    });
    if (!isStill) return context.refuse(passwordWrong);
    await broadcast.review(scope, performerId);
    return { status: 1 as const };
  });
}

const limitOf = (points: number): WindowLimit => ({ points, seconds: PASSWORD_WINDOW_MS / SECOND_MS });

/** Tries are counted per person or session, and per group of addresses. */
function usesOf({ scope, caller, address }: CallContext, performerId: number): Use[] {
  const room = `${scope.operatorId} ${performerId}`;
  return [
    { key: `caller ${room} ${caller.personId ?? caller.sessionId}`, limit: limitOf(PASSWORD_TRIES) },
    ...addressGroups(address).map(({ key, share }) => ({
      key: `address ${room} ${key}`,
      limit: limitOf(PASSWORD_TRIES * share),
    })),
  ];
}

/**
 * Counts a try of the camera password; returns the milliseconds to wait, 0 when it is allowed. Many tries in
 * one room slow everybody down rather than shut the room: guessing from many addresses must not keep out
 * viewers who know the password.
 */
async function waitToTry(tries: RateLimits, own: readonly Use[], room: string): Promise<number> {
  const waitMs = await tries.takeAll(own);
  if (waitMs > 0) return waitMs;
  if ((await tries.take(room, limitOf(PASSWORD_TRIES_OF_ROOM))) === 0) return 0;
  const seconds = PASSWORD_SLOW_MS / SECOND_MS;
  return tries.takeAll(
    own.map(({ key, limit }) => ({
      key: `slow ${key}`,
      limit: { points: limit.points / PASSWORD_TRIES, seconds },
    })),
  );
}

/** The settings sent to a client that joins. */
export async function settingsOf(
  { extensions }: RoomsDependencies,
  tx: Tx,
  performerId: number,
): Promise<{ readonly settings: ModelSettingsView; readonly subjectColor: string | null }> {
  const stored = await findSettings(tx, performerId);
  const settings = await settingsView(extensions, tx, performerId, stored);
  return { settings, subjectColor: stored.subjectColor };
}
