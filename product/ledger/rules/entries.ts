/** What is set aside for a show, what it costs and what comes back, under the kind that names all of it. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  private_show: ['private_hold', 'private_show', 'private_pre_tip', 'private_released'],
  spy_show: ['spy_hold', 'spy_show', 'spy_startup_tip', 'spy_released'],
  ticket_show: ['ticket_hold', 'ticket_show', 'ticket_returned'],
  ticket_recording: ['ticket_recording_hold', 'ticket_recording', 'ticket_recording_returned'],
  group_goal: ['group_goal_hold', 'group_goal', 'group_goal_returned'],
  sharecam: ['sharecam_hold', 'sharecam', 'sharecam_released'],
};
/** Kind of an operation that gives back what a hold still has when its time is over. */
export const HOLD_EXPIRED = 'hold_expired';
/** Lines behind one entry that a page has: a show of more than three hours has more, which the file has. */
export const MAX_PARTS = 200;

/** By the kind of an operation of a show: the kind of the entry it belongs to. */
export const ENTRY_KINDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(PARTS).flatMap(([kind, parts]) => parts.map((part) => [part, kind])));

/** Kinds of the operations that an entry of this kind is made of. */
export const kindsBehind = (kind: string): readonly string[] =>
  (Object.hasOwn(PARTS, kind) ? PARTS[kind] ?? [kind] : [kind]);

/** Kinds of entries that somebody with operations of these kinds has, by name. */
export const entryKindsOf = (kinds: readonly string[]): string[] =>
  [...new Set(kinds.filter((kind) => kind !== HOLD_EXPIRED).map((kind) => ENTRY_KINDS[kind] ?? kind))].sort();
