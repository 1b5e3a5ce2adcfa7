import type { LocalTicket } from '../../engine.ts';

/** A stream to be read once. */
export interface PictureOrder {
  readonly job: number;
  readonly ticket: LocalTicket;
}

/** The result; null when none could be made in time. */
export interface PictureNews {
  readonly job: number;
  readonly picture: Uint8Array | null;
}
