import { verify } from '@node-rs/argon2';
import { handleCall, type CallHandler } from '../../../../platform/contract/bind.ts';
import type { CallContext, Caller } from '../../../../platform/contract/context.ts';
import type { Extensions } from '../../../../platform/contract/extension-point.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import type { Use, WindowLimit } from '../../../../platform/data/limits/rate-limits.ts';
import { SECOND_MS } from '../../../../platform/time/units.ts';
import { normalizePassword } from '../../../accounts/rules.ts';
import {
  enterPassword, getRoomSettings, modelSettings, notYourRoom, passwordTries, passwordWrong, saveRoomSettings,
  type ModelSettingsView,
} from '../../contract.ts';
import { roomAssistant } from '../../extension-points.ts';
import { MAX_TRIED, PASSWORD_TRIES, PASSWORD_TRIES_OF_ROOM, PASSWORD_WINDOW_MS } from '../../rules.ts';
import {
  deleteProofs, findSettings, hasProof, lockState, saveProof, saveSettings, type Settings,
} from '../../store.ts';
import { tellCourse } from './course.ts';
import { enterRoom, refuseEntry } from './entry.ts';
import { record } from '../chat/log.ts';
import type { RoomsDependencies } from '../dependencies.ts';

/** Settings as everybody in the room may know them. */
export async function settingsView(
  extensions: Extensions, tx: Tx, performerId: number, settings: Settings,
): Promise<ModelSettingsView> {
  const { followEnabled, passwordHash, passwordNumber, broadcastCategory, isUserListVisible } = settings;
  const hasCamPassword = passwordHash !== null;
  return {
    followEnabled, hasCamPassword, camPasswordNumber: hasCamPassword ? passwordNumber : 0, broadcastCategory,
    isUserListVisible, aiBot: await extensions.one(roomAssistant)(tx, performerId),
  };
}

/** Whether a camera password keeps the video from a caller. */
export async function isLockedFor(tx: Tx, { sessionId }: Caller, performerId: number): Promise<boolean> {
  const { passwordHash, passwordNumber } = await findSettings(tx, performerId);
  if (passwordHash === null) return false;
  return sessionId === null || !(await hasProof(tx, performerId, sessionId, passwordNumber));
}

export function settingsHandlers(deps: RoomsDependencies): CallHandler[] {
  const { data, extensions } = deps;
  return [
    handleCall(getRoomSettings)(async ({ username }, context) => data.tx(context.scope, async (tx) => {
      const entry = await enterRoom(deps, tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      if (!entry.place.isRoomAdmin) return context.refuse(notYourRoom);
      const kept = await findSettings(tx, entry.owner.id);
      const { notice: message, noticeMinutes: every_minutes } = kept;
      return {
        ...(await settingsView(extensions, tx, entry.owner.id, kept)),
        notice: message === null || every_minutes === null ? null : { message, every_minutes },
      };
    })),
    saveAnswer(deps),
    passwordHandler(deps),
  ];
}

function saveAnswer(deps: RoomsDependencies): CallHandler {
  const { data, extensions, accounts, broadcast } = deps;
  return handleCall(saveRoomSettings)(async ({ username, camPassword, ...asked }, context) => {
    // Hashing takes its time, and nothing but SQL is awaited within a unit.
    const hash = camPassword == null ? null : await accounts.hashPassword(camPassword);
    const saved = await data.tx(context.scope, async (tx) => {
      const entry = await enterRoom(deps, tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      if (!entry.place.isStreamer) return context.refuse(notYourRoom);
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
        // Who had the name of the stream without a password loses it, or everybody gets it.
        if (room.stream !== null) await tellCourse(extensions, tx, id, room);
      }
      return { settings, performerId: id, isNew };
    });
    if (!('settings' in saved)) return saved;
    if (saved.isNew) await broadcast.review(context.scope, saved.performerId);
    return saved.settings;
  });
}

/** Without what was not asked for. */
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
    const room = { key: `room ${scope.operatorId} ${performerId}`, limit: limitOf(PASSWORD_TRIES_OF_ROOM) };
    const waitMs = await tries.takeAll([...own, room]);
    if (waitMs > 0) return context.refuse(passwordTries, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    if (!(await verify(passwordHash, normalizePassword(password)))) return context.refuse(passwordWrong);
    // Who knows the password was not guessing.
    for (const { key, limit } of own) await tries.forget(key, limit);
    const isStill = await data.tx(scope, async (tx) => {
      await lockState(tx, performerId);
      if ((await findSettings(tx, performerId)).passwordNumber !== number) return false;
      await saveProof(tx, performerId, { sessionId, seat: String(personId ?? sessionId), number });
      return true;
    });
    if (!isStill) return context.refuse(passwordWrong);
    await broadcast.review(scope, performerId);
    return { status: 1 as const };
  });
}

const limitOf = (points: number): WindowLimit => ({ points, seconds: PASSWORD_WINDOW_MS / SECOND_MS });

/** Guesses are counted per person or session, and per address. */
function usesOf({ scope, caller, address }: CallContext, performerId: number): Use[] {
  const room = `${scope.operatorId} ${performerId}`;
  return [`caller ${room} ${caller.personId ?? caller.sessionId}`, `address ${room} ${address}`]
    .map((key) => ({ key, limit: limitOf(PASSWORD_TRIES) }));
}

/** How a room stands for those who come without having been there. */
export async function settingsOf(
  { extensions }: RoomsDependencies, tx: Tx, performerId: number,
): Promise<{ readonly settings: ModelSettingsView; readonly subjectColor: string | null }> {
  const kept = await findSettings(tx, performerId);
  const settings = await settingsView(extensions, tx, performerId, kept);
  return { settings, subjectColor: kept.subjectColor };
}
