import type { CallContext } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Blobs } from '#platform/data/blobs.ts';
import type { Bus, Data } from '#platform/data/data.ts';
import type { RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import type { MediaPlane } from '#platform/streaming/media-plane.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { SiteService } from '#product/site/server.ts';
import type { z } from 'zod';
import type { BroadcastState } from '../contract.ts';
import type { PlaybackMode } from '../rules.ts';
import type { IceSettings } from './ice.ts';

export interface BroadcastDependencies {
  readonly data: Data;
  readonly bus: Bus;
  readonly limits: RateLimitStore;
  readonly extensions: Extensions;
  readonly site: SiteService;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly media: MediaPlane;
  readonly blobs: Blobs;
  /** STUN and TURN servers for browsers and encoders. */
  readonly ice: IceSettings;
  /** TCP port of RTMP ingest, for its address; null when it is turned off. */
  readonly rtmpPort: number | null;
  /** The site's secret; seals playback tokens. */
  readonly secret: string;
  /** Logs errors of background work, such as handling an engine report. */
  readonly onError: (error: unknown) => void;
}

/** A performer's broadcast as other slices see it. */
export interface BroadcastView {
  readonly performerId: number;
  /** Of the running broadcast; null while offline. */
  readonly broadcastId: number | null;
  readonly state: z.infer<typeof BroadcastState>;
  /** Stream name while online or reconnecting; else null. */
  readonly stream: string | null;
  /** Who may watch; public while offline. */
  readonly mode: PlaybackMode;
  readonly title: string;
  readonly tags: readonly string[];
  readonly startedAt: Date | null;
  /** Offline, but available soon; shown in the room. */
  readonly standby: boolean;
  /** End of the last broadcast; null before the first has ended. */
  readonly lastOnlineAt: Date | null;
}

/** The performer and session of a call that only performers may make. */
export function performerOf({ caller }: CallContext): { performerId: number; sessionId: string } {
  const { personId, sessionId } = caller;
  if (personId === null || sessionId === null) throw new Error('a performer call has no session');
  return { performerId: personId, sessionId };
}

/** WHIP URL of the called site. */
export const whipUrlOf = ({ origin }: CallContext): string => `${origin}/whip`;

/** RTMP URL of the called site; null where RTMP is off. */
export function rtmpUrlOf(
  { media, rtmpPort }: BroadcastDependencies,
  { origin }: CallContext,
): string | null {
  const isOn = media.rtmp?.features().some(({ on }) => on) ?? false;
  return isOn && rtmpPort !== null ? `rtmp://${new URL(origin).hostname}:${rtmpPort}/live` : null;
}
