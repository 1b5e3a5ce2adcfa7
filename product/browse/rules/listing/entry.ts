import type { GenderCode, RoleName } from '#product/accounts/rules.ts';
import type { PerformerState } from '#product/compliance/rules.ts';
import type { ListingProfileView } from '#product/performers/contract.ts';
import type {
  AgeRange, BrowseRegion, Ethnicity, VoyeurRoom,
} from '#product/performers/rules.ts';
import type { ChatStatus } from '#product/rooms/rules.ts';

/** What the directory knows of a performer, live or not. Times are milliseconds since 1970. */
export interface DirectoryEntry {
  readonly id: number;
  readonly username: string;
  readonly displayName: string;
  readonly gender: GenderCode | null;
  readonly avatarUrl: string | null;
  readonly registeredAt: number;
  /** ISO 639-1 codes. */
  readonly languages: readonly string[];
  /** What `compliance` decides by who may see this performer. */
  readonly state: PerformerState;

  /** What the performer says of themselves. */
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
  /** Takes cameras in private shows, and not in public alone. */
  readonly takesPrivateCameras: boolean;
  /** A ticket show is offered or runs: no private show can begin before it is over. */
  readonly hasTicketShow: boolean;
  /** A fan club that can be joined. */
  readonly hasFanclub: boolean;
  readonly studio: string | null;
  readonly roles: readonly string[];
  /** They may be shown on the home page; everywhere else they are all the same. */
  readonly isOnHome: boolean;

  /** The room. `tags` are slugs. */
  readonly topic: string;
  readonly tags: readonly string[];
  readonly status: ChatStatus;
  readonly viewerCount: number;
  /** Only who enters the camera password sees the picture. */
  readonly isLocked: boolean;
  /** The public stream; null when there is none. */
  readonly stream: string | null;
  /** Start of the broadcast that runs; null when none does. */
  readonly startedAt: number | null;
  readonly lastLiveAt: number | null;

  readonly followers: number;
  /** Average of what viewers gave, 0–5; null without votes. */
  readonly rating: number | null;
  readonly privateRating: number | null;
  /** Tokens tipped in the last hour: for the ranking alone, shown to nobody. */
  readonly recentTips: number;
  /** Tokens that a running goal still lacks, and all of it; null without a goal. */
  readonly goal: { readonly left: number; readonly total: number } | null;
}

/** The state of whom nothing is known for sure: nobody but they and staff perceive them. */
export const UNSEEN: PerformerState = { active: false, cleared: false, isHidden: true, blockedRegions: [] };

/** Roles that say who works for the site, which is nobody else's business. */
const STAFF: ReadonlySet<RoleName> = new Set<RoleName>(['site_mod', 'model_admin', 'admin', 'super_admin']);

/**
 * Roles with a listing, as slugs: those of the account, but staff's, and those that follow from what a
 * performer says of themselves.
 */
export const rolesOf = (
  roles: readonly RoleName[], said: Pick<ListingProfileView, 'is_independent' | 'voyeur_room'> | undefined,
): string[] => [
  ...roles.filter((role) => !STAFF.has(role)).map((role) => role.replaceAll('_', '-')),
  ...(said?.is_independent ? ['independent'] : []),
  ...(said?.voyeur_room == null ? [] : ['voyeur']),
];

/** Statuses of performers that listings show. */
const ONLINE: ReadonlySet<ChatStatus> = new Set<ChatStatus>([
  'online', 'online_ai', 'private', 'limited', 'reconnecting', 'connected', 'standby',
]);

/** Whether listings of who is online show this performer. */
export const isOnline = ({ startedAt, status }: DirectoryEntry): boolean =>
  startedAt !== null && ONLINE.has(status);
