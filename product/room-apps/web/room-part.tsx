import type { RoomPagePart } from '#product/rooms/web/page-part.ts';
import { roomAppsReducer } from '../rules.ts';

/** Keeps the installed apps and modules of the room data current. */
export const roomAppsOnPage: RoomPagePart = { texts: [], reducer: roomAppsReducer };
