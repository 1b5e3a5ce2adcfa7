import { handleCall, type CallHandler, type Slice } from '#platform/contract/bind.ts';
import type { Caller } from '#platform/contract/context.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Blobs } from '#platform/data/blobs.ts';
import type { Data, OperatorScope, Tx } from '#platform/data/data.ts';
import type { Pictures } from '#platform/images/pictures.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { isTimeZone } from '#platform/time/zones.ts';
import {
  personalData,
  settingsPart,
  userPart,
  type SettingsPart,
  type UserPart,
} from '#product/accounts/extension-points.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import { performerUnknown } from '#product/compliance/contract.ts';
import { whyHidden } from '#product/compliance/rules.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import { blobNames } from '#product/site/extension-points.ts';
import {
  getListingProfile,
  getSchedule,
  profileChanged,
  saveListingProfile,
  timeZoneUnknown,
  viewAs,
  type ListingProfileView,
} from './contract.ts';
import type { ProfilePictureView } from './contract/pictures.ts';
import { nextTimes, sortedSchedule, SURFACES } from './rules.ts';
import {
  addPicture,
  pictureDeadlines,
  pictureHandlers,
  picturesOf,
  reportedPicture,
} from './server/pictures.ts';
import { findListings, lockListing, NOTHING_SAID, saveListing } from './store.ts';
import { ownRows } from './store/own-rows.ts';
import { pictureBlobs } from './store/pictures.ts';

export interface PerformersDependencies {
  readonly data: Data;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly extensions: Extensions;
  readonly blobs: Blobs;
  readonly pictures: Pictures;
}

/** Absent or undefined fields stay unchanged. */
export type ListingChange = {
  readonly [Field in keyof ListingProfileView]?: ListingProfileView[Field] | undefined;
};

export interface PerformersService {
  /** The profiles of these performers in listings; nulls for those without one. */
  readonly listingsOf: (
    tx: Tx,
    performerIds: readonly number[],
  ) => Promise<ReadonlyMap<number, ListingProfileView>>;
  /**
   * Changes a performer's profile, without HTTP; absent fields stay unchanged. Returns null, and stores
   * nothing, if the time zone is invalid, or missing for a schedule.
   */
  readonly saveListing: (
    tx: Tx,
    performerId: number,
    change: ListingChange,
  ) => Promise<ListingProfileView | null>;
  /** The pictures of a performer's page, in their order. */
  readonly picturesOf: (tx: Tx, performerId: number) => Promise<readonly ProfilePictureView[]>;
  /** The caption of a picture and the id of its blob; null if the performer has no such picture. */
  readonly reportedPicture: (
    tx: Tx,
    performerId: number,
    id: number,
  ) => Promise<{ readonly text: string; readonly picture: string } | null>;
  /** Appends a picture, without HTTP; throws where the call refuses. */
  readonly addPicture: (scope: OperatorScope, performerId: number, bytes: Uint8Array) => Promise<void>;
}

export type PerformersSlice = Slice<PerformersService>;

/** Performers' own profiles in listings. */
export function performersSlice(deps: PerformersDependencies): PerformersSlice {
  const { accounts } = deps;
  const service: PerformersService = {
    picturesOf,
    reportedPicture,
    addPicture: async (scope, performerId, bytes) => {
      const added = await addPicture(deps, scope, performerId, bytes);
      if (typeof added === 'string') throw new Error(`a picture was refused: ${added}`);
      if ('code' in added) throw new Error(`a picture was refused: ${added.code}`);
    },
    listingsOf: async (tx, performerIds) => {
      const said = await findListings(tx, performerIds);
      return new Map(performerIds.map((id) => [id, said.get(id) ?? NOTHING_SAID]));
    },
    saveListing: async (tx, performerId, change) => {
      const person = await accounts.findById(tx, performerId);
      if (person?.type !== 'model') throw new Error(`person ${performerId} is no performer`);
      const next = changed(await lockListing(tx, performerId), change);
      if (next.time_zone === null ? next.schedule.length > 0 : !isTimeZone(next.time_zone)) return null;
      await saveListing(tx, performerId, next);
      const { username } = person;
      await tx.publish(profileChanged, `performer:${performerId}`, { performerId, username });
      return next;
    },
  };
  return {
    name: 'performers',
    service,
    extensions: [
      implement(personalData, ownRows),
      implement(settingsPart, listingSettings(service)),
      implement(userPart, voyeurPart),
      implement(blobNames, () => pictureBlobs),
    ],
    callHandlers: [
      ...ownHandlers(deps, service),
      scheduleHandler(deps),
      viewHandler(deps),
      ...pictureHandlers(deps),
    ],
    deadlineHandlers: pictureDeadlines(deps),
  };
}

