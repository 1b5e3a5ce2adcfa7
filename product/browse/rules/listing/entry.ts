import type { GenderCode, RoleName } from '#product/accounts/rules.ts';
import type { PerformerState } from '#product/compliance/rules.ts';
import type { ListingProfileView } from '#product/performers/contract.ts';
import type { AgeRange, BrowseRegion, Ethnicity, VoyeurRoom } from '#product/performers/rules.ts';
import type { ChatStatus } from '#product/rooms/rules.ts';

/** A performer as the directory knows them, live or not. Times are milliseconds since 1970. */
export interface DirectoryEntry {
  readonly id: number;
  readonly username: string;
  readonly displayName: string;
  readonly gender: GenderCode | null;
  readonly avatarUrl: string | null;
  readonly registeredAt: number;
  /** ISO 639-1 codes. */
  readonly languages: readonly string[];
  /** What `compliance` needs to decide who may perceive this performer. */
  readonly state: PerformerState;

  /** The performer's own profile. */
  readonly region: BrowseRegion | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly ageRange: AgeRange | null;
  readonly ethnicity: Ethnicity | null;
  readonly voyeur: VoyeurRoom | null;
  readonly isIndependent: boolean;
  /** Tokens a minute; null when not offered. */
  readonly privatePrice: number | null;
  readonly exclusivePrice: number | null;
  readonly spyPrice: number | null;
  /** In an exclusive private show: nobody can spy on it. */
  readonly isExclusive: boolean;
  readonly controlRate: number | null;
  readonly offersCam2Cam: boolean;
  /** Accepts viewers' cameras in private shows, not just in public. */
  readonly takesPrivateCameras: boolean;
  /** A ticket show is offered or runs: no private show can begin before it is over. */
  readonly hasTicketShow: boolean;
  /** Has a fan club that can be joined. */
  readonly hasFanclub: boolean;
  readonly studio: string | null;
  readonly roles: readonly string[];
  /** May be shown on the home page; all other lists ignore this. */
  readonly isOnHome: boolean;

  /** The room. `tags` are slugs. */
  readonly topic: string;
  readonly tags: readonly string[];
  readonly status: ChatStatus;
  readonly viewerCount: number;
  /** Only viewers who enter the camera password get the video. */
  readonly isLocked: boolean;
  /** The public stream; null when there is none. */
  readonly stream: string | null;
  /** Start of the running broadcast; null when none runs. */
  readonly startedAt: number | null;
  readonly lastLiveAt: number | null;

  readonly followers: number;
  /** Average rating, 0–5; null without votes. */
  readonly rating: number | null;
  readonly privateRating: number | null;
  /** Tokens tipped in the last hour: for the ranking only, never shown. */
  readonly recentTips: number;
  /** Tokens that a running goal still needs, and its total; null without a goal. */
  readonly goal: { readonly left: number; readonly total: number } | null;
}

/** The state of performers about whom nothing is known for certain: only they and staff perceive them. */
export const UNSEEN: PerformerState = { active: false, cleared: false, isHidden: true, blockedRegions: [] };

/** Roles that reveal that somebody works for the site, which is not public. */
const STAFF: ReadonlySet<RoleName> = new Set<RoleName>(['site_mod', 'model_admin', 'admin', 'super_admin']);

/**
 * Roles with a listing, as slugs: those of the account, except staff roles, and those that follow from the
 * performer's profile.
 */
export const rolesOf = (
  roles: readonly RoleName[],
  said: Pick<ListingProfileView, 'is_independent' | 'voyeur_room'> | undefined,
): string[] => [
  ...roles.filter((role) => !STAFF.has(role)).map((role) => role.replaceAll('_', '-')),
  ...(said?.is_independent ? ['independent'] : []),
  ...(said?.voyeur_room == null ? [] : ['voyeur']),
];

/** Statuses of performers that listings show. */
const ONLINE: ReadonlySet<ChatStatus> = new Set<ChatStatus>([
  'online',
  'online_ai',
  'private',
  'limited',
  'reconnecting',
  'connected',
  'standby',
]);

/** Whether listings of online performers show this performer. */
export const isOnline = ({ startedAt, status }: DirectoryEntry): boolean =>
  startedAt !== null && ONLINE.has(status);
