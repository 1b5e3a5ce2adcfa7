import type { Caller, Consent } from '#platform/contract/context.ts';
import { optional, required } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { QualifiedKey, TextValues } from '#platform/text/message-keys.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import type { Person } from '#product/accounts/server.ts';
import type { ModelSettingsView } from './contract.ts';
import type { RoomRights } from './rules.ts';
import type { RoomPart } from './rules/room-part.ts';
import type { ReadSpan, RunningShowChat } from './rules/show-chat.ts';
import { errorsOfDeciders, type DecidedCondition, type DecidedConditions } from './rules/view-conditions.ts';

/** The sender of a message. */
export interface Speaker {
  readonly performerId: number;
  readonly person: Person;
  readonly rights: RoomRights;
  readonly locale: string;
  /** Tokens tipped to this performer in the last 24 h. */
  readonly recentTips: number;
}
/**
 * The decision about a message. `refuse` returns it to the sender with the text of `key`; `hold` queues it
 * for a moderator and notifies the sender; `shadow` shows it to its sender and to moderators only.
 */
export type Verdict =
  | { readonly kind: 'show' }
  /** `heldId` is the guard's id of the held message, for the moderation queue. */
  | { readonly kind: 'shadow' | 'hold'; readonly heldId?: number | null }
  | { readonly kind: 'refuse'; readonly key: QualifiedKey; readonly values?: TextValues };
/** Somebody who requests a room, by a call or a socket upgrade. */
export interface Visitor {
  readonly caller: Caller;
  readonly address: string;
  /** Device cookie, or null. */
  readonly device: string | null;
}
/** Moderators and silenced people of a room. */
export interface ModeratedPeople {
  readonly moderatorIds: readonly number[];
  readonly silencedIds: readonly number[];
}
export interface RoomGuard {
  /** Why somebody may not enter, or null. Checked before anything of the room is sent. */
  readonly exclusionOf: (tx: Tx, visitor: Visitor, performerId: number) => Promise<
    null | { readonly kind: 'banned' | 'kicked'; readonly reason: string | null; readonly until: Date | null }
  >;
  /**
   * The same for somebody who does not enter, as for a stream, a thumbnail or a notice. Stores nothing.
   */
  readonly isExcluded: (tx: Tx, visitor: Visitor, performerId: number) => Promise<boolean>;
  /** Who may be excluded when only the caller is known; `exclusionOf` returns null for everybody else. */
  readonly mayExclude: (tx: Tx, performerId: number) => Promise<(caller: Caller) => boolean>;
  /** @param body cleaned, not empty, not a command */
  readonly judge: (tx: Tx, speaker: Speaker, body: string) => Promise<Verdict>;
  /**
   * Why a viewer's text may not be shown in a room outside its chat, by the room's silences, blocked words
   * and links; null when it may. Stores nothing, so that a repeated call gets the same result. With an empty
   * text only silences are checked.
   */
  readonly judgeAside: (
    tx: Tx,
    speaker: Pick<Speaker, 'performerId' | 'person'>,
    text: string,
  ) => Promise<Extract<Verdict, { kind: 'refuse' }> | null>;
  readonly moderatedPeople: (tx: Tx, performerId: number) => Promise<ModeratedPeople>;
  readonly isModerator: (tx: Tx, personId: number, performerId: number) => Promise<boolean>;
}
export const roomGuard = required.single<RoomGuard>({
  name: 'rooms.guard',
  description: 'Excludes people from rooms, judges messages, and stores room moderators.',
});

/** Members' visits to rooms, except the performer's own. */
export interface RoomVisits {
  /** A socket of a member joined; called again for each of their tabs and after each lost connection. */
  readonly entered: (tx: Tx, visit: RoomVisit) => Promise<void>;
  /** A socket of a member that joined at `since` is gone. Not called when the process dies. */
  readonly left: (tx: Tx, visit: RoomVisit, since: Date) => Promise<void>;
}

/** A member in a room that is not their own. */
export interface RoomVisit {
  readonly personId: number;
  readonly performerId: number;
  /** The member's consent when the socket was opened; they may have withdrawn it since. */
  readonly consent: Consent;
}
export const roomVisits = optional.many<RoomVisits>({
  name: 'rooms.visits',
  description: 'Who of the members was in which room, and how long.',
  byDefault: 'Nothing is written of visits.',
  safeBecause: 'Nobody reads what was never written.',
});

/** What viewers have tipped. */
export interface Tipping {
  /** Tokens each person tipped a performer in the last 24 h; people without tips are missing. */
  readonly recentTips: (
    tx: Tx,
    personIds: readonly number[],
    performerId: number,
  ) => Promise<ReadonlyMap<number, number>>;
  readonly hasTipped: (tx: Tx, personId: number, performerId: number) => Promise<boolean>;
}
export const tipping = required.single<Tipping>({
  name: 'rooms.tipping',
  description: 'What viewers have tipped a performer: badges show it, and chat rules depend on it.',
});

/** @returns each person's level in a performer's fan club; people who are not members are missing */
export const fanLevels = optional.single<
  (
    tx: Tx,
    personIds: readonly number[],
    performerId: number,
  ) => Promise<ReadonlyMap<number, FanclubLevel>>
