import { SECOND_MS } from '#platform/time/units.ts';

/** Where a viewer shows their camera: in the performer's public room, or in their own private show. */
export const SHARECAM_MODES = ['public', 'private'] as const;
export type SharecamMode = (typeof SHARECAM_MODES)[number];

/** Phases of a sharecam, from the request on; `ready` once media reached the performer. */
const SHARECAM_PHASES = [
  'requested',
  'declined',
  'expired',
  'withdrawn',
  'started',
  'ready',
  'ended',
] as const;
export type SharecamPhase = (typeof SHARECAM_PHASES)[number];
/** Phases that are not over yet: a viewer has at most one sharecam in them, in any room. */
export const OPEN_SHARECAM_PHASES = [
  'requested',
  'started',
  'ready',
] as const satisfies readonly SharecamPhase[];

/** Why a sharecam ended. */
export const SHARECAM_ENDS = [
  'model_ended',
  'user_ended',
  /** The viewer cannot pay for the next second. */
  'out_of_tokens',
  /** No media from the viewer for 30 s, or none of it was sent to the performer. */
  'no_media',
  'not_watched',
  /** The room or its settings no longer allow it: the broadcast or show is over, or another show began. */
  'unavailable',
  /** The viewer was banned or kicked. */
  'removed',
  /** Log-out, suspension, a hidden performer, or more media than a camera may send. */
  'closed',
  'restarted',
] as const;
export type SharecamEnd = (typeof SHARECAM_ENDS)[number];

/** A request waits this long for an answer, like a request for a private show. */
export const SHARECAM_REQUEST_MS = 120 * SECOND_MS;
/** Cameras that one performer sees at once in public: nobody looks at more. */
export const MAX_PUBLIC_SHARECAMS = 6;
/** A private show has one viewer. */
export const MAX_PRIVATE_SHARECAMS = 1;
/** Pending requests to one performer. */
export const MAX_SHARECAM_REQUESTS = 30;
/** Tokens a minute of a performer who lets viewers share in public and has set no price. */
export const DEFAULT_SHARECAM_PRICE = 10;

/** Which cameras a performer allows (spec 2 §3.1, `userSetting.sharecam`). */
export interface SharecamOffer {
  readonly isAllowedInPrivate: boolean;
  readonly isAllowedInPublic: boolean;
  readonly pricePerMinuteInPublicInToken: number;
}

/** What a sharecam depends on, besides money. */
export interface SharecamConditions {
  readonly offer: Pick<SharecamOffer, 'isAllowedInPrivate' | 'isAllowedInPublic'>;
  /** Chat status of the room. */
  readonly chatStatus: string;
  /** This viewer's private show with the performer is starting or running. */
  readonly isOwnPrivateRunning: boolean;
}

/** Why no camera can be shared in a mode; the codes of the refusals. */
export const SHARECAM_BARS = ['sharecam_disabled', 'sharecam_unavailable'] as const;
export type SharecamBar = (typeof SHARECAM_BARS)[number];

const isOpenRoom = (chatStatus: string): boolean => chatStatus === 'online' || chatStatus === 'standby';

/**
 * Why a camera cannot be shared in a mode, or null when it can (spec 2 §5). In private: the performer allows
 * it, and the room is online, in standby or in this viewer's private show. In public: the performer allows
 * it, and the room is online, in standby or in a ticket show.
 */
export function barOfSharecam(mode: SharecamMode, of: SharecamConditions): SharecamBar | null {
  const isAllowed = mode === 'private' ? of.offer.isAllowedInPrivate : of.offer.isAllowedInPublic;
  if (!isAllowed) return 'sharecam_disabled';
  const isPossible = isOpenRoom(of.chatStatus)
    || (mode === 'private' ? of.isOwnPrivateRunning : of.chatStatus === 'limited');
  return isPossible ? null : 'sharecam_unavailable';
}

/**
 * Whether an accepted camera may run: a camera for a private show waits until the show starts, so that nobody
 * shows themselves for free in public.
 */
export const mayRunSharecam = (mode: SharecamMode, of: SharecamConditions): boolean =>
  barOfSharecam(mode, of) === null && (mode === 'public' || of.isOwnPrivateRunning);

/** Cameras of a mode that one performer can see at once. */
export const maxSharecams = (
  mode: SharecamMode,
): number => (mode === 'private' ? MAX_PRIVATE_SHARECAMS : MAX_PUBLIC_SHARECAMS);

/** Tokens a minute: free in a private show, which is paid already. */
export const sharecamPrice = (
  mode: SharecamMode,
  offer: Pick<SharecamOffer, 'pricePerMinuteInPublicInToken'>,
): number => (mode === 'private' ? 0 : offer.pricePerMinuteInPublicInToken);
