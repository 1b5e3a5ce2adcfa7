import type { z } from 'zod';
import type { CallContext, Caller } from '../../../platform/contract/context.ts';
import { slot, type Slots } from '../../../platform/contract/slot.ts';
import type { Blobs } from '../../../platform/data/blobs.ts';
import type { Bus, Data, Tx } from '../../../platform/data/data.ts';
import type { MediaPlane } from '../../../platform/streaming/media-plane.ts';
import type { AccountsService } from '../../accounts/server.ts';
import type { ComplianceService, Viewer } from '../../compliance/server.ts';
import type { SiteService } from '../../site/server.ts';
import type { BroadcastState } from '../contract.ts';
import type { PlaybackMode } from '../rules.ts';
import type { IceSettings } from './ice/ice.ts';

export interface BroadcastDependencies {
  readonly data: Data;
  readonly bus: Bus;
  readonly slots: Slots;
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
  /** Logs a fault nobody waits for: in an engine report. */
  readonly onFault: (error: unknown) => void;
}

/** The public face of a performer's broadcast. */
export interface BroadcastView {
  readonly performerId: number;
  /** Of the broadcast that runs; null while offline. */
  readonly broadcastId: number | null;
  readonly state: z.infer<typeof BroadcastState>;
  /** Name of the stream while there is something to see (online, reconnecting); else null. */
  readonly stream: string | null;
  /** Whom it is played to; public while offline. */
  readonly mode: PlaybackMode;
  readonly title: string;
  readonly tags: readonly string[];
  readonly startedAt: Date | null;
  /** Offline, but near: the room says so. */
  readonly standby: boolean;
  /** End of the last broadcast; null before the first one ended. */
  readonly lastOnlineAt: Date | null;
}

/**
 * Whether a broadcast in a mode is played to a viewer, beside `compliance.mayPerceive`, which is always asked
 * first. Answers are remembered for half a second; `BroadcastService.review` makes a change felt at once.
 */
export interface PlaybackAdmits {
  /** By the viewer as he is: caller, region, gate. */
  readonly admits: (
    tx: Tx, viewer: Viewer, performerId: number, mode: PlaybackMode,
  ) => Promise<boolean>;
  /** Who is asked for by himself in a mode. The others get one answer, asked once for all of them. */
  readonly singlesOut: (
    tx: Tx, performerId: number, mode: PlaybackMode,
  ) => Promise<(caller: Caller) => boolean>;
}
export const playbackAdmits = slot<PlaybackAdmits>({
  name: 'broadcast.playbackAdmits',
  description: 'Who a private broadcast is played to: the performer alone, unless a show lets others in.',
  fallback: {
    admits: async (_tx, { caller }, performerId, mode) =>
      mode === 'public' || caller.personId === performerId,
    singlesOut: async (_tx, _performerId, mode) => () => mode !== 'public',
  },
});

/** The person and session behind a call only performers may make. */
export function performerOf({ caller }: CallContext): { performerId: number; sessionId: string } {
  const { personId, sessionId } = caller;
  if (personId === null || sessionId === null) throw new Error('the permission table let nobody in');
  return { performerId: personId, sessionId };
}

/** Where a performer of the site that was called publishes over WHIP. */
export const whipUrlOf = ({ origin }: CallContext): string => `${origin}/whip`;

/** Where she publishes over RTMP; null where that is not possible. */
export function rtmpUrlOf(
  { media, rtmpPort }: BroadcastDependencies, { origin }: CallContext,
): string | null {
  const isOn = media.rtmp?.features().some(({ on }) => on) ?? false;
  return isOn && rtmpPort !== null ? `rtmp://${new URL(origin).hostname}:${rtmpPort}/live` : null;
}
