import type { Tx } from '../../../platform/data/data.ts';
import { partsOfShows, type StoredRecording } from '../store.ts';

/** A part of a recorded ticket show; a show without an interruption has one. */
export interface ShowPart {
  readonly id: number;
  readonly showId: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly width: number | null;
  readonly height: number | null;
  /** Its end is not known yet. */
  readonly isRunning: boolean;
}

const partOf = ({ id, showId, startedAt, durationMs, width, height, state }: StoredRecording): ShowPart => ({
  id, showId: showId ?? 0, startedAt, durationMs, width, height, isRunning: state === 'recording',
});

/** What was recorded of ticket shows, in its order. */
export const showPartsOf = async (tx: Tx, showIds: readonly number[]): Promise<readonly ShowPart[]> =>
  (await partsOfShows(tx, showIds)).map(partOf);

/** The file of a part that is complete; null for one of another show. */
export async function findPartFile(tx: Tx, showId: number, id: number): Promise<string | null> {
  const parts = await partsOfShows(tx, [showId]);
  return parts.find((part) => part.id === id && part.state !== 'recording')?.file ?? null;
}
