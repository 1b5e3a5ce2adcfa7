import { subscribe, type Subscription } from '#platform/contract/bind.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { broadcastEnded, broadcastStarted } from '#product/broadcast/contract.ts';
import { duesPaid } from '#product/fanclubs/contract.ts';
import { DISCOUNT_PERCENT } from '#product/fanclubs/rules/benefits.ts';
import { privateStarted } from '../../contract.ts';
import type { ReceiptView, RunningPrivateView } from '../../contract/private-running.ts';
import type { ShowEvent } from '../../rules/private.ts';
import { SPY_PREVIEW_SECONDS } from '../../rules/spying.ts';
import { findRunning, type PrivateRow } from '../../store/privates.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { Metering } from '../metering/metering.ts';
import { spyOfferOf } from '../spying/offer.ts';
import { meteredShow, sendBoth, type Run, type ShowListeners } from './metered-show.ts';
import { recordingState, startedView, statsOf, watchView } from './views.ts';

/** Ticks without the performer's media after which a show that is starting has no video. */
const SILENT_TICKS_STARTING = 3;

/** And when the video of a show has moved to both people. */
interface RunListeners extends ShowListeners {
  readonly began: (run: Run) => Promise<void>;
}

/** Shows that are starting or running: their video, and what people see of their meters. */
export class RunningShows {
  readonly metering: Metering<PrivateRow, ShowEvent, ReceiptView>;
  readonly #deps: ShowsDependencies;
  readonly #listeners: RunListeners;

  constructor(deps: ShowsDependencies, listeners: RunListeners) {
    this.#deps = deps;
    this.#listeners = listeners;
    this.metering = new Metering(deps, meteredShow(deps, listeners));
  }

  /** Moves the video to both people, then notifies them. From standby this happens once the camera runs. */
  async begin({ operatorId, row: { id, performer_id: performerId } }: Run): Promise<void> {
    const { broadcast, data, onError } = this.#deps;
    const scope = { operatorId };
    await this.metering.inTurn(operatorId, id, async () => {
      const moved = await broadcast.move(scope, performerId, 'private');
      const run = this.metering.streams(operatorId, id, moved?.stream ?? null);
      if (!run) return;
      await broadcast.review(scope, performerId);
      await data.tx(scope, (tx) => this.#sendStarted(tx, run));
      await this.#listeners.began(run).catch(onError);
    });
  }

  /** Somebody's show by its meter, with the watched video from its current row; null for none. */
  viewFor(operatorId: number, row: PrivateRow, personId: number): RunningPrivateView | null {
    const run = this.metering.get(operatorId, row.id);
    if (!run) return null;
    const side = personId === run.row.viewer_id ? 'viewer' : 'performer';
    return {
      username: run.viewerName,
      broadcaster: run.performerName,
      phase: run.row.phase,
      exclusive: run.row.exclusive,
      recording: run.row.recording,
      recording_state: recordingState(row),
      cost_per_minute: run.row.price,
      requested_at: run.row.requested_at.toISOString(),
      limit: side === 'viewer' ? run.row.limit_tokens : null,
      is_paused: run.isPaused,
      watch_together: watchView(row, this.#deps.data.clock.now()),
      ...statsOf(run.meter, run.spending.spendable, side),
    };
  }

  /** Bits a second of a performer's video now; null while nothing is measured. */
  async bitsOf(tx: Tx, performerId: number): Promise<number | null> {
    const { stream } = await this.#deps.broadcast.viewOf(tx, performerId);
    return stream === null ? null : this.#deps.broadcast.bitsOf(stream);
  }

  /** The other person in the show of `personId`; null when that person is not in it. */
  otherOf(operatorId: number, performerId: number, personId: number): number | null {
    const run = this.#runOf(operatorId, performerId);
    if (run?.row.viewer_id === personId) return performerId;
    return run && performerId === personId ? run.row.viewer_id : null;
  }

  /** Delivers a deadline to a show that is starting. */
  async due({ operatorId }: OperatorScope, id: number): Promise<void> {
    const silent = this.metering.get(operatorId, id)?.silentPublisher ?? SILENT_TICKS_STARTING;
    await this.metering.end(operatorId, id, {
      kind: 'deadline',
      hasPicture: silent < SILENT_TICKS_STARTING,
    });
  }

  subscriptions(): Subscription[] {
    return [
      subscribe(broadcastStarted, 'shows.broadcastStarted')(async ({ operatorId, payload }) => {
        const run = this.#runOf(operatorId, payload.performerId);
        if (run && run.stream === null) await this.begin(run);
      }),
      // A viewer who joins the fan club during a show gets a share of later charges back.
      subscribe(duesPaid, 'shows.duesPaid')(async ({ operatorId, payload }) => {
        const { memberId, performerId, level } = payload;
        this.metering.discount(
          operatorId,
          ({ viewer_id: viewer, performer_id: performer }) =>
            viewer === memberId && performer === performerId,
          { refundPercent: DISCOUNT_PERCENT[level] },
        );
      }),
      subscribe(broadcastEnded, 'shows.broadcastEnded')(async ({ operatorId, payload: { performerId } }) => {
        const run = this.#runOf(operatorId, performerId);
        // A performer who was in standby had no broadcast to end.
        if (run && run.stream !== null) {
          await this.metering.end(operatorId, run.row.id, { kind: 'over', reason: 'unpublish' });
        }
      }),
    ];
  }

  #runOf(operatorId: number, performerId: number): Run | undefined {
    return this.metering.filter(operatorId, ({ performer_id: id }) => id === performerId)[0];
  }

  async #sendStarted(tx: Tx, run: Run): Promise<void> {
    const spying = await spyOfferOf(this.#deps, tx, run.row.performer_id);
    const preview = spying.isEnabled && !run.row.exclusive ? SPY_PREVIEW_SECONDS : 0;
    await sendBoth(tx, run, privateStarted, (side) => startedView(run, side, preview));
  }
}

/** Somebody's show that is starting or running, if it is with this performer. */
export async function showWith(tx: Tx, performerId: number, personId: number): Promise<PrivateRow | null> {
  const row = await findRunning(tx, 'performer_id', performerId);
  return row && (row.viewer_id === personId || performerId === personId) ? row : null;
}
