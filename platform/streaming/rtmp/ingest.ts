import type { IngestTrouble, LocalTicket, MediaFeature } from '../engine.ts';

/** A `publish` request of an RTMP client, before any of its media is read. */
export interface RtmpAsked {
  /** The stream key: the name it publishes, without a query. */
  readonly key: string;
  /** Its application, `live` as OBS writes it. */
  readonly app: string;
  /** IP address of the other end. */
  readonly address: string;
  /**
   * Its previous session, which is over although the client goes on sending. A session that was ended or
   * replaced on purpose is refused; a publisher whose relay was lost is admitted again.
   */
  readonly lost?: string;
}

/**
 * What happens to B-frames, which browsers do not show over WebRTC: refused, or re-encoded without them.
 * While no transcoder is free they are copied, for HLS alone.
 */
export type BFramePolicy = 'refuse' | 'transcode';

export type RtmpAdmission =
  | { readonly admitted: true; readonly feed: LocalTicket; readonly bFrames: BFramePolicy }
  /** The client gets `reason` as the description of its `onStatus` error. */
  | { readonly admitted: false; readonly reason: string };

export type RtmpReport =
  | { readonly kind: 'trouble'; readonly session: string; readonly trouble: IngestTrouble | null }
  /** The client stops on purpose while no relay carries its session, which would report it otherwise. */
  | { readonly kind: 'finished'; readonly session: string; readonly key: string };

/**
 * Ingest over RTMP at `rtmp://host:port/live`. Each publisher is a local publisher of the engine: its reports
 * come from there, by the session of its ticket.
 */
export interface RtmpIngest {
  /** Listens. `admit` is called for each publisher before any of its media is read; it must not reject. */
  readonly start: (admit: (asked: RtmpAsked) => Promise<RtmpAdmission>) => Promise<void>;
  readonly features: () => readonly MediaFeature[];
  readonly onReport: (listener: (report: RtmpReport) => void) => () => void;
  readonly close: () => Promise<void>;
}
