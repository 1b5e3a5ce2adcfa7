import { personChannel, topicPersonChannel, type AnyEvent, type PayloadOf } from
  '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import {
  cam2camEnded, cam2camReady, sharecamTick, type RunningSharecamView,
} from '../../contract/sharecam.ts';
import { costOf, type Meter } from '../../rules/meter.ts';
import { mayRunSharecam, type SharecamEnd } from '../../rules/sharecam.ts';
import {
  changeSharecam, findRunningSharecams, findSharecam, type SharecamRow,
} from '../../store/sharecams.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import type { Metered, Seen } from '../metering/metered.ts';
import { Metering } from '../metering/metering.ts';
import type { RunningShows } from '../private/running.ts';
import { namesOf } from '../private/views.ts';
import { sendSharecams } from './list.ts';
import { runningSharecamView, sharecamConditions } from './views.ts';

type Camera = Metered<SharecamRow>;
type BroadcastView = Awaited<ReturnType<ShowsDependencies['broadcast']['viewOf']>>;

const meterOf = ({ price, seconds, captured, held }: SharecamRow): Meter =>
  ({ price, limit: null, seconds, carried: 0, captured, held });

/** The chat status that a broadcast implies; a lost connection does not end the broadcast. */
function statusOf({ state, mode, standby }: BroadcastView): string {
  const isLive = state === 'online' || state === 'reconnecting';
  if (isLive) return mode === 'public' ? 'online' : mode;
  return standby ? 'standby' : 'offline';
}

/** Cameras that were accepted: their stream, their meter, and their end. */
export class RunningSharecams {
  readonly #deps: ShowsDependencies;
  readonly #shows: Pick<RunningShows, 'otherOf'>;
  readonly #metering: Metering<SharecamRow>;

