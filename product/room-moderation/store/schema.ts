import type { Tx } from '#platform/data/data.ts';
import type { RoomModerationTables } from './tables.ts';

export type RestrictionRow = RoomModerationTables['room_moderation.restrictions'];
export type SpeakerRow = RoomModerationTables['room_moderation.speakers'];
export type HeldRow = RoomModerationTables['room_moderation.held'];

/** The subject of moderation: a person, or a guest by session and shown name. */
export type Subject =
  | { readonly personId: number; readonly session?: never; readonly guestName?: never }
  | { readonly personId: null; readonly session: string; readonly guestName: string };

export const tables = (tx: Tx): ReturnType<typeof tx.sql<RoomModerationTables>> =>
  tx.sql<RoomModerationTables>();

/** The key of a subject in the traces. */
export const traceOf = (
  subject: Subject,
): string => (subject.personId === null ? `guest:${subject.session}` : `person:${subject.personId}`);
