import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { pictureUnknown } from '#product/broadcast/contract/pictures.ts';
import { pictureCaching } from '#product/broadcast/server.ts';
import {
  deleteRecording,
  getOfflineVideo,
  getRecordingFile,
  listRecordings,
  recordingUnknown,
  setOfflineVideo,
  setPublicRecording,
  type OfflineVideoView,
  type PublicRecordingView,
} from '../contract.ts';
import { MAX_RECORDING_MS, RECORDINGS_PER_PAGE } from '../rules.ts';
import {
  findChoices,
  findRecording,
  findRunning,
  pageOfRecordings,
  peopleOf,
  saveOfflineVideo,
  savePublicRecording,
  type StoredRecording,
} from '../store.ts';
import type { RecordingsDependencies } from './dependencies.ts';
import type { VideoFiles } from './files.ts';
import type { Recorder } from './recorder.ts';

/** For one person only: no cache may store it, not even the browser's. */
export const FOR_ONE = 'private, no-store';
/** Seconds a browser may keep an offline video: its URL changes with it. */
const SHOWN_SECONDS = 3_600;

/** Room data `userSetting.public_recording` (spec 2 §3.1). */
export async function publicRecordingOf(tx: Tx, performerId: number): Promise<PublicRecordingView> {
  const { publicEnabled, publicPriceTokens } = await findChoices(tx, performerId);
  const found = await findRunning(tx, performerId);
  // A show's recording is not shown in the room.
  const running = found?.mode === 'public' ? found : null;
  const end = running && new Date(running.startedAt.getTime() + MAX_RECORDING_MS);
  return {
    isEnabled: publicEnabled,
    isRecording: running !== null,
    pricePerMinuteInToken: publicPriceTokens,
    recordingEnd: end?.toISOString() ?? null,
  };
}

/** The recording a performer chose as offline video; null without one. */
async function offlineRecording(tx: Tx, performerId: number): Promise<StoredRecording | null> {
  const { offlineRecordingId: id } = await findChoices(tx, performerId);
  const chosen = id === null ? null : await findRecording(tx, performerId, id);
  return chosen?.mode === 'public' ? chosen : null;
}

/** Room data `userSetting` of the offline video (spec 2 §3.1), for a viewer who may see the performer. */
export async function offlineVideoOf(
  { accounts, broadcast }: RecordingsDependencies,
  tx: Tx,
  performerId: number,
  context: CallContext,
): Promise<OfflineVideoView> {
  const chosen = await offlineRecording(tx, performerId);
  const person = await accounts.findById(tx, performerId);
  if (!chosen || !person || !(await broadcast.sightOf(tx, context, performerId, 'public'))) {
    return { videoUrl: null, videoWidth: null, videoHeight: null };
  }
  const videoUrl = `/offline-videos/${person.username}?v=${chosen.id}`;
  return { videoUrl, videoWidth: chosen.width, videoHeight: chosen.height };
}