  /** @param shows the running private shows: a camera in one ends with it */
  constructor(deps: ShowsDependencies, shows: Pick<RunningShows, 'otherOf'>) {
    this.#deps = deps;
    this.#shows = shows;
    this.#metering = new Metering(deps, {
      timer: 'shows.sharecamTick',
      operations: {
        scope: 'shows.sharecam', hold: 'sharecam_hold', charge: 'sharecam', released: 'sharecam_released',
      },
      store: (tx, one, change) => changeSharecam(tx, one.row.id, { ...change, ...freeOf(one) }),
      count: (one) => this.#count(one),
      tick: (one, seen) => this.#tick(one, seen),
      failed: (one) => this.end(one.operatorId, one.row.id, 'out_of_tokens'),
    });
  }

  /** Ends cameras that ran before a restart: their streams are gone. Held tokens are given back. */
  async start(): Promise<void> {
    const { data, site } = this.#deps;
    this.#metering.start();
    for (const operatorId of await site.operators()) {
      for (const row of await data.tx({ operatorId }, findRunningSharecams)) {
        await data.tx({ operatorId }, (tx) => this.#add(tx, row, null));
        await this.end(operatorId, row.id, 'restarted');
      }
    }
  }

  stop(): Promise<void> {
    return this.#metering.stop();
  }

  settled(): Promise<void> {
    return this.#metering.settled();
  }

  /** Opens the stream of a camera in the unit of work that accepted it; null if too many are open. */
  async accepted(tx: Tx, row: SharecamRow): Promise<Camera | null> {
    const { operatorId } = tx;
    const { viewer_id: viewerId, performer_id: performerId, id } = row;
    const stream = this.#deps.broadcast.cameras.open({ operatorId }, {
      viewerId, performerId,
      onClosed: () => void this.end(operatorId, id, 'closed').catch(this.#deps.onError),
    });
    return stream === null ? null : this.#add(tx, row, stream);
  }

  /** Drops a camera whose unit of work was rolled back. */
  async forget(one: Camera): Promise<void> {
    this.#metering.drop(one);
    if (one.stream !== null) await this.#deps.broadcast.cameras.close(one.stream);
  }

  /** A camera by its meter, for its viewer or its performer; null for none. */
  viewOf(operatorId: number, id: number, of: 'viewer' | 'performer'): RunningSharecamView | null {
    const one = this.#metering.get(operatorId, id);
    return one ? runningSharecamView(one, of) : null;
  }

  /** The stream of a running camera; null for none. */
  streamOf(operatorId: number, id: number): string | null {
    return this.#metering.get(operatorId, id)?.stream ?? null;
  }

  /** Ends a camera; false if it was already over. */
  end(operatorId: number, id: number, reason: SharecamEnd): Promise<boolean> {
    const one = this.#metering.get(operatorId, id);
    return one ? this.#metering.inTurn(one, () => this.#end(one, reason)) : Promise.resolve(false);
  }

  /** Ends a performer's cameras that the room or its settings no longer allow. */
  async review(operatorId: number, performerId: number): Promise<void> {
    const { data, broadcast } = this.#deps;
    const cameras = this.#metering.filter(operatorId, (row) => row.performer_id === performerId);
    if (cameras.length === 0) return;
    const over = await data.tx({ operatorId }, async (tx) => {
      const status = statusOf(await broadcast.viewOf(tx, performerId));
      const refused: Camera[] = [];
      for (const one of cameras) {
        const { mode, viewer_id: viewerId } = one.row;
        const conditions = await sharecamConditions(this.#deps, tx, status, performerId, viewerId);
        if (!mayRunSharecam(mode, conditions)) refused.push(one);
      }
      return refused;
    });
    for (const one of over) await this.end(operatorId, one.row.id, 'unavailable');
  }

  async #add(tx: Tx, row: SharecamRow, stream: string | null): Promise<Camera> {
    const nameOf = await namesOf(this.#deps.accounts, tx, [row.viewer_id, row.performer_id]);
    return this.#metering.add(tx, {
      row, meter: meterOf(row), stream, readerId: row.performer_id, upfrontTokens: 0,
      free: { publisher: row.free_viewer, reader: row.free_performer },
      viewerName: nameOf(row.viewer_id), performerName: nameOf(row.performer_id),
    });
  }

  async #tick(one: Camera, seen: Seen): Promise<void> {
    const { mode, performer_id: performerId, viewer_id: viewerId } = one.row;
    if (mode === 'private' && this.#shows.otherOf(one.operatorId, performerId, viewerId) === null) {
      await this.#end(one, 'unavailable');
      return;
    }
    if (seen.isSent) {
      if (!(await this.#count(one))) {
        await this.#end(one, 'out_of_tokens');
        return;
      }
      if (one.row.phase === 'started') await this.#ready(one);
    } else {
      const away = this.#metering.idle(one, seen);
      if (away !== null) {
        await this.#end(one, away === 'publisher' ? 'no_media' : 'not_watched');
        return;
      }
    }
    await this.#metering.readWhenLow(one);
    this.#sendTick(one);
    await this.#metering.pass(one);
  }

  async #count(one: Camera): Promise<boolean> {
    if (one.row.price > 0) return this.#metering.count(one);
    one.meter = { ...one.meter, seconds: one.meter.seconds + 1 };
    return true;
  }

  /** The first media reached the performer. */
  async #ready(one: Camera): Promise<void> {
    const { data } = this.#deps;
    one.row = await data.tx({ operatorId: one.operatorId }, async (tx) => {
      const row = await changeSharecam(tx, one.row.id, { phase: 'ready', ready_at: tx.now });
      await sendBoth(tx, one, cam2camReady, { ...namesIn(one), mode: row.mode });
      return row;
    });
  }

  async #end(one: Camera, reason: SharecamEnd): Promise<boolean> {
    if (!this.#metering.has(one)) return false;
    const { data, broadcast, onError } = this.#deps;
    // The video is cut before anything is counted or sent.
    if (one.stream !== null) await broadcast.cameras.close(one.stream);
    await this.#metering.settle(one).catch(onError);
    const close = () => data.tx({ operatorId: one.operatorId }, (tx) => this.#close(tx, one, reason));
    await close().catch((error: unknown) => {
      // What was counted since the last capture is not charged, and the camera ends nevertheless.
      onError(error);
      one.meter = meterOf(one.row);
      return close();
    });
    return true;
  }

  /** Captures what is due, gives the rest back, and notifies both people. */
  async #close(tx: Tx, one: Camera, reason: SharecamEnd): Promise<void> {
    const stored = await findSharecam(tx, one.row.id);
    if (stored?.phase === 'started' || stored?.phase === 'ready') {
      const { seconds } = one.meter;
      const tokens = costOf(one.meter);
      const counts = await this.#metering.close(tx, one);
      await changeSharecam(tx, one.row.id, {
        ...counts, ...freeOf(one), phase: 'ended', end_reason: reason, ended_at: tx.now,
      });
      await sendBoth(tx, one, cam2camEnded, {
        ...namesIn(one), mode: one.row.mode, reason, seconds, tokens,
      });
    }
    this.#metering.drop(one);
    await sendSharecams(this.#deps, this, tx, one.row.performer_id);
  }

  #sendTick(one: Camera): void {
    const { operatorId, row: { performer_id: performerId, viewer_id: viewerId } } = one;
    const { bus } = this.#deps;
    const { name } = sharecamTick;
    bus.publish({
      operatorId, name, channel: topicPersonChannel(roomTopic(performerId), viewerId),
      payload: runningSharecamView(one, 'viewer'),
    });
    bus.publish({
      operatorId, name, channel: personChannel(performerId),
      payload: runningSharecamView(one, 'performer'),
    });
  }
}

/** Seconds that cost nothing, by the person whose media was missing. */
const freeOf = ({ free }: Camera) => ({ free_viewer: free.publisher, free_performer: free.reader });

const namesIn = ({ viewerName, performerName }: Camera) =>
  ({ username: viewerName, broadcaster: performerName });

/** To the viewer in the performer's room, and to the performer on all their pages. */
export async function sendBoth<E extends AnyEvent>(
  tx: Tx, { row }: Camera, event: E, payload: PayloadOf<E>,
): Promise<void> {
  await tx.send(topicPersonChannel(roomTopic(row.performer_id), row.viewer_id), event, payload);
  await tx.send(personChannel(row.performer_id), event, payload);
}

export type { Camera };
