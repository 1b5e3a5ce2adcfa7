import type { Tx } from '#platform/data/data.ts';
import { findRecordingsOf } from '../../store/ticket-recordings.ts';
import { findRecordedShows } from '../../store/tickets.ts';

/** A ticket show whose recording its buyers can watch. */
export interface RecordedShow {
  readonly id: number;
  readonly performerId: number;
  readonly message: string;
  readonly startedAt: Date;
  readonly recordedMs: number;
  /** Price of the recording during the show, in tokens. */
  readonly recordingPrice: number;
}

/** Newest first, below an id. */
export const recordedShows = async (
  tx: Tx,
  before: number | null,
  limit: number,
): Promise<readonly RecordedShow[]> =>
  (await findRecordedShows(tx, before, limit)).map((row) => ({
    id: row.id,
    performerId: row.performer_id,
    message: row.message,
    startedAt: row.started_at ?? row.starts_at,
    recordedMs: row.recorded_ms ?? 0,
    recordingPrice: row.recording_price,
  }));

/** The shows among these whose recordings a viewer paid for. */
export const recordingsPaidBy = async (
  tx: Tx,
  viewerId: number,
  showIds: readonly number[],
): Promise<ReadonlySet<number>> => {
  const bought = [...(await findRecordingsOf(tx, viewerId, showIds)).values()];
  return new Set(bought.filter(({ state }) => state === 'paid').map((item) => item.show_id));
};
