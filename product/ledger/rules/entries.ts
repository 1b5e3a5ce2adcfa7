/** What is held for a show, what it costs and what is returned, by the kind that covers all of it. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  private_show: ['private_hold', 'private_show', 'private_pre_tip', 'private_released'],
  spy_show: ['spy_hold', 'spy_show', 'spy_startup_tip', 'spy_released'],
  ticket_show: ['ticket_hold', 'ticket_show', 'ticket_returned'],
  ticket_recording: ['ticket_recording_hold', 'ticket_recording', 'ticket_recording_returned'],
  group_goal: ['group_goal_hold', 'group_goal', 'group_goal_returned'],
  sharecam: ['sharecam_hold', 'sharecam', 'sharecam_released'],
};
/** Kind of an operation that releases what remains of an expired hold. */
export const HOLD_EXPIRED = 'hold_expired';
/** Lines behind one entry on a page: a show of more than three hours has more; the file has all. */
export const MAX_PARTS = 200;

/** The kind of the entry that an operation of a show belongs to, by the operation's kind. */
export const ENTRY_KINDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(PARTS).flatMap(([kind, parts]) => parts.map((part) => [part, kind])),
);

/** Kinds of the operations that make up an entry of this kind. */
export const kindsBehind = (
  kind: string,
): readonly string[] => (Object.hasOwn(PARTS, kind) ? PARTS[kind] ?? [kind] : [kind]);

/** Kinds of entries of a person whose operations have these kinds, by name. */
export const entryKindsOf = (kinds: readonly string[]): string[] =>
  [...new Set(kinds.filter((kind) => kind !== HOLD_EXPIRED).map((kind) => ENTRY_KINDS[kind] ?? kind))].sort();