/** The price of spying, and cam2cam, as settings of performers: the same values as in listings. */
const listingSettings = ({ saveListing: save }: Pick<PerformersService, 'saveListing'>): SettingsPart => ({
  keys: ['spy_cost', 'cam2cam'],
  read: async (tx, { id, type }) => {
    if (type !== 'model') return {};
    const { spy_price, offers_cam2cam: cam2cam } = await listingOf(tx, id);
    return { spy_cost: spy_price, cam2cam };
  },
  check: async (_tx, { type }) => (type === 'model' ? null : 'setting_refused'),
  write: async (tx, { id }, { spy_cost, cam2cam }) => {
    await save(tx, id, { spy_price: spy_cost, offers_cam2cam: cam2cam });
  },
});

const voyeurPart: UserPart = {
  keys: ['isVoyeurCam'],
  read: async (tx, { id, type }) => ({
    isVoyeurCam: type === 'model' && (await listingOf(tx, id)).voyeur_room !== null,
  }),
};

const listingOf = async (tx: Tx, performerId: number): Promise<ListingProfileView> =>
  (await findListings(tx, [performerId])).get(performerId) ?? NOTHING_SAID;

/** A profile with a change applied; absent fields stay. */
function changed(profile: ListingProfileView, change: ListingChange): ListingProfileView {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const next = { ...profile, ...given };
  return { ...next, schedule: sortedSchedule(next.schedule) };
}

function ownHandlers({ data, accounts }: PerformersDependencies, service: PerformersService): CallHandler[] {
  return [
    handleCall(getListingProfile)(async (_input, context) =>
      data.tx(context.scope, (tx) => listingOf(tx, context.personId))
    ),
    handleCall(saveListingProfile)(async (input, context) => {
      const saved = await data.tx(context.scope, async (tx) => {
        const listing = await service.saveListing(tx, context.personId, input);
        if (listing) await accounts.sendSettings(tx, context.personId);
        return listing;
      });
      return saved ?? context.refuse(timeZoneUnknown);
    }),
  ];
}

function scheduleHandler({ data, accounts, compliance }: PerformersDependencies): CallHandler {
  return handleCall(getSchedule)(async ({ username }, context) =>
    data.tx(context.scope, async (tx) => {
      const person = await accounts.findByUsername(tx, normalizeUsername(username));
      const isShown = person !== null
        && await compliance.mayPerceive(tx, compliance.viewerOf(context), person.id, 'listing');
      // Hidden and unknown performers get the same answer.
      if (!isShown) return context.refuse(performerUnknown);
      const { time_zone: timeZone, schedule } = await listingOf(tx, person.id);
      return {
        time_zone: timeZone,
        schedule,
        next: nextTimes(schedule, timeZone, tx.now.getTime()).map(({ startsAt, endsAt }) => ({
          starts_at: new Date(startsAt).toISOString(),
          ends_at: new Date(endsAt).toISOString(),
        })),
      };
    })
  );
}

/** A visitor of whom only the region is known. */
const ANYBODY: Caller = { kind: 'guest', personId: null, sessionId: null, username: null, roles: ['guest'] };

function viewHandler({ data, compliance }: PerformersDependencies): CallHandler {
  return handleCall(viewAs)(async ({ region }, context) =>
    data.tx(context.scope, async (tx) => {
      const performerId = context.personId;
      const { rule, minimumAge } = compliance.policyOf(tx, region);
      const viewer = { caller: ANYBODY, region, gate: rule === 'blocked' ? 'blocked' : 'open' } as const;
      const surfaces = [];
      for (const surface of SURFACES) {
        const isShown = await compliance.mayPerceive(tx, viewer, performerId, surface);
        surfaces.push({ surface, is_shown: isShown });
      }
      const state = (await compliance.statesOf(tx, [performerId])).get(performerId);
      if (!state) throw new Error(`performer ${performerId} has no state`);
      return { region, gate: rule, minimum_age: minimumAge, surfaces, reasons: whyHidden(state, region) };
    })
  );
}
