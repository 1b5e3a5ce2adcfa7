import type { LocalTicket } from '../../engine.ts';

/** A stream to be looked at once. */
export interface PictureOrder {
  readonly job: number;
  readonly ticket: LocalTicket;
}

/** What became of it; null when nothing could be made of the stream in time. */
export interface PictureNews {
  readonly job: number;
  readonly picture: Uint8Array | null;
}
