import { handleCall, subscribe, type Subscription, type Slice } from '../../platform/contract/bind.ts';
import type { AnyFact, DeliveredFact } from '../../platform/contract/fact.ts';
import type { Data, Tx } from '../../platform/data/data.ts';
import type { AccountsService, Person } from '../accounts/server.ts';
import {
  broadcastEnded, broadcastInterrupted, broadcastMoved, broadcastResumed, broadcastStarted, detailsChanged,
} from '../broadcast/contract.ts';
import type { BroadcastService } from '../broadcast/server.ts';
import { clearanceRevoked } from '../compliance/contract.ts';
import type { ComplianceService } from '../compliance/server.ts';
import type { RoomsService } from '../rooms/server.ts';
import { browseLive, listingUnknown, type ListingEntryView } from './contract.ts';
import { byRank, genderHide, isNew, listingOf, pageOf, showsGender, type Ranked } from './rules.ts';
import { deleteLive, listLive, lockLive, saveLive, type LiveRow } from './store.ts';

export interface BrowseDependencies {
  readonly data: Data;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly broadcast: BroadcastService;
  readonly rooms: RoomsService;
}

/** Offers later slices nothing but its call. */
export type BrowseSlice = Slice<null>;

/** The live directory: a read model of who is live, and listings of whom this viewer may perceive. */
export function browseSlice(deps: BrowseDependencies): BrowseSlice {
  const { data, accounts, compliance, broadcast, rooms } = deps;
  return {
    name: 'browse',
    service: null,
    subscriptions: subscriptionsOf(deps),
    callHandlers: [
      handleCall(browseLive)(async (input, context) => {
        const listing = listingOf(input.path);
        if (!listing) return context.refuse(listingUnknown);
        const hidden = genderHide(input.path, input['gender-hide']);
        const perPage = Math.min(input.perPage ?? listing.perPage, listing.perPage);
        const page = input.p ?? 1;
        return data.tx(context.scope, async (tx) => {
          const rows = await listLive(tx);
          const people = await accounts.findMany(tx, rows.map((row) => row.performer_id));
          const ofGender = rows.filter(({ performer_id: id }) =>
            showsGender(listing, hidden, people.get(id)?.gender ?? null));
          // From here on, the total included, only performers this viewer may perceive count.
          const ids = ofGender.map((row) => row.performer_id);
          const seen = await compliance.perceivable(tx, compliance.viewerOf(context), ids, 'listing');
          const statuses = await rooms.statusOf(tx, [...seen]);
          const ranked = ofGender
            .filter((row) => seen.has(row.performer_id))
            .map((row) => rankOf(row, statuses.get(row.performer_id)))
            .sort(byRank);
          return {
            userList: pageOf(ranked, page, perPage)
              .map((one) => entryOf(one, people.get(one.performerId), broadcast, tx.now)),
            totalCount: ranked.length, perPageCount: perPage, page, responseCode: 200,
            isSearchEmpty: ranked.length === 0,
          };
        });
      }),
    ],
  };
}

type Status = ListingEntryView['status'];
interface RoomStatus {
  readonly status: Status;
  readonly viewerCount: number;
  readonly isLocked: boolean;
}
interface LiveEntry extends Ranked {
  readonly row: LiveRow;
  readonly status: Status;
  /** Only who enters the camera password sees the picture. */
  readonly isLocked: boolean;
}

/** The room's status says more than the broadcast's (private, ticket), but may lag behind a start. */
const rankOf = (row: LiveRow, room: RoomStatus | undefined): LiveEntry => ({
  row,
  isLocked: room?.isLocked ?? false,
  performerId: row.performer_id,
  viewerCount: room?.viewerCount ?? 0,
  startedAt: row.started_at,
  status: room && room.status !== 'offline' ? room.status : row.state,
});

function entryOf(
  { row, status, viewerCount, isLocked }: LiveEntry, person: Person | undefined, broadcast: BroadcastService,
  now: Date,
): ListingEntryView {
  if (!person) throw new Error(`performer ${row.performer_id} is live without an account`);
  return {
    id: person.id, username: person.username, displayName: person.displayName, gender: person.gender, status,
    subjectText: row.title, viewerCount, languages: [...person.languages], tagList: row.tags,
    thumbUrl: person.avatarUrl, liveThumbUrl: isLocked ? null : liveThumbUrl(row, status, person, broadcast),
    isNew: isNew(person.createdAt, now), flagList: [],
  };
}

/** Address of the live thumbnail, while the stream is public and has one. */
function liveThumbUrl(
  { stream }: LiveRow, status: Status, { username }: Person, broadcast: BroadcastService,
): string | null {
  const version = stream !== null && status === 'online' ? broadcast.pictureVersion(stream) : null;
  return version === null ? null : `/thumbnails/${encodeURIComponent(username)}?v=${version}`;
}

/** Every fact about a performer rebuilds their row from the current state. */
function subscriptionsOf({ data, broadcast, compliance }: BrowseDependencies): Subscription[] {
  const facts = [
    broadcastStarted, broadcastInterrupted, broadcastResumed, broadcastEnded, broadcastMoved, detailsChanged,
    clearanceRevoked,
  ] as const;
  const rebuild = async (tx: Tx, performerId: number): Promise<void> => {
    await lockLive(tx, performerId);
    const { state, startedAt, title, tags, mode, stream } = await broadcast.viewOf(tx, performerId);
    const isCleared = (await compliance.clearanceOf(tx, performerId)) !== null;
    const isOn = state === 'online' || state === 'reconnecting';
    if (!isOn || !isCleared || startedAt === null) return deleteLive(tx, performerId);
    return saveLive(tx, {
      performer_id: performerId, state, title, tags: [...tags], started_at: startedAt,
      stream: mode === 'public' ? stream : null,
    });
  };
  return facts.map((fact) =>
    subscribe(fact as AnyFact, `browse.${fact.name}`)(async (
      { operatorId, payload }: DeliveredFact<AnyFact>,
    ) => {
      const { performerId } = payload as { performerId: number };
      await data.tx({ operatorId }, (tx) => rebuild(tx, performerId));
    }));
}
