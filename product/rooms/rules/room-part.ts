import type { ClientEvent, PayloadOf } from '#platform/contract/event.ts';
import type { z } from 'zod';
import type { ChatMode, ChatStatus } from '../rules.ts';

/** Objects of the room data that parts add fields to. Other fields of a part are on the top level. */
export const PART_GROUPS = ['user', 'chat', 'auth', 'userSetting'] as const;

/** What a page needs of a part, from the `client.ts` of its owner. */
export interface ClientPart<Data extends object = object, Update extends object = object> {
  /** Name of the owning slice. */
  readonly key: string;
  /** The part's data for a room without it. */
  readonly empty: Data;
  readonly emptyUpdate: Update;
}

/**
 * A part of a room that a later slice owns: fields of the room data, laid out as on the wire, and fields of
 * `v3.chat.update`. Each field has one owner.
 */
export interface RoomPart<Data extends object = object, Update extends object = object>
  extends ClientPart<Data, Update>
{
  readonly kind: 'room part';
  readonly shape: z.ZodObject;
  readonly updateShape: z.ZodObject | null;
}

interface Definition<Shape extends z.ZodObject, Update extends z.ZodObject> {
  readonly key: string;
  readonly shape: Shape;
  readonly empty: z.infer<Shape>;
  /** Fields of `v3.chat.update`; only together with `emptyUpdate`. */
  readonly updateShape?: Update;
  readonly emptyUpdate?: z.infer<Update>;
}

/** Declares a part of a room as a constant of its owner's `contract.ts`. */
export const roomPart = <Shape extends z.ZodObject, Update extends z.ZodObject = z.ZodObject>(
  { key, shape, empty, updateShape, emptyUpdate }: Definition<Shape, Update>,
): RoomPart<z.infer<Shape>, z.infer<Update>> => ({
  kind: 'room part',
  key,
  shape,
  empty,
  updateShape: updateShape ?? null,
  emptyUpdate: emptyUpdate ?? {} as z.infer<Update>,
});

type Fields = Readonly<Record<string, unknown>>;
const isGroup = (name: string): boolean => (PART_GROUPS as readonly string[]).includes(name);

/** The fields of a part in the room data; those an older server did not send are empty. */
export function readPart<Data extends object>(room: object, { empty }: ClientPart<Data>): Data {
  const fields = Object.entries(empty).map(([name, value]: [string, unknown]) => {
    const found = (room as Fields)[name];
    if (!isGroup(name)) return [name, found === undefined ? value : found];
    const group = Object.entries(value as Fields).map(([field, none]) => {
      const known = (found as Fields | undefined)?.[field];
      return [field, known === undefined ? none : known];
    });
    return [name, Object.fromEntries(group) as object];
  });
  return Object.fromEntries(fields) as Data;
}

/** The room data with these fields. */
export function withFields<Room extends object>(room: Room, fields: object): Room {
  const placed = Object.entries(fields).map((
    [name, value]: [string, unknown],
  ) => [name, isGroup(name) ? { ...(room as Fields)[name] as object, ...value as object } : value]);
  return { ...room, ...Object.fromEntries(placed) as object };
}

/** What the reducer of a part reads and changes: its own state, and the room's stream state. */
export interface PartRoom<State> {
  readonly status: ChatStatus;
  readonly stream: string | null;
  /** The mode of the show or room this viewer takes part in. */
  readonly viewerMode: ChatMode;
  readonly part: State;
}

/** @param me username of this page's viewer, lower case; null for a guest */
type Change<State, Payload> = (room: PartRoom<State>, payload: Payload, me: string | null) => PartRoom<State>;
/** A change of any part by any event. */
type SomeChange = (room: PartRoom<never>, payload: never, me: string | null) => PartRoom<object>;

/** How a part of a live room changes with the events of the room. */
export interface PartReducer<State extends object = object> {
  readonly part: ClientPart;
  /** The part of a room before its first event. */
  readonly initial: State;
  readonly events: readonly ClientEvent[];
  /** By the event's name. */
  readonly changes: ReadonlyMap<string, SomeChange>;
}

interface Bound {
  readonly event: ClientEvent;
  readonly change: SomeChange;
}
type On<State> = <E extends ClientEvent>(event: E, change: Change<State, PayloadOf<E>>) => Bound;

/**
 * Declares the reducer of a part, in its owner's rules. Its state is the part's room data, plus `more`, which
 * a page gets only from events. A change returns the same object when nothing changes.
 */
export function partReducer<Data extends object, More extends object>(
  part: ClientPart<Data>,
  more: More,
  bind: (on: On<Data & More>) => readonly Bound[],
): PartReducer<Data & More> {
  const bound = bind((event, change) => ({ event, change }));
  return {
    part,
    initial: { ...part.empty, ...more },
    events: bound.map(({ event }) => event),
    changes: new Map(bound.map(({ event, change }) => [event.name, change])),
  };
}
