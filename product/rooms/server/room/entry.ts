import type { CallContext, HandlerContext } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import { type Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import type { QualifiedKey, TextValues } from '#platform/text/message-keys.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import type { Person } from '#product/accounts/server.ts';
import type { Viewer } from '#product/compliance/server.ts';
import { roomBanned, roomForbidden, roomGone, roomKicked, roomUnknown } from '../../contract.ts';
import { roomGuard, type RoomGuard } from '../../extension-points.ts';
import { DEVICE_COOKIE, type RoomRights } from '../../rules.ts';
import type { RoomsDependencies } from '../dependencies.ts';
import { roomRightsIn } from '../people/people.ts';

type Exclusion = NonNullable<Awaited<ReturnType<RoomGuard['exclusionOf']>>>;
/** Whether somebody may enter a room; `forbidden` before the entry gate, whether the room exists or not. */
export type Entry =
  | { readonly owner: Person; readonly rights: RoomRights }
  | { readonly refused: 'unknown' | 'gone' | 'forbidden' | Exclusion };

export type EntryDependencies = Pick<RoomsDependencies, 'accounts' | 'compliance' | 'extensions'>;

/**
 * The entry check of a room, for its page, its calls and its socket. Viewers who may not perceive the
 * performer get the same refusal as for an unknown name.
 */
export async function enterRoom(
  { accounts, compliance, extensions }: EntryDependencies,
  tx: Tx,
  context: CallContext,
  username: string,
): Promise<Entry> {
  const viewer = compliance.viewerOf(context);
  const refused = viewer.gate === 'open' ? 'unknown' : 'forbidden';
  const name = normalizeUsername(username);
  const owner = await accounts.findByUsername(tx, name);
  if (owner?.type !== 'model') {
    const isGone = refused === 'unknown' && owner === null && await accounts.wasErased(tx, name);
    return { refused: isGone ? 'gone' : refused };
  }
  const rights = await roomRightsIn(extensions, tx, context.caller, owner.id);
  if (!(await mayPerceive(compliance, tx, viewer, owner, rights))) return { refused };
  if (rights.isRoomAdmin) return { owner, rights };
  const bar = await exclusionOf(extensions, tx, context, owner.id);
  return bar ? { refused: bar } : { owner, rights };
}

/** Why the caller may not enter a room; null when they may. */
function exclusionOf(
  extensions: Extensions,
  tx: Tx,
  context: CallContext,
  performerId: number,
): Promise<Exclusion | null> {
  const { caller, address } = context;
  const visitor = { caller, address, device: context.cookie(DEVICE_COOKIE) };
  return extensions.one(roomGuard).exclusionOf(tx, visitor, performerId);
}

/**
 * Something others see that a viewer does in a room outside its chat: a tip's comment, an order, a tip split.
 */
export interface Aside {
  readonly performerId: number;
  readonly person: Person;
  /** Null for a chat command, whose sender is in the room. */
  readonly context: CallContext | null;
  /** What the viewer wrote, cleaned; empty when only the name is shown. */
  readonly text: string;
}
/** Why others do not see it; null when they do. */
export type AsideBar = null | 'banned' | 'kicked' | {
  readonly key: QualifiedKey;
  readonly values?: TextValues;
};

/** Applies a room's bans, silences, blocked words and links to what reaches it outside its chat. */
export async function asideBarOf(
  extensions: Extensions,
  tx: Tx,
  { performerId, person, context, text }: Aside,
): Promise<AsideBar> {
  const bar = context && await exclusionOf(extensions, tx, context, performerId);
  return bar ? bar.kind : extensions.one(roomGuard).judgeAside(tx, { performerId, person }, text);
}

/** Only the performer and room admins perceive the room of a suspended performer. */
async function mayPerceive(
  compliance: EntryDependencies['compliance'],
  tx: Tx,
  viewer: Viewer,
  owner: Person,
  rights: RoomRights,
): Promise<boolean> {
  if (owner.inactiveSince !== null) return viewer.gate === 'open' && rights.isRoomAdmin;
  return compliance.mayPerceive(tx, viewer, owner.id, 'room');
}

type EntryRefusal =
  | typeof roomUnknown
  | typeof roomGone
  | typeof roomForbidden
  | typeof roomBanned
  | typeof roomKicked;

/** The refusal for a socket or a call. */
export function refusalOf(refused: Extract<Entry, { refused: unknown }>['refused']): EntryRefusal {
  if (refused === 'unknown') return roomUnknown;
  if (refused === 'gone') return roomGone;
  if (refused === 'forbidden') return roomForbidden;
  return refused.kind === 'banned' ? roomBanned : roomKicked;
}

/** Refuses a call on a room, with what its page shows instead. */
export function refuseEntry(
  { refuse }: Pick<HandlerContext<EntryRefusal>, 'refuse'>,
  refused: Extract<Entry, { refused: unknown }>['refused'],
  suggestions: readonly string[] = [],
): Refused<EntryRefusal> {
  if (typeof refused === 'string') return refuse(refusalOf(refused), { extra: { suggestions } });
  const { reason, until } = refused;
  return refuse(refusalOf(refused), { extra: { suggestions, reason, until: until?.toISOString() ?? null } });
}
