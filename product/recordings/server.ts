import { handleCall, subscribe, type CallHandler, type Slice } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { Refusal, RefusalDetail } from '#platform/contract/refusal.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { sessionsEnded } from '#product/accounts/contract.ts';
import { personalData } from '#product/accounts/extension-points.ts';
import { broadcastEnded, broadcastMoved } from '#product/broadcast/contract.ts';
import { join } from 'node:path';
import {
  cancelTest,
  getTest,
  getTestClip,
  recordingConsentMissing,
  recordingConsentOutdated,
  recordingUnavailable,
  recordingUnknown,
  startRecording,
  startTest,
  stopRecording,
  type OfflineVideoView,
  type PublicRecordingView,
} from './contract.ts';
import * as extensionPoints from './extension-points.ts';
import {
  FILE_REMOVAL,
  isCurrentConsent,
  RECORDING_CONSENT_VERSION,
  RECORDING_RETRY_SECONDS,
  type Judged,
  type ShowKey,
} from './rules.ts';
import type { RecordingsDependencies } from './server/dependencies.ts';
import { VideoFiles, type VideoResponse } from './server/files.ts';
import { FOR_ONE, libraryHandlers, offlineVideoOf, publicRecordingOf } from './server/library.ts';
import { OutputRecordings } from './server/output-recordings.ts';
import { PreShowTests } from './server/pre-show.ts';
import { Recorder, type RecordedShow } from './server/recorder.ts';
import {
  findPartFile,
  findPublicFile,
  publicVideoOf,
  publicVideosOf,
  showPartsOf,
  type ShowPart,
} from './server/shows.ts';
import { resetPublicRecording } from './store.ts';
import { deleteEvidence, evidenceOf, lockOfflineVideo, lockShow } from './store/evidence.ts';
import { ownRows } from './store/own-rows.ts';

export interface RecordingsService {
  /** Room data `userSetting.public_recording`. */
  readonly publicRecordingOf: (tx: Tx, performerId: number) => Promise<PublicRecordingView>;
  /** Room data of the offline video, for viewers who may see the performer. */
  readonly offlineVideoOf: (tx: Tx, performerId: number, context: CallContext) => Promise<OfflineVideoView>;
  /** Records a running show, as its performer agreed, if possible. */
  readonly recordShow: (scope: OperatorScope, performerId: number, show: RecordedShow) => Promise<void>;
  /** Ends the recording of a show; what was recorded is saved when it resolves. */
  readonly endShow: (scope: OperatorScope, performerId: number, show: ShowKey) => Promise<void>;
  /** Stops recording a show, and deletes its recording: the performer has withdrawn it. */
  readonly dropShow: (scope: OperatorScope, performerId: number, show: ShowKey) => Promise<void>;
  /** The parts recorded of a show, including one being recorded. */
  readonly showPartsOf: (tx: Tx, show: ShowKey) => Promise<readonly ShowPart[]>;
  /** Bytes of a part, for people whom `shows` allows to watch it; null without such a part. */
  readonly readShowPart: (
    scope: OperatorScope,
    show: ShowKey,
    id: number,
    range: string | null,
  ) => Promise<VideoResponse | null>;
  /** A performer's own finished public recording, locked until the unit ends; null for any other. */
  readonly publicVideoOf: typeof publicVideoOf;
  /** A performer's own finished public recordings, newest first, below an id. */
  readonly publicVideosOf: typeof publicVideosOf;
  /** Bytes of such a recording, for people whom `shows` allows to watch it; null without such a recording. */
  readonly readPublicVideo: (
    scope: OperatorScope,
    video: { readonly performerId: number; readonly id: number },
    range: string | null,
  ) => Promise<VideoResponse | null>;
  /** Serializes reports, deletions and decisions about a recorded show until the unit ends. */
  readonly lockShow: typeof lockShow;
  /** The offline video that a viewer is shown, locked like a show; null if there is none for them. */
  readonly lockOfflineVideo: (tx: Tx, performerId: number, context: CallContext) => Promise<number | null>;
  /**
   * What is stored of a recorded show, even if its performer deleted it, for people who decide on a report.
   */
  readonly evidenceOf: typeof evidenceOf;
  /** Bytes of a part of the evidence; null without such a part. */
  readonly readEvidence: (
    scope: OperatorScope,
    of: { readonly performerId: number; readonly show: Judged },
    id: number,
    range: string | null,
  ) => Promise<VideoResponse | null>;
  /** Called when nobody has to judge the show any longer: removes what its performer deleted. */
  readonly releaseEvidence: (tx: Tx, performerId: number, show: Judged) => Promise<void>;
  /** Resolves when everything the outputs have reported is saved; for tests and shutdown. */
  readonly settled: () => Promise<void>;
}

export type { ShowPart } from './server/shows.ts';
export type RecordingsSlice = Slice<RecordingsService>;

