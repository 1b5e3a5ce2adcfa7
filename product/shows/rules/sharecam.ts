import { SECOND_MS } from '#platform/time/units.ts';

/** Where a viewer shows their camera: in the performer's public room, or in their own private show. */
export const SHARECAM_MODES = ['public', 'private'] as const;
export type SharecamMode = (typeof SHARECAM_MODES)[number];

/** Phases of a sharecam, from the request on; `ready` once media reached the performer. */
const SHARECAM_PHASES = [
  'requested', 'declined', 'expired', 'withdrawn', 'started', 'ready', 'ended',
] as const;
export type SharecamPhase = (typeof SHARECAM_PHASES)[number];
/** Phases that are not over yet: a viewer has one sharecam in them, wherever it is. */
export const OPEN_SHARECAM_PHASES = [
  'requested', 'started', 'ready',
] as const satisfies readonly SharecamPhase[];

/** Why a sharecam ended. */
export const SHARECAM_ENDS = [
  'model_ended', 'user_ended',
  /** The viewer cannot pay for the next second. */
  'out_of_tokens',
  /** No media of the viewer for 30 s, or none that the performer was sent. */
  'no_media', 'not_watched',
  /** The room or its settings no longer allow it: the broadcast or the show is over, or another one began. */
  'unavailable',
  /** The viewer was banned or kicked. */
  'removed',
  /** Logged out, suspended, hidden, or more media than a camera may send. */
  'closed',
  'restarted',
] as const;
export type SharecamEnd = (typeof SHARECAM_ENDS)[number];

/** A request waits this long for its answer, as one for a private show does. */
export const SHARECAM_REQUEST_MS = 120 * SECOND_MS;
/** Cameras that one performer sees at once in public: more nobody looks at. */
export const MAX_PUBLIC_SHARECAMS = 6;
/** In a private show there is one viewer. */
export const MAX_PRIVATE_SHARECAMS = 1;
/** Requests that can wait for one performer. */
export const MAX_SHARECAM_REQUESTS = 30;
/** Tokens a minute of a performer who lets viewers share in public and has named no price. */
export const DEFAULT_SHARECAM_PRICE = 10;

/** What a performer allows (spec 2 §3.1, `userSetting.sharecam`). */
export interface SharecamOffer {
  readonly isAllowedInPrivate: boolean;
  readonly isAllowedInPublic: boolean;
  readonly pricePerMinuteInPublicInToken: number;
}

/** What a sharecam depends on, beside money. */
export interface SharecamConditions {
  readonly offer: Pick<SharecamOffer, 'isAllowedInPrivate' | 'isAllowedInPublic'>;
  /** Of the room. */
  readonly chatStatus: string;
  /** This viewer's private show with the performer starts or runs. */
  readonly isOwnPrivateRunning: boolean;
}

/** Why no camera can be shared in a mode; the codes of the refusals. */
export const SHARECAM_BARS = ['sharecam_disabled', 'sharecam_unavailable'] as const;
export type SharecamBar = (typeof SHARECAM_BARS)[number];

const isOpenRoom = (chatStatus: string): boolean => chatStatus === 'online' || chatStatus === 'standby';

/**
 * Why a camera cannot be shared in a mode, or null when it can (spec 2 §5). In private: allowed, and online,
 * standby or this viewer's private show. In public: allowed, and a ticket show, online or standby.
 */
export function barOfSharecam(mode: SharecamMode, of: SharecamConditions): SharecamBar | null {
  const isAllowed = mode === 'private' ? of.offer.isAllowedInPrivate : of.offer.isAllowedInPublic;
  if (!isAllowed) return 'sharecam_disabled';
  const isPossible = isOpenRoom(of.chatStatus)
    || (mode === 'private' ? of.isOwnPrivateRunning : of.chatStatus === 'limited');
  return isPossible ? null : 'sharecam_unavailable';
}

/**
 * Whether an accepted camera may run: what is asked for a private show waits for it, so that nobody shows
 * themselves for nothing in public.
 */
export const mayRunSharecam = (mode: SharecamMode, of: SharecamConditions): boolean =>
  barOfSharecam(mode, of) === null && (mode === 'public' || of.isOwnPrivateRunning);

/** Cameras of a mode that one performer can see at once. */
export const maxSharecams = (mode: SharecamMode): number =>
  (mode === 'private' ? MAX_PRIVATE_SHARECAMS : MAX_PUBLIC_SHARECAMS);

/** Tokens a minute: a private show is paid already. */
export const sharecamPrice = (
  mode: SharecamMode, offer: Pick<SharecamOffer, 'pricePerMinuteInPublicInToken'>,
): number => (mode === 'private' ? 0 : offer.pricePerMinuteInPublicInToken);
