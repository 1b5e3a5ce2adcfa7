import type { AnyCall } from '#platform/contract/call.ts';
import type { Caller } from '#platform/contract/context.ts';
import type { AnyEvent } from '#platform/contract/event.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { z } from 'zod';
import { chatUpdate, getRoom } from '../../contract.ts';
import { roomParts } from '../../extension-points.ts';
import { PART_GROUPS, withFields, type RoomPart } from '../../rules/room-part.ts';

/** The room data with the fields of every part, for one viewer. */
export async function withParts<Room extends object>(
  extensions: Extensions,
  room: Promise<Room>,
  tx: Tx,
  caller: Caller,
  performerId: number,
): Promise<Room> {
  const loads = extensions.all(roomParts).map(({ load }) => load(tx, caller, performerId));
  const [own, ...parts] = await Promise.all([room, ...loads]);
  return parts.reduce<Room>((composed, part) => withFields(composed, part), own);
}

/** What every part adds to `v3.chat.update`. */
export async function updateFieldsOf(extensions: Extensions, tx: Tx, performerId: number): Promise<object> {
  let fields = {};
  for (const { part, loadUpdate } of extensions.all(roomParts)) {
    fields = { ...fields, ...loadUpdate ? await loadUpdate(tx, performerId) : part.emptyUpdate };
  }
  return fields;
}

const isGroup = (name: string): boolean => (PART_GROUPS as readonly string[]).includes(name);

/** A shape extended by the fields of another; throws when a field is in both. */
function joined(shape: z.ZodObject, added: z.ZodObject, owner: string): z.ZodObject {
  const taken = Object.keys(added.shape).find((name) => name in shape.shape);
  if (taken !== undefined) throw new Error(`the room part ${owner} defines ${taken}, which has an owner`);
  return shape.extend(added.shape);
}

function withShape(room: z.ZodObject, { key, shape }: RoomPart): z.ZodObject {
  const groups = Object.entries(shape.shape).filter(([name]) => isGroup(name)).map((
    [name, group],
  ) => [name, joined(room.shape[name] as z.ZodObject, group as z.ZodObject, `${key}.${name}`)]);
  const others = shape.omit(Object.fromEntries(groups.map(([name]) => [name, true])));
  return joined(room.extend(Object.fromEntries(groups)), others, key);
}

/** The call of room data, with the fields of these parts. */
export const composedGetRoom = (parts: readonly RoomPart[]): AnyCall => ({
  ...getRoom,
  output: parts.reduce<z.ZodObject>(withShape, getRoom.output),
});

/** `v3.chat.update`, with the fields of these parts. */
export const composedUpdate = (parts: readonly RoomPart[]): AnyEvent => ({
  ...chatUpdate,
  shape: parts.reduce<z.ZodObject>(
    (shape, { key, updateShape }) => (updateShape === null ? shape : joined(shape, updateShape, key)),
    chatUpdate.shape,
  ),
});

/** Throws when a key of the room parts, or a field they add, has two owners; then the site does not start. */
export function checkParts(extensions: Extensions): void {
  const parts = extensions.all(roomParts).map(({ part }) => part);
  const keys = parts.map(({ key }) => key);
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) throw new Error(`two room parts have the key ${twice}`);
  composedGetRoom(parts);
  composedUpdate(parts);
}
