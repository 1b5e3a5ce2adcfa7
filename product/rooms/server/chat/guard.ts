import type { Caller } from '../../../../platform/contract/context.ts';
import { slot, type Slots } from '../../../../platform/contract/slot.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import type { Person } from '../../../accounts/server.ts';
import type { Place } from '../../rules.ts';

/** Somebody who speaks, as guards judge them. */
export interface Speaker {
  readonly performerId: number;
  readonly person: Person;
  readonly place: Place;
  readonly locale: string;
  /** Tokens tipped to this performer in the last 24 h. */
  readonly recentTips: number;
}
/**
 * What becomes of a message. `refuse` comes back to the sender with the text of `key`; `hold` waits for a
 * moderator and the sender is told so; `shadow` is shown to its sender and to moderators alone.
 */
export type Verdict =
  | { readonly kind: 'show' }
  /** `heldId` is what the guard keeps it under; the desk hears it. */
  | { readonly kind: 'shadow' | 'hold'; readonly heldId?: number | null }
  | {
    readonly kind: 'refuse'; readonly key: string;
    readonly values?: Readonly<Record<string, string | number>>;
  };
/** Who comes to the door of a room: an upgrade or a call. */
export interface Visitor {
  readonly caller: Caller;
  readonly address: string;
  /** Cookie of the device, or null. */
  readonly device: string | null;
}
export interface Standings {
  readonly moderatorIds: readonly number[];
  readonly silencedIds: readonly number[];
}
export interface RoomGuard {
  /** Why somebody may not enter, or null; asked before anything of the room is told. */
  readonly bars: (tx: Tx, visitor: Visitor, performerId: number) => Promise<
    null | { readonly kind: 'banned' | 'kicked'; readonly reason: string | null; readonly until: Date | null }
  >;
  /** Whom `bars` may keep out when only the caller is known; it says null of everybody else. */
  readonly barsSome: (tx: Tx, performerId: number) => Promise<(caller: Caller) => boolean>;
  /** @param body cleaned, not empty, no command */
  readonly judge: (tx: Tx, speaker: Speaker, body: string) => Promise<Verdict>;
  readonly standings: (tx: Tx, performerId: number) => Promise<Standings>;
  readonly isModerator: (tx: Tx, personId: number, performerId: number) => Promise<boolean>;
}

/** Who keeps order in rooms. Without one everybody but the suspended may enter and speak. */
export const roomGuard = slot<RoomGuard>({
  name: 'rooms.guard', description: 'Bars people from rooms, judges messages, knows room moderators.',
  fallback: {
    bars: async () => null,
    barsSome: async () => () => false,
    judge: async () => ({ kind: 'show' }),
    standings: async () => ({ moderatorIds: [], silencedIds: [] }),
    isModerator: async () => false,
  },
});

/** Whoever keeps order: one, the first that offered to. */
export const guardOf = (slots: Slots): RoomGuard => slots.all(roomGuard)[0] ?? roomGuard.fallback;
