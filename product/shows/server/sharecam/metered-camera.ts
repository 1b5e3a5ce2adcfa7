import {
  personChannel,
  topicPersonChannel,
  type AnyEvent,
  type PayloadOf,
} from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { cam2camEnded, cam2camReady, sharecamTick } from '../../contract/sharecam.ts';
import { costOf } from '../../rules/meter.ts';
import type { SharecamEnd } from '../../rules/sharecam.ts';
import {
  changeSharecam,
  findRunningSharecams,
  findSharecam,
  type SharecamChange,
  type SharecamRow,
} from '../../store/sharecams.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import type { Counts, Ended, Metered, MeteredProduct } from '../metering/metered.ts';
import { namesOf } from '../private/views.ts';
import { sendSharecams, type SharecamViews } from './list.ts';
import { runningSharecamView } from './views.ts';

/** A camera that was accepted, in the process that carries media. */
export type Camera = Metered<SharecamRow>;

const countedIn = ({ columns, free }: Counts): SharecamChange => ({
  ...columns,
  free_viewer: free.publisher,
  free_performer: free.reader,
});

const namesIn = ({ viewerName, performerName }: Camera) => ({
  username: viewerName,
  broadcaster: performerName,
});

/** To the viewer in the performer's room, and to the performer on all their pages. */
export async function sendBoth<E extends AnyEvent>(
  tx: Tx,
  { row }: Camera,
  event: E,
  payload: PayloadOf<E>,
): Promise<void> {
  await tx.send(topicPersonChannel(roomTopic(row.performer_id), row.viewer_id), event, payload);
  await tx.send(personChannel(row.performer_id), event, payload);
}

/** The first media reached the performer. */
async function storeReady(tx: Tx, camera: Camera): Promise<SharecamRow> {
  const row = await changeSharecam(tx, camera.row.id, { phase: 'ready', ready_at: tx.now });
  await sendBoth(tx, camera, cam2camReady, { ...namesIn(camera), mode: row.mode });
  return row;
}

function sendTick({ bus }: ShowsDependencies, camera: Camera): void {
  const { operatorId, row: { performer_id: performerId, viewer_id: viewerId } } = camera;
  const { name } = sharecamTick;
  bus.publish({
    operatorId,
    name,
    channel: topicPersonChannel(roomTopic(performerId), viewerId),
    payload: runningSharecamView(camera, 'viewer'),
  });
  bus.publish({
    operatorId,
    name,
    channel: personChannel(performerId),
    payload: runningSharecamView(camera, 'performer'),
  });
}

async function lockCamera(tx: Tx, { id }: SharecamRow): Promise<SharecamRow | 'over'> {
  const stored = await findSharecam(tx, id);
  return stored?.phase === 'started' || stored?.phase === 'ready' ? stored : 'over';
}

/** Stores the end of a camera, and notifies both people. */
async function storeEnd(
  deps: ShowsDependencies,
  views: SharecamViews,
  tx: Tx,
  camera: Camera,
  { end: reason, counts, released }: Ended<SharecamRow, SharecamEnd>,
): Promise<SharecamRow> {
  const row = await changeSharecam(tx, camera.row.id, {
    ...countedIn(counts),
    released,
    phase: 'ended',
    end_reason: reason,
    ended_at: tx.now,
  });
  await sendBoth(tx, camera, cam2camEnded, {
    ...namesIn(camera),
    mode: row.mode,
    reason,
    seconds: camera.meter.seconds,
    tokens: costOf(camera.meter),
  });
  await sendSharecams(deps, views, tx, row.performer_id);
  return row;
}

/** What the cameras of a performer depend on outside their own rows. */
interface Surroundings extends SharecamViews {
  /** Whether the private show that a camera belongs to runs. */
  readonly isShowRunning: (camera: Camera) => boolean;
}

/** Shared cameras, as `Metering` counts them: the viewer publishes, and the performer is the reader. */
export function meteredCamera(
  deps: ShowsDependencies,
  around: Surroundings,
): MeteredProduct<SharecamRow, SharecamEnd, SharecamRow> {
  const { accounts, broadcast: { cameras }, data } = deps;
  const closeStream = async ({ stream }: Camera): Promise<void> => {
    if (stream !== null) await cameras.close(stream);
  };
  return {
    timer: 'shows.sharecamTick',
    operations: {
      scope: 'shows.sharecam',
      hold: 'sharecam_hold',
      charge: 'sharecam',
      released: 'sharecam_released',
    },
    terms: async (tx, row) => {
      const nameOf = await namesOf(accounts, tx, [row.viewer_id, row.performer_id]);
      return {
        readerId: row.performer_id,
        viewerName: nameOf(row.viewer_id),
        performerName: nameOf(row.performer_id),
        limit: null,
        carried: 0,
        upfrontTokens: 0,
        free: { publisher: row.free_viewer, reader: row.free_performer },
        refundHundredths: 0,
        previewSeconds: 0,
      };
    },
    rolledBack: closeStream,
    store: (tx, { id }, counts) => changeSharecam(tx, id, countedIn(counts)),
    stops: (camera) => (camera.row.mode === 'public' || around.isShowRunning(camera) ? null : 'unavailable'),
    passed: async (camera, second) => {
      const isReady = second !== null && camera.row.phase === 'started';
      const row = isReady
        ? await data.tx({ operatorId: camera.operatorId }, (tx) => storeReady(tx, camera))
        : camera.row;
      sendTick(deps, { ...camera, row });
      return row;
    },
    // The streams of cameras are gone after a restart; held tokens are given back.
    restart: { rows: findRunningSharecams, streamOf: async () => null, endOf: async () => 'restarted' },
    ending: {
      usedUp: 'out_of_tokens',
      away: { publisher: 'no_media', reader: 'not_watched' },
      // The video is cut before anything is counted or sent.
      before: closeStream,
      lock: lockCamera,
      store: (tx, camera, ended) => storeEnd(deps, around, tx, camera, ended),
    },
  };
}
