import type { Generated } from 'kysely';
import type { Tx } from '#platform/data/data.ts';
import type { Restriction } from '#product/rooms/rules.ts';
import type { HeldFor, Mark, ModerationAction } from '../rules.ts';

export interface RestrictionRow {
  operator_id: Generated<number>; id: Generated<number>; performer_id: number; kind: Restriction;
  person_id: number | null; guest_session: string | null; guest_name: string | null; by_id: number | null;
  reason: string; at: Date; until: Date | null; ended_at: Date | null;
}
export interface SpeakerRow {
  operator_id: Generated<number>; performer_id: number; person_id: number; entered_at: Date; seen_at: Date;
  admitted_at: Date | null; last_said_at: Date | null; pace_left: Generated<number>; pace_at: Date | null;
  strikes: Generated<number>; struck_at: Date | null; silences: Generated<number>; silenced_at: Date | null;
}
export interface HeldRow {
  operator_id: Generated<number>; id: Generated<number>; performer_id: number; person_id: number;
  body: string; language: string; recent_tips: number; why: HeldFor; at: Date;
}
interface ModerationTables {
  'room_moderation.restrictions': RestrictionRow;
  'room_moderation.marks': {
    operator_id: Generated<number>; restriction_id: number; performer_id: number; kind: Mark; digest: string;
  };
  'room_moderation.traces': {
    operator_id: Generated<number>; who: string; guest_name: string | null; session: string; device: string;
    network: string; seen_at: Date;
  };
  'room_moderation.actions': {
    operator_id: Generated<number>; id: Generated<number>; performer_id: number; action: ModerationAction;
    person_id: number | null; guest_name: string | null; by_id: number | null; reason: string;
    until: Date | null; at: Date;
  };
  'room_moderation.speakers': SpeakerRow;
  'room_moderation.sketches': {
    operator_id: Generated<number>; id: Generated<number>; performer_id: number; person_id: number;
    letters: number; sketch: number[]; at: Date;
  };
  'room_moderation.held': HeldRow;
}

/** The subject of moderation: a person, or a guest by session and shown name. */
export type Subject =
  | { readonly personId: number; readonly session?: never; readonly guestName?: never }
  | { readonly personId: null; readonly session: string; readonly guestName: string };

export const tables = (tx: Tx): ReturnType<typeof tx.sql<ModerationTables>> => tx.sql<ModerationTables>();

/** The key of a subject in the traces. */
export const traceOf = (subject: Subject): string =>
  (subject.personId === null ? `guest:${subject.session}` : `person:${subject.personId}`);