/** Performers' recordings of their own shows, their space, and the pre-show test. */
export function recordingsSlice(deps: RecordingsDependencies): RecordingsSlice {
  const { data, outputs, folder } = deps;
  const recordingFiles = new VideoFiles(join(folder, 'kept'));
  const clips = new VideoFiles(join(folder, 'tests'));
  const outputRecordings = new OutputRecordings(outputs);
  const recorder = new Recorder(deps, recordingFiles, outputRecordings);
  const tests = new PreShowTests(deps, clips, outputRecordings);
  const readForOne = (scope: OperatorScope, file: string, range: string | null) =>
    recordingFiles.read(scope.operatorId, file, { range, download: null, cacheControl: FOR_ONE });
  return {
    name: 'recordings',
    needsMedia: true,
    extensionPoints,
    extensions: [implement(personalData, ownRows)],
    service: {
      offlineVideoOf: (tx, performerId, context) => offlineVideoOf(deps, tx, performerId, context),
      recordShow: (scope, performerId, show) => recorder.startShow(scope, performerId, show),
      endShow: (scope, performerId, show) => recorder.endShow(scope, performerId, show),
      dropShow: (scope, performerId, show) => recorder.dropShow(scope, performerId, show),
      showPartsOf,
      readShowPart: async (scope, show, id, range) => {
        const file = await data.tx(scope, (tx) => findPartFile(tx, show, id));
        return file === null ? null : readForOne(scope, file, range);
      },
      publicRecordingOf,
      publicVideoOf,
      publicVideosOf,
      lockShow,
      evidenceOf,
      releaseEvidence,
      lockOfflineVideo: (tx, performerId, context) => lockShownVideo(deps, tx, performerId, context),
      readPublicVideo: async (scope, { performerId, id }, range) => {
        const file = await data.tx(scope, (tx) => findPublicFile(tx, performerId, id));
        return file === null ? null : readForOne(scope, file, range);
      },
      readEvidence: async (scope, { performerId, show }, id, range) => {
        const parts = await data.tx(scope, (tx) => evidenceOf(tx, performerId, show));
        const file = parts.find((part) => part.id === id)?.file;
        return file === undefined ? null : readForOne(scope, file, range);
      },
      settled: async () => {
        await recorder.idle();
        await tests.idle();
      },
    },
    callHandlers: [
      ...recordingHandlers(recorder),
      ...libraryHandlers(deps, recorder, recordingFiles),
      ...testHandlers(tests, clips),
    ],
    subscriptions: [
      subscribe(broadcastEnded, 'recordings.broadcastEnded')(async ({ operatorId, at, payload }) => {
        const { performerId } = payload;
        await recorder.stopUnlessOnAir({ operatorId }, performerId);
        await data.tx({ operatorId }, (tx) => resetPublicRecording(tx, performerId, at));
      }),
      subscribe(broadcastMoved, 'recordings.broadcastMoved')(({ operatorId, payload }) =>
        recorder.stopUnlessOnAir({ operatorId }, payload.performerId)
      ),
      subscribe(sessionsEnded, 'recordings.sessionsEnded')((
        { operatorId, payload: { personId, sessionIds } },
      ) => tests.sessionsEnded({ operatorId }, personId, sessionIds)),
    ],
    deadlineHandlers: [...tests.deadlineHandlers(), {
      kind: FILE_REMOVAL,
      handle: ({ operatorId, key }) => recordingFiles.remove(operatorId, key),
    }],
    start: async () => {
      await recorder.open();
      await tests.open();
    },
    stop: async () => {
      await tests.close();
      await recorder.close();
      outputRecordings.close();
    },
  };
}

const lockShownVideo = async (
  { broadcast }: RecordingsDependencies,
  tx: Tx,
  performerId: number,
  context: CallContext,
): Promise<
  number | null
> => (await broadcast.sightOf(tx, context, performerId, 'public') ? lockOfflineVideo(tx, performerId) : null);

async function releaseEvidence(tx: Tx, performerId: number, show: Judged): Promise<void> {
  for (const file of await deleteEvidence(tx, performerId, show)) {
    await tx.schedule({ kind: FILE_REMOVAL, key: file, at: tx.now });
  }
}

/** Only `recordingUnavailable` is temporary and gets a `Retry-After`. */
const retryOf = (
  refused: Refusal,
): RefusalDetail => (refused === recordingUnavailable ? { retryAfterSeconds: RECORDING_RETRY_SECONDS } : {});

function recordingHandlers(recorder: Recorder): CallHandler[] {
  return [
    handleCall(startRecording)(async ({ consent, consent_version: shown }, context) => {
      if (!consent) return context.refuse(recordingConsentMissing);
      const version = RECORDING_CONSENT_VERSION;
      if (!isCurrentConsent(shown, version)) {
        return context.refuse(recordingConsentOutdated, { extra: { version } });
      }
      const begun = await recorder.start(context.scope, context.personId);
      if (!('refused' in begun)) return { status: 1, id: begun.id, startedAt: begun.startedAt.toISOString() };
      return context.refuse(begun.refused, retryOf(begun.refused));
    }),
    handleCall(stopRecording)(async (_input, context) => {
      const isStopped = await recorder.stop(context.scope, context.personId, 'public');
      return isStopped ? { status: 1 } : context.refuse(recordingUnknown);
    }),
  ];
}

function testHandlers(tests: PreShowTests, clips: VideoFiles): CallHandler[] {
  return [
    handleCall(startTest)(async (_input, context) => {
      const { scope, caller: { sessionId } } = context;
      const performerId = context.personId;
      if (sessionId === null) throw new Error('the permission table let nobody in');
      const refused = await tests.begin(scope, performerId, sessionId);
      if (refused === null) return tests.viewOf(scope, performerId);
      return context.refuse(refused, retryOf(refused));
    }),
    handleCall(getTest)(async (_input, context) => tests.viewOf(context.scope, context.personId)),
    handleCall(cancelTest)(async (_input, context) => {
      await tests.cancel(context.scope, context.personId);
      return { status: 1 };
    }),
    handleCall(getTestClip)(async (_input, context) => {
      const { scope, range } = context;
      const clip = tests.clipOf(scope, context.personId);
      const video = clip === null ? null : await clips.read(scope.operatorId, clip, {
        range,
        download: null,
        cacheControl: FOR_ONE,
      });
      return video ?? context.refuse(recordingUnknown);
    }),
  ];
}
