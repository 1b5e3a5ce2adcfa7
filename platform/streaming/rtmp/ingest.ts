import type { IngestTrouble, LocalTicket, MediaFeature } from '../engine.ts';

/** What an RTMP client asked for with `publish`; nothing of its media was read yet. */
export interface RtmpAsked {
  /** The stream key: the name it publishes, without a query. */
  readonly key: string;
  /** Its application, `live` as OBS writes it. */
  readonly app: string;
  /** IP address of the other end. */
  readonly address: string;
  /**
   * The session it had before, which is over although it goes on sending. Whoever ended or replaced that
   * session refuses; whose relay was lost gets another place.
   */
  readonly lost?: string;
}

/**
 * What is done with B-frames, which browsers do not show over WebRTC: refused, or encoded again without them.
 * While no transcoder is free they are copied, for HLS alone.
 */
export type BFramePolicy = 'refuse' | 'transcode';

export type RtmpAdmission =
  | { readonly admitted: true; readonly feed: LocalTicket; readonly bFrames: BFramePolicy }
  /** The client gets `reason` as the description of its `onStatus` error. */
  | { readonly admitted: false; readonly reason: string };

export type RtmpReport =
  | { readonly kind: 'trouble'; readonly session: string; readonly trouble: IngestTrouble | null }
  /** Its client means to stop while no relay carries the session, which would say so otherwise. */
  | { readonly kind: 'finished'; readonly session: string; readonly key: string };

/**
 * Ingest over RTMP at `rtmp://host:port/live`. Each publisher is a local publisher of the engine: its reports
 * come from there, by the session of its ticket.
 */
export interface RtmpIngest {
  /** Listens. `admit` is asked for each publisher before any media of it is read; it must not reject. */
  readonly start: (admit: (asked: RtmpAsked) => Promise<RtmpAdmission>) => Promise<void>;
  readonly features: () => readonly MediaFeature[];
  readonly onReport: (listener: (report: RtmpReport) => void) => () => void;
  readonly close: () => Promise<void>;
}
