import type { OperatorScope, Tx } from '#platform/data/data.ts';
import type { RunningSharecamView } from '../../contract/sharecam.ts';
import { mayRunSharecam, type SharecamEnd } from '../../rules/sharecam.ts';
import type { SharecamRow } from '../../store/sharecams.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { Metering } from '../metering/metering.ts';
import type { RunningShows } from '../private/running.ts';
import { meteredCamera, type Camera } from './metered-camera.ts';
import { runningSharecamView, sharecamConditions } from './views.ts';

type BroadcastView = Awaited<ReturnType<ShowsDependencies['broadcast']['viewOf']>>;

/** The chat status that a broadcast implies; a lost connection does not end the broadcast. */
function statusOf({ state, mode, standby }: BroadcastView): string {
  const isLive = state === 'online' || state === 'reconnecting';
  if (isLive) return mode === 'public' ? 'online' : mode;
  return standby ? 'standby' : 'offline';
}

/** Cameras that were accepted: their streams, and what people see of their meters. */
export class RunningSharecams {
  readonly metering: Metering<SharecamRow, SharecamEnd, SharecamRow>;
  readonly #deps: ShowsDependencies;

  /** @param shows the running private shows: a camera in one ends with it */
  constructor(deps: ShowsDependencies, shows: Pick<RunningShows, 'otherOf'>) {
    this.#deps = deps;
    this.metering = new Metering(
      deps,
      meteredCamera(deps, {
        viewOf: (...of) => this.viewOf(...of),
        isShowRunning: ({ operatorId, row: { performer_id: performerId, viewer_id: viewerId } }) =>
          shows.otherOf(operatorId, performerId, viewerId) !== null,
      }),
    );
  }

  /** Does a unit of work that can open the stream of an accepted camera: null if too many are open. */
  unit<T>(
    scope: OperatorScope,
    work: (tx: Tx, open: (row: SharecamRow) => Promise<Camera | null>) => Promise<T>,
  ): Promise<T> {
    return this.metering.unit(scope, (tx, takeUp) =>
      work(tx, async (row) => {
        const stream = this.#deps.broadcast.cameras.open(scope, {
          viewerId: row.viewer_id,
          performerId: row.performer_id,
          onClosed: () =>
            void this.metering.end(scope.operatorId, row.id, 'closed').catch(this.#deps.onError),
        });
        return stream === null ? null : takeUp(row, stream);
      }));
  }

  /** A camera by its meter, for its viewer or its performer; null for none. */
  viewOf(operatorId: number, id: number, of: 'viewer' | 'performer'): RunningSharecamView | null {
    const camera = this.metering.get(operatorId, id);
    return camera && runningSharecamView(camera, of);
  }

  /** The stream of a running camera; null for none. */
  streamOf(operatorId: number, id: number): string | null {
    return this.metering.get(operatorId, id)?.stream ?? null;
  }

  /** Ends a performer's cameras that the room or its settings no longer allow. */
  async review(operatorId: number, performerId: number): Promise<void> {
    const { data, broadcast } = this.#deps;
    const cameras = this.metering.filter(operatorId, (row) => row.performer_id === performerId);
    if (cameras.length === 0) return;
    const over = await data.tx({ operatorId }, async (tx) => {
      const status = statusOf(await broadcast.viewOf(tx, performerId));
      const refused: Camera[] = [];
      for (const camera of cameras) {
        const { mode, viewer_id: viewerId } = camera.row;
        const conditions = await sharecamConditions(this.#deps, tx, status, performerId, viewerId);
        if (!mayRunSharecam(mode, conditions)) refused.push(camera);
      }
      return refused;
    });
    for (const { row } of over) await this.metering.end(operatorId, row.id, 'unavailable');
  }
}