>({
  name: 'rooms.fanLevels',
  description: 'What people are in the fan club of the room\'s performer, for badges in the chat.',
  byDefault: 'Nobody has a badge of a fan club.',
  safeBecause: 'A badge gives nobody a right.',
  fallback: async () => new Map(),
});

/** Decides conditions for seeing the video, and calls `broadcast.review` when one of them changes. */
export interface ViewDecider {
  /** The conditions that only this slice decides. */
  readonly decides: readonly DecidedCondition[];
  /** A value for each of them. */
  readonly of: (tx: Tx, caller: Caller, performerId: number) => Promise<Partial<DecidedConditions>>;
}
export const viewConditions = optional.many<ViewDecider>({
  name: 'rooms.viewConditions',
  description: 'Conditions for seeing the video of a room: guest overlay, card verification, and which show '
    + 'the viewer takes part in. An implementer names the conditions it decides; each has one decider.',
  byDefault: 'Nobody has a card or takes part in a show; '
    + 'the public room requires no card and has no overlay.',
  safeBecause: 'The video of a show is for its performer alone, and a slice that requires a card without one '
    + 'that decides who has a card stops the start.',
  errorsOf: errorsOfDeciders,
});

export const showParties = optional.single<(tx: Tx, performerId: number) => Promise<readonly number[]>>({
  name: 'rooms.showParties',
  description: 'People other than the performer who take part in the running show.',
  byDefault: 'Nobody but the performer takes part.',
  safeBecause: 'The name of a show\'s stream is sent to its performer only.',
  fallback: async () => [],
});

export const showChats = optional.single<
  (tx: Tx, performerId: number) => Promise<RunningShowChat | null>
>({
  name: 'rooms.showChats',
  description: 'The show of a performer that has a chat of its own now, and who reads and writes there.',
  byDefault: 'No show has a chat of its own.',
  safeBecause: 'Without shows there is nothing that only some may read.',
  fallback: async () => null,
});

export const readShowChats = optional.single<
  (tx: Tx, performerId: number, key: string, personId: number) => Promise<readonly ReadSpan[]>
>({
  name: 'rooms.readShowChats',
  description: 'When somebody could read the chat of a show, whether it runs or is over: what they read they '
    + 'can report.',
  byDefault: 'Nobody could.',
  safeBecause: 'Nobody reads or reports what was said in a show.',
  fallback: async () => [],
});

/** A part of a room, and how the server loads it. */
export interface RoomPartSource<Data extends object = object, Update extends object = object> {
  readonly part: RoomPart<Data, Update>;
  /** The part's room data for a viewer who may enter the room. */
  readonly load: (tx: Tx, caller: Caller, performerId: number) => Promise<Data>;
  /** The part's fields of `v3.chat.update`, for everybody in the room; without it they are empty. */
  readonly loadUpdate?: (tx: Tx, performerId: number) => Promise<Update>;
}
export const roomParts = optional.many<RoomPartSource>({
  name: 'rooms.parts',
  description: 'Parts of a room: fields of the room data and of `v3.chat.update` that later slices own.',
  byDefault: 'The room data and `v3.chat.update` have the fields of rooms alone.',
  safeBecause: 'A missing part shows nothing and offers nothing to buy.',
});

export const roomAssistant = optional.single<
  (tx: Tx, performerId: number) => Promise<ModelSettingsView['aiBot']>
>({
  name: 'rooms.assistant',
  description: 'The assistant that writes for a performer in her room.',
  byDefault: 'No performer has an assistant.',
  safeBecause: 'Nobody but the performer writes in her name.',
  milestone: 13,
  fallback: async () => null,
});

/** A chat command as typed, such as `/tip_split 50 4`. */
export interface Command {
  readonly performerId: number;
  readonly personId: number;
  readonly rights: RoomRights;
  readonly locale: string;
  /** Lower case, without the slash. */
  readonly name: string;
  readonly rest: string;
}
/** Done, or refused with the text of `key`; null when the implementer has no such command. */
export type CommandOutcome = null | 'done' | { readonly key: QualifiedKey; readonly values?: TextValues };

export const chatCommands = optional.many<(tx: Tx, command: Command) => Promise<CommandOutcome>>({
  name: 'rooms.chatCommands',
  description: 'Chat commands of later slices; the first that has the command runs it.',
  byDefault: 'The command is unknown.',
  safeBecause: 'An unknown command is refused and shown to nobody.',
});

/** Title and description that replace a room's usual ones. */
export interface RoomWords {
  readonly title: string;
  readonly description: string;
  /** Name of the variant. */
  readonly wording: string;
}
/** @returns null for a room with its usual title and description */
export const roomWords = optional.single<
  (tx: Tx, owner: Pick<Person, 'id' | 'displayName'>, locale: string) => Promise<RoomWords | null>
>({
  name: 'rooms.words',
  description: 'Rooms that take part in an experiment with the words of titles and descriptions.',
  byDefault: 'Every room has the usual words.',
  safeBecause: 'The usual words name the performer and what a room is, and nothing else.',
  fallback: async () => null,
});
