import { subscribe, type Subscription } from '#platform/contract/bind.ts';
import { topicPersonChannel } from '#platform/contract/event.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { duesPaid } from '#product/fanclubs/contract.ts';
import { spiesFree } from '#product/fanclubs/rules/benefits.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { spyStarted, type RunningSpyView, type SpyReceiptView } from '../../contract/spying.ts';
import type { SpyEndReason } from '../../rules/spying.ts';
import { findRunning } from '../../store/privates.ts';
import { findSpy, type SpyRow } from '../../store/spies.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { Metering } from '../metering/metering.ts';
import type { ModeOf } from '../modes.ts';
import { heldFor, meteredSpy, runningSpyView, sendAudience, showStreamOf, type Spy } from './metered-spy.ts';

/** A spy has the mode `spy` while the show runs and is not exclusive. */
export const spyMode: ModeOf = async (tx, personId, performerId) => {
  const spy = await findSpy(tx, personId);
  if (spy?.performer_id !== performerId) return null;
  const show = await findRunning(tx, 'performer_id', performerId);
  return show?.id === spy.private_id && !show.exclusive ? 'spy' : null;
};

/** What a unit of work that starts spying can do. */
export interface SpyStart {
  /** Ends the viewer's spying elsewhere. */
  readonly leave: (tx: Tx) => Promise<void>;
  /** Takes up the new spy, and notifies them. */
  readonly started: (row: SpyRow) => Promise<Spy>;
}

/** Viewers who spy on the private shows of this process. */
export class RunningSpies {
  readonly metering: Metering<SpyRow, SpyEndReason, SpyReceiptView>;
  readonly #deps: ShowsDependencies;

  constructor(deps: ShowsDependencies) {
    this.#deps = deps;
    this.metering = new Metering(deps, meteredSpy(deps));
  }

  /**
   * Does a unit of work that can start somebody's spying.
   * @param elsewhere where they spy until then; it ends only if the unit does
   */
  unit<T>(
    scope: OperatorScope,
    elsewhere: SpyRow | null,
    work: (tx: Tx, start: SpyStart) => Promise<T>,
  ): Promise<T> {
    const { operatorId } = scope;
    return this.metering.insteadOf(
      { operatorId, id: elsewhere?.id ?? null, end: 'user_ended' },
      (leave) =>
        this.metering.unit(scope, (tx, takeUp) =>
          work(tx, {
            leave,
            started: async (row) => {
              const spy = await takeUp(row, await showStreamOf(this.#deps, tx, row.performer_id));
              await tx.send(topicPersonChannel(roomTopic(row.performer_id), row.viewer_id), spyStarted, {
                broadcaster: spy.performerName,
                cost_per_minute: row.price,
                preview_seconds: row.preview,
                stream: spy.stream,
              });
              await sendAudience(tx, row);
              return spy;
            },
          })),
    );
  }

  /** Totals of somebody's spying; null for viewers who do not spy in this process. */
  viewOf(operatorId: number, { id }: Pick<SpyRow, 'id'>): RunningSpyView | null {
    const spy = this.metering.get(operatorId, id);
    return spy && runningSpyView(spy);
  }

  /** Ends the spying of everybody on a private show that is over. */
  showEnded(operatorId: number, privateId: number): Promise<void> {
    return this.metering.endAll(operatorId, ({ private_id: id }) => id === privateId, 'show_ended');
  }

  /** Ends a person's spying anywhere, because they enter a show of their own. */
  leaves(operatorId: number, viewerId: number): Promise<void> {
    return this.metering.endAll(operatorId, ({ viewer_id: id }) => id === viewerId, 'user_ended');
  }

  /** A viewer who joins the fan club while spying pays for no later second. */
  subscriptions(): Subscription[] {
    return [
      subscribe(duesPaid, 'shows.spies.duesPaid')(async ({ operatorId, payload }) => {
        if (!spiesFree(payload.level)) return;
        this.metering.discount(
          operatorId,
          ({ viewer_id: viewer, performer_id: performer }) =>
            viewer === payload.memberId && performer === payload.performerId,
          { clubSeconds: 0 },
        );
      }),
    ];
  }

  /** Tokens that would be given back if the spying of a row ended now. */
  heldBy(operatorId: number, { id }: Pick<SpyRow, 'id'>): number {
    const spy = this.metering.get(operatorId, id);
    return spy ? heldFor(spy) : 0;
  }
}