/** Handlers to list, play, download, choose and delete the performer's own recordings. */
export function libraryHandlers(
  deps: RecordingsDependencies,
  recorder: Recorder,
  files: VideoFiles,
): CallHandler[] {
  const { data, accounts } = deps;
  return [
    handleCall(listRecordings)(async ({ before = null, limit = RECORDINGS_PER_PAGE }, context) => {
      const performerId = context.personId;
      const space = await recorder.spaceOf(context.scope, performerId);
      const runningBytes = await recorder.runningBytes(context.scope, performerId);
      return data.tx(context.scope, async (tx) => {
        const page = await pageOfRecordings(tx, performerId, { before, limit: limit + 1 });
        const { page: shown, next } = pageOf(page, limit);
        const people = await peopleOf(tx, shown.map(({ id }) => id));
        const known = await accounts.findMany(tx, [...new Set(people.map((person) => person.performerId))]);
        const { offlineRecordingId } = await findChoices(tx, performerId);
        const recordings = shown.map((recording) => ({
          ...viewOf(recording, tx.now, runningBytes),
          isOfflineVideo: recording.id === offlineRecordingId,
          people: people.filter(({ recordingId }) => recordingId === recording.id).map((seen) => ({
            username: known.get(seen.performerId)?.username ?? '',
            clearance_id: seen.clearanceId,
          })),
        }));
        return {
          recordings,
          space,
          next,
          running: (await findRunning(tx, performerId))?.id ?? null,
          publicRecording: await publicRecordingOf(tx, performerId),
        };
      });
    }),
    handleCall(getRecordingFile)(async ({ id, download }, context) => {
      const { scope, range } = context;
      const found = await data.tx(scope, (tx) => findRecording(tx, context.personId, id));
      const video = found && await files.read(scope.operatorId, found.file, {
        range,
        cacheControl: FOR_ONE,
        download: download === undefined ? null : fileNameOf(found),
      });
      return video ?? context.refuse(recordingUnknown);
    }),
    handleCall(deleteRecording)(async ({ id }, context) => {
      const isGone = await recorder.delete(context.scope, context.personId, id);
      return isGone ? { status: 1 } : context.refuse(recordingUnknown);
    }),
    ...choiceHandlers(deps, files),
  ];
}

function choiceHandlers(
  { data, accounts, broadcast }: RecordingsDependencies,
  files: VideoFiles,
): CallHandler[] {
  return [
    handleCall(setOfflineVideo)(async ({ recording_id: id }, context) => {
      const performerId = context.personId;
      const isSet = await data.tx(context.scope, async (tx) => {
        // A running recording may still capture something the performer does not want to show, and a show's
        // recording is only for the viewers who bought or requested it.
        const chosen = id === null ? null : await findRecording(tx, performerId, id);
        if (id !== null && (chosen?.mode !== 'public' || chosen.state === 'recording')) return false;
        await saveOfflineVideo(tx, performerId, id);
        return true;
      });
      return isSet ? { status: 1 } : context.refuse(recordingUnknown);
    }),
    handleCall(getOfflineVideo)(async ({ username }, context) => {
      const { scope, range } = context;
      const found = await data.tx(scope, async (tx) => {
        const person = await accounts.findByUsername(tx, normalizeUsername(username));
        const sight = person && await broadcast.sightOf(tx, context, person.id, 'public');
        const chosen = sight && await offlineRecording(tx, person.id);
        return chosen && { file: chosen.file, cacheControl: pictureCaching(sight, SHOWN_SECONDS) };
      });
      const video = found && await files.read(scope.operatorId, found.file, {
        range,
        download: null,
        cacheControl: found.cacheControl,
      });
      return video ?? context.refuse(pictureUnknown);
    }),
    handleCall(setPublicRecording)((input, context) =>
      data.tx(context.scope, async (tx) => {
        const performerId = context.personId;
        await savePublicRecording(tx, performerId, input.isEnabled, input.pricePerMinuteInToken);
        return publicRecordingOf(tx, performerId);
      })
    ),
  ];
}

/** A recording for its owner, with the current length and size while it runs. */
function viewOf(one: StoredRecording, now: Date, runningBytes: number) {
  const isRunning = one.state === 'recording';
  const ms = isRunning ? now.getTime() - one.startedAt.getTime() : one.durationMs;
  return {
    id: one.id,
    title: one.title,
    mode: one.mode,
    state: one.state,
    startedAt: one.startedAt.toISOString(),
    seconds: Math.floor(ms / 1_000),
    bytes: isRunning ? runningBytes : one.bytes,
    width: one.width,
    height: one.height,
    consent: { at: one.consentAt.toISOString(), version: one.consentVersion },
  };
}

/** `recording-2026-01-15-12-00-00.mp4`, from its start in UTC. */
const fileNameOf = ({ startedAt }: StoredRecording): string =>
  `recording-${startedAt.toISOString().slice(0, 19).replaceAll(/[T:]/gu, '-')}.mp4`;
