import type { PayloadOf } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import type { AccountsService, Person } from '#product/accounts/server.ts';
import type { privateStarted } from '../../contract.ts';
import type { ReceiptView, RunningPrivateView, WatchTogetherView } from '../../contract/private-running.ts';
import type { PrivateRequestView } from '../../contract/private-show.ts';
import { costOf, prepaidSeconds, refundOf, secondsLeft, type Meter } from '../../rules/meter.ts';
import {
  balanceBand,
  recordingStateOf,
  watchedAt,
  type PrivateRecordingState,
  type Watched,
} from '../../rules/private.ts';
import type { PrivateChange, PrivateRow } from '../../store/privates.ts';
import type { Metered } from '../metering/metered.ts';
import type { Spending } from '../metering/spending.ts';

/** Usernames of people; throws if somebody has none. */
export async function namesOf(
  { findMany }: Pick<AccountsService, 'findMany'>,
  tx: Tx,
  ids: readonly number[],
): Promise<(id: number) => string> {
  const people: ReadonlyMap<number, Person> = await findMany(tx, [...new Set(ids)]);
  return (id) => {
    const person = people.get(id);
    if (!person) throw new Error(`person ${id} of a show has no account`);
    return person.username;
  };
}

/** The most that the seconds of a show may cost: the tip before them counts towards the viewer's limit. */
export const limitOf = (
  { limit_tokens: limit, pre_tip: preTip }: PrivateRow,
): number | null => (limit === null ? null : limit - preTip);

/** State of a show's recording; null for a show without one. */
export const recordingState = (row: PrivateRow): PrivateRecordingState | null =>
  recordingStateOf({
    phase: row.phase,
    isAgreed: row.recording_performer_at !== null,
    isWithdrawn: row.recording_withdrawn_at !== null,
    isRecorded: row.is_recorded,
    recordedMs: row.recorded_ms,
  });

/** When a request expires: now, if it no longer has a deadline. */
export const expiryOf = (deadline: Date | null, now: Date) => ({
  expires_in_seconds: Math.max(0, Math.ceil(((deadline ?? now).getTime() - now.getTime()) / SECOND_MS)),
  expires_at: (deadline ?? now).toISOString(),
});

/** A request: for its performer with a band of the viewer's balance, for its viewer without. */
export const requestView = (
  row: PrivateRow,
  nameOf: (id: number) => string,
  now: Date,
  balance: number | null,
): PrivateRequestView => ({
  username: nameOf(row.viewer_id),
  broadcaster: nameOf(row.performer_id),
  exclusive: row.exclusive,
  recording: row.recording,
  cost_per_minute: row.price,
  pre_tip: row.pre_tip,
  balance_band: balance === null ? null : balanceBand(
    row.price,
    Math.max(0, Math.min(balance, row.limit_tokens ?? balance) - row.pre_tip),
  ),
  requested_at: row.requested_at.toISOString(),
  ...expiryOf(row.deadline, now),
});

/** Columns of a row while nothing is watched together. */
export const NOTHING_WATCHED = {
  watch_id: null,
  watch_length_ms: null,
  watch_position_ms: null,
  watch_is_playing: null,
  watch_at: null,
} as const satisfies PrivateChange;

/** The video watched in a show, as of its last change; null for none. */
export function watchedOf(row: PrivateRow): Watched | null {
  const { watch_id: id, watch_length_ms: lengthMs, watch_position_ms: positionMs, watch_at: at } = row;
  if (id === null || lengthMs === null || positionMs === null || at === null) return null;
  return { id, lengthMs, positionMs, isPlaying: row.watch_is_playing === true, at: at.getTime() };
}

/** The video watched in a show, at its current position. */
export function watchView(row: PrivateRow, now: Date): WatchTogetherView | null {
  const stored = watchedOf(row);
  if (!stored) return null;
  const { id, lengthMs, positionMs, isPlaying } = watchedAt(stored, now.getTime());
  return {
    id,
    length_ms: lengthMs,
    position_ms: positionMs,
    is_playing: isPlaying,
    at: now.toISOString(),
  };
}

/** The numbers of a running show, for its viewer or its performer. */
export const statsOf = (
  meter: Meter,
  balance: number,
  of: 'viewer' | 'performer',
): Pick<
  RunningPrivateView,
  | 'privatePrepaidTimeLeftSeconds'
  | 'privateStreamTimeInSecond'
  | 'privateTokenCount'
  | 'privateUserTimeLeftInSecond'
> => ({
  privatePrepaidTimeLeftSeconds: prepaidSeconds(meter),
  privateStreamTimeInSecond: meter.seconds,
  privateTokenCount: costOf(meter),
  // The performer must not learn how many tokens the viewer has.
  privateUserTimeLeftInSecond: of === 'viewer' ? secondsLeft(meter, balance) : prepaidSeconds(meter),
});

/** What the viewer or the performer is sent when their show starts. */
export function startedView(
  { row, meter, spending, viewerName, performerName, stream }:
    & Pick<
      Metered<PrivateRow>,
      'meter' | 'viewerName' | 'performerName' | 'stream'
    >
    & {
      readonly row: Pick<PrivateRow, 'price' | 'exclusive'>;
      readonly spending: Pick<Spending, 'spendable'>;
    },
  to: 'viewer' | 'performer',
  previewSeconds: number,
): PayloadOf<typeof privateStarted> {
  const stats = statsOf(meter, spending.spendable, to);
  return {
    username: viewerName,
    broadcaster: performerName,
    cost_per_minute: row.price,
    prepaid_seconds: stats.privatePrepaidTimeLeftSeconds,
    remaining_seconds: stats.privateUserTimeLeftInSecond,
    duration: stats.privateStreamTimeInSecond,
    tokens_charged: stats.privateTokenCount,
    freeSpyPreviewDuration: previewSeconds,
    type: row.exclusive ? 'exclusive' : 'private',
    source: 'web',
    stream,
  };
}

export const receiptView = (
  row: PrivateRow,
  nameOf: (id: number) => string,
  readerId: number,
): ReceiptView => {
  const { started_at: startedAt, ended_at: endedAt, end_reason: reason } = row;
  if (endedAt === null || reason === null) throw new Error(`show ${row.id} has no end and no receipt`);
  return {
    id: row.id,
    username: nameOf(row.viewer_id),
    broadcaster: nameOf(row.performer_id),
    exclusive: row.exclusive,
    recording: row.recording,
    recording_state: recordingState(row),
    cost_per_minute: row.price,
    seconds: row.seconds,
    free_seconds: { performer: row.free_performer, viewer: row.free_viewer },
    tokens: row.captured,
    pre_tip: startedAt === null ? 0 : row.pre_tip,
    released: row.released,
    fanclub_refund: refundOf(row.refund_hundredths),
    limit: readerId === row.viewer_id ? row.limit_tokens : null,
    reason_ended: reason,
    requested_at: row.requested_at.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    ended_at: endedAt.toISOString(),
  };
};
