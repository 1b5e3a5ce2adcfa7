import { SESSION_TYPE_CODES } from '#product/broadcast/rules.ts';
import { chatUpdate } from '#product/rooms/client.ts';
import { partReducer } from '#product/rooms/rules/room-part.ts';
import { appsChanged, roomAppsPart } from './client.ts';

/** A tool of a performer that viewers of the room notice. */
type RoomTool = keyof typeof SESSION_TYPE_CODES;

/** The modules of a room: the session-type codes of the performer's running tools, lowest first. */
export const modulesOf = (running: Readonly<Partial<Record<RoomTool, boolean>>>): number[] =>
  Object.entries(SESSION_TYPE_CODES)
    .flatMap(([tool, code]) => (running[tool as RoomTool] === true ? [code] : []))
    .toSorted((item, other) => item - other);

/** How the installed apps and modules of a room change. */
export const roomAppsReducer = partReducer(roomAppsPart, {}, (on) => [
  on(appsChanged, (room, { app_ids: apps, module_ids: modules }) => ({
    ...room,
    part: {
      ...room.part,
      chat: { installedAppId: apps[0] ?? null, installedModuleIdList: modules },
    },
  })),
  on(chatUpdate, (room, update) => {
    const { app_ids: apps, module_ids: modules } = { ...roomAppsPart.emptyUpdate, ...update };
    const { installedAppId, installedModuleIdList } = room.part.chat;
    if (installedAppId === (apps[0] ?? null) && installedModuleIdList.join() === modules.join()) return room;
    return {
      ...room,
      part: {
        ...room.part,
        chat: { installedAppId: apps[0] ?? null, installedModuleIdList: modules },
      },
    };
  }),
]);
