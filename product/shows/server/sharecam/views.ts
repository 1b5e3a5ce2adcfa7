import type { Tx } from '#platform/data/data.ts';
import type {
  RunningSharecamView,
  SharecamReceiptView,
  SharecamRequestView,
} from '../../contract/sharecam.ts';
import { costOf, secondsLeft } from '../../rules/meter.ts';
import type { SharecamConditions, SharecamOffer } from '../../rules/sharecam.ts';
import { findRunning } from '../../store/privates.ts';
import type { SharecamRow } from '../../store/sharecams.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import type { Metered } from '../metering/metered.ts';
import { expiryOf } from '../private/views.ts';
import { sharecamOfferOf } from './settings.ts';

/** A request, for its viewer or its performer. */
export const sharecamRequestView = (
  row: SharecamRow,
  nameOf: (id: number) => string,
  now: Date,
): SharecamRequestView => ({
  username: nameOf(row.viewer_id),
  broadcaster: nameOf(row.performer_id),
  mode: row.mode,
  cost_per_minute: row.price,
  requested_at: row.requested_at.toISOString(),
  ...expiryOf(row.deadline, now),
});

/** A running camera, for its viewer or its performer; only the viewer sees how long the tokens last. */
export function runningSharecamView(
  { row, meter, spending, isPaused, viewerName, performerName }: Metered<SharecamRow>,
  of: 'viewer' | 'performer',
): RunningSharecamView {
  if (row.accepted_at === null) throw new Error(`sharecam ${row.id} was never accepted`);
  return {
    username: viewerName,
    broadcaster: performerName,
    mode: row.mode,
    is_ready: row.phase === 'ready',
    is_paused: isPaused,
    cost_per_minute: row.price,
    seconds: meter.seconds,
    tokens: costOf(meter),
    seconds_left: of === 'performer' || row.price === 0 ? null : secondsLeft(meter, spending.spendable),
    accepted_at: row.accepted_at.toISOString(),
  };
}

/** A receipt of a camera that is over, for its viewer or its performer. */
export function sharecamReceipt(row: SharecamRow, nameOf: (id: number) => string): SharecamReceiptView {
  const { accepted_at: startedAt, ended_at: endedAt, end_reason: reason } = row;
  if (startedAt === null || endedAt === null || reason === null) {
    throw new Error(`sharecam ${row.id} has no end and no receipt`);
  }
  return {
    id: row.id,
    username: nameOf(row.viewer_id),
    broadcaster: nameOf(row.performer_id),
    cost_per_minute: row.price,
    seconds: row.seconds,
    free_seconds: { performer: row.free_performer, viewer: row.free_viewer },
    tokens: row.captured,
    released: row.released,
    reason_ended: reason,
    started_at: startedAt.toISOString(),
    ended_at: endedAt.toISOString(),
  };
}

/** What the rules depend on, for a performer's room and one viewer at this moment. */
export async function sharecamConditions(
  deps: Pick<ShowsDependencies, 'performers'>,
  tx: Tx,
  chatStatus: string,
  performerId: number,
  viewerId: number,
): Promise<SharecamConditions & { readonly offer: SharecamOffer }> {
  const show = await findRunning(tx, 'performer_id', performerId);
  return {
    offer: await sharecamOfferOf(deps, tx, performerId),
    chatStatus,
    isOwnPrivateRunning: show?.viewer_id === viewerId,
  };
}
