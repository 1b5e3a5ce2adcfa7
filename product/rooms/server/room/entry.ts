import type { HandlerContext, CallContext } from '../../../../platform/contract/context.ts';
import { type Refused } from '../../../../platform/contract/refusal.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { normalizeUsername } from '../../../../platform/text/usernames.ts';
import type { Person } from '../../../accounts/server.ts';
import type { Viewer } from '../../../compliance/server.ts';
import { roomBanned, roomForbidden, roomKicked, roomUnknown } from '../../contract.ts';
import { roomGuard, type RoomGuard } from '../../extension-points.ts';
import { DEVICE_COOKIE, type Place } from '../../rules.ts';
import type { RoomsDependencies } from '../dependencies.ts';
import { placeIn } from '../people/people.ts';

type Bar = NonNullable<Awaited<ReturnType<RoomGuard['exclusionOf']>>>;
/** Whether somebody gets a room: `forbidden` while the entry gate stands before everything, whatever exists.
 * */
export type Entry =
  | { readonly owner: Person; readonly place: Place }
  | { readonly refused: 'unknown' | 'forbidden' | Bar };

export type EntryDependencies = Pick<RoomsDependencies, 'accounts' | 'compliance' | 'extensions'>;

/**
 * The one way into a room, for its page, its calls and its socket. Somebody who may not perceive the
 * performer gets the same answer as for a name that nobody has.
 */
export async function enterRoom(
  { accounts, compliance, extensions }: EntryDependencies, tx: Tx, context: CallContext, username: string,
): Promise<Entry> {
  const viewer = compliance.viewerOf(context);
  const refused = viewer.gate === 'open' ? 'unknown' : 'forbidden';
  const owner = await accounts.findByUsername(tx, normalizeUsername(username));
  if (owner?.type !== 'model') return { refused };
  const place = await placeIn(extensions, tx, context.caller, owner.id);
  if (!(await mayPerceive(compliance, tx, viewer, owner, place))) return { refused };
  if (place.isRoomAdmin) return { owner, place };
  const { caller, address } = context;
  const visitor = { caller, address, device: context.cookie(DEVICE_COOKIE) };
  const bar = await extensions.one(roomGuard).exclusionOf(tx, visitor, owner.id);
  return bar ? { refused: bar } : { owner, place };
}

/** The room of a suspended performer is there for herself and for staff alone. */
async function mayPerceive(
  compliance: EntryDependencies['compliance'], tx: Tx, viewer: Viewer, owner: Person, place: Place,
): Promise<boolean> {
  if (owner.suspendedAt !== null) return viewer.gate === 'open' && place.isRoomAdmin;
  return compliance.mayPerceive(tx, viewer, owner.id, 'room');
}

type EntryRefusal = typeof roomUnknown | typeof roomForbidden | typeof roomBanned | typeof roomKicked;

/** The code a socket or a call is refused with. */
export function refusalOf(refused: Extract<Entry, { refused: unknown }>['refused']): EntryRefusal {
  if (refused === 'unknown') return roomUnknown;
  if (refused === 'forbidden') return roomForbidden;
  return refused.kind === 'banned' ? roomBanned : roomKicked;
}

/** Refuses a call upon a room, with what its page shows instead of it. */
export function refuseEntry(
  { refuse }: Pick<HandlerContext<EntryRefusal>, 'refuse'>,
  refused: Extract<Entry, { refused: unknown }>['refused'], suggestions: readonly string[] = [],
): Refused<EntryRefusal> {
  if (typeof refused === 'string') return refuse(refusalOf(refused), { extra: { suggestions } });
  const { reason, until } = refused;
  return refuse(refusalOf(refused), { extra: { suggestions, reason, until: until?.toISOString() ?? null } });
}
