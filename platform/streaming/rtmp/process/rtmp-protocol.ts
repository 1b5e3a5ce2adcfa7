import type { ChildEntry } from '../../child-entry.ts';
import type { RtmpAdmission, RtmpAsked, RtmpReport } from '../ingest.ts';

/** What the RTMP process is started with, as JSON in its first argument. */
export interface RtmpSettings {
  readonly port: number;
  readonly bindAddress: string | undefined;
  readonly transcoder: ChildEntry;
  readonly transcoders: number;
}

/** RTMP process to parent. */
export type RtmpMessageUp =
  | { readonly kind: 'ready'; readonly port: number }
  /** It cannot run here, and a retry will not help soon: its port is taken, or a library is missing. */
  | { readonly kind: 'unfit'; readonly detail: string }
  | { readonly kind: 'asked'; readonly request: number; readonly asked: RtmpAsked }
  | RtmpReport;

/** Parent to RTMP process. */
export type RtmpMessageDown = {
  readonly kind: 'admission';
  readonly request: number;
  readonly admission: RtmpAdmission;
};
