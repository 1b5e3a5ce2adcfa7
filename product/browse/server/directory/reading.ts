import type { Tx } from '#platform/data/data.ts';
import type { Person } from '#product/accounts/server.ts';
import type { ListedBroadcast } from '#product/broadcast/server.ts';
import type { ListingProfileView } from '#product/performers/contract.ts';
import type { ChatStatus } from '#product/rooms/rules.ts';
import { rolesOf, UNSEEN, type DirectoryEntry } from '../../rules/listing/entry.ts';
import type { BrowseDependencies } from '../dependencies.ts';

type Sources = Pick<
  BrowseDependencies,
  | 'accounts'
  | 'compliance'
  | 'broadcast'
  | 'performers'
  | 'rooms'
  | 'tips'
  | 'shows'
  | 'messaging'
  | 'fanclubs'
  | 'controlsToys'
>;

/** Reads these performers completely, with about a dozen queries for all. At most a few hundred. */
export async function readEntries(
  {
    compliance,
    broadcast,
    performers,
    rooms,
    tips,
    shows,
    messaging,
    fanclubs,
    controlsToys = false,
  }: Sources,
  tx: Tx,
  people: readonly Person[],
): Promise<DirectoryEntry[]> {
  if (people.length === 0) return [];
  const ids = people.map(({ id }) => id);
  // A read-only unit of work sends its statements in parallel.
  const [
    states,
    broadcasts,
    statuses,
    said,
    followers,
    ratings,
    exclusive,
    ticketShows,
    inPublicOnly,
    privateRatings,
    clubs,
    { goals, recent },
  ] = await Promise.all([
    compliance.statesOf(tx, ids),
    broadcast.viewsOf(tx, ids),
    rooms.statusOf(tx, ids),
    performers.listingsOf(tx, ids),
    messaging.followersOf(tx, ids),
    shows.ratingsOf(tx, ids),
    shows.exclusiveAmong(tx, ids),
    shows.ticketShowsAmong(tx, ids),
    shows.publicCamerasAmong(tx, ids),
    shows.privateRatingsOf(tx, ids),
    fanclubs.openAmong(tx, ids),
    tips.momentsOf(tx, ids),
  ]);
  return people.map((person): DirectoryEntry => {
    const { id } = person;
    const goal = goals.get(id);
    return {
      ...personPart(person),
      ...profilePart(said.get(id)),
      ...broadcastPart(broadcasts.get(id)),
      controlRate: controlsToys ? said.get(id)?.control_rate ?? null : null,
      ...roomPart(statuses.get(id), broadcasts.get(id)),
      state: states.get(id) ?? UNSEEN,
      hasTicketShow: ticketShows.has(id),
      takesPrivateCameras: (said.get(id)?.offers_cam2cam ?? false) && !inPublicOnly.has(id),
      hasFanclub: clubs.has(id),
      isExclusive: exclusive.has(id),
      roles: rolesOf(person.roles, said.get(id)),
      followers: followers.get(id) ?? 0,
      rating: ratings.get(id) ?? null,
      privateRating: privateRatings.get(id) ?? null,
      recentTips: recent.get(id) ?? 0,
      goal: goal === undefined ? null : goalPart(goal),
    };
  });
}

export const goalPart = (
  { target, progress }: { readonly target: number; readonly progress: number },
): NonNullable<DirectoryEntry['goal']> => ({ left: Math.max(0, target - progress), total: target });

const personPart = (person: Person) => ({
  id: person.id,
  username: person.username,
  displayName: person.displayName,
  gender: person.gender,
  avatarUrl: person.avatarUrl,
  registeredAt: person.createdAt.getTime(),
  languages: person.languages,
  isOnHome: person.isOnHome,
});

const profilePart = (said: ListingProfileView | undefined) => ({
  region: said?.region ?? null,
  country: said?.country ?? null,
  ageRange: said?.age_range ?? null,
  ethnicity: said?.ethnicity ?? null,
  voyeur: said?.voyeur_room ?? null,
  isIndependent: said?.is_independent ?? false,
  privatePrice: said?.private_price ?? null,
  exclusivePrice: said?.exclusive_price ?? null,
  spyPrice: said?.spy_price ?? null,
  offersCam2Cam: said?.offers_cam2cam ?? false,
});

const broadcastPart = (view: ListedBroadcast | undefined) => ({
  topic: view?.title ?? '',
  tags: view?.tags ?? [],
  studio: view?.studio ?? null,
  stream: view?.mode === 'public' ? view.stream : null,
  startedAt: isOn(view) ? (view?.startedAt?.getTime() ?? null) : null,
  lastLiveAt: view?.lastOnlineAt?.getTime() ?? null,
});

const isOn = (view: ListedBroadcast | undefined): boolean =>
  view?.state === 'online' || view?.state === 'reconnecting';

interface RoomStatus {
  readonly status: ChatStatus;
  readonly viewerCount: number;
  readonly isLocked: boolean;
}

/** The room's status is more precise (private, ticket), but may lag behind the start of a broadcast. */
const roomPart = (room: RoomStatus | undefined, view: ListedBroadcast | undefined) => ({
  status: room && room.status !== 'offline' ? room.status : startedStatus(view),
  viewerCount: room?.viewerCount ?? 0,
  isLocked: room?.isLocked ?? false,
});

function startedStatus(view: ListedBroadcast | undefined): ChatStatus {
  if (view?.state === 'online' || view?.state === 'reconnecting') return view.state;
  return view?.standby ? 'standby' : 'offline';
}
