import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { BytesAnswer, Health, NoBody, notLive } from '#product/broadcast/contract.ts';
import { pictureUnknown } from '#product/broadcast/contract/pictures.ts';
import { alreadyLive } from '#product/broadcast/contract/settings.ts';
import { clearanceMissing } from '#product/compliance/contract.ts';
import { z } from 'zod';
import {
  MAX_RECORDINGS_PER_PAGE,
  RECORDED_SHOWS,
  RECORDING_MODES,
  RECORDING_STATES,
  TEST_STATES,
} from './rules.ts';

const slice = 'recordings';
/** Version of the text shown before consent; if absent, the current text counts as read. */
export const ConsentVersion = z.int().min(1);
export const recordingRuns = refusal({
  slice,
  code: 'recording_runs',
  kind: 'conflict',
  description: 'This broadcast is being recorded already.',
});
export const recordingUnknown = refusal({
  slice,
  code: 'recording_unknown',
  kind: 'absent',
  description: 'There is no such recording of yours.',
});
export const recordingSpaceFull = refusal({
  slice,
  code: 'recording_space_full',
  kind: 'conflict',
  description: 'The space for recordings is used up: delete one first.',
});
export const recordingConsentMissing = refusal({
  slice,
  code: 'recording_consent_missing',
  kind: 'invalid',
  description: 'A recording needs the consent of the performer, given for this one recording.',
});
export const recordingConsentOutdated = refusal({
  slice,
  code: 'recording_consent_outdated',
  kind: 'conflict',
  description: 'The consent is to another version of its text than the current one (`version`).',
});
export const recordingUnavailable = refusal({
  slice,
  code: 'recording_unavailable',
  kind: 'limited',
  description: 'This machine cannot record now; try again in a moment.',
});

/** One recording, for its owner. */
export const Recording = z.object({
  id: z.int(),
  title: z.string(),
  state: z.enum(RECORDING_STATES),
  startedAt: z.string(),
  /**
   * `limited`: of a ticket show, for its performer and its buyers; `private`: for both people in the show.
   */
  mode: z.enum(RECORDING_MODES),
  seconds: z.int(),
  bytes: z.int(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  /** When the performer agreed to this recording, and to which text. */
  consent: z.object({ at: z.string(), version: z.int() }),
  /** Who appears in it, each with the clearance valid at the time. */
  people: z.array(z.object({ username: z.string(), clearance_id: z.int() })),
  isOfflineVideo: z.boolean(),
});
const Space = z.object({
  usedBytes: z.int(),
  quotaBytes: z.int(),
  state: z.enum(['ok', 'near', 'full']),
});
/** Room data `userSetting.public_recording` (spec 2 §3.1). */
export const PublicRecording = z.object({
  isEnabled: z.boolean(),
  isRecording: z.boolean(),
  pricePerMinuteInToken: z.int().min(0).max(10_000),
  recordingEnd: z.string().nullable(),
});
export type PublicRecordingView = z.infer<typeof PublicRecording>;
/** Room data of the offline video (spec 2 §3.1); nulls while there is none. */
export const OfflineVideo = z.object({
  videoUrl: z.string().nullable(),
  videoWidth: z.int().nullable(),
  videoHeight: z.int().nullable(),
});
export type OfflineVideoView = z.infer<typeof OfflineVideo>;
export const listRecordings = call({
  name: 'recordings.listRecordings',
  method: 'GET',
  path: '/video/recordings',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    before: z.int().positive().optional(),
    limit: z.int().min(1).max(MAX_RECORDINGS_PER_PAGE).optional(),
  }),
  output: z.object({
    recordings: z.array(Recording),
    next: z.int().nullable(),
    space: Space,
    /** Id of the running recording. */
    running: z.int().nullable(),
    publicRecording: PublicRecording,
  }),
  refusals: [],
  summary: 'The own recordings',
  description: 'Newest first; `before` is the last id of the previous page.',
});
export const startRecording = call({
  name: 'recordings.startRecording',
  method: 'POST',
  path: '/video/recordings',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ consent: z.boolean(), consent_version: ConsentVersion.optional() }),
  output: z.object({ status: z.literal(1), id: z.int(), startedAt: z.string() }),
  refusals: [
    notLive,
    recordingRuns,
    recordingSpaceFull,
    recordingConsentMissing,
    recordingConsentOutdated,
    recordingUnavailable,
  ],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Record the own broadcast',
  description: 'From the next keyframe, until stopped, the broadcast ends or moves, or a limit is reached.',
});
export const stopRecording = call({
  name: 'recordings.stopRecording',
  method: 'POST',
  path: '/video/recordings/stop',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1) }),
  refusals: [recordingUnknown],
  summary: 'Stop recording',
  description: 'The file is complete in the reply. A recording of a show ends with the show.',
});
export const getRecordingFile = call({
  name: 'recordings.getRecordingFile',
  method: 'GET',
  path: '/video/recordings/:id/file',
  access: 'performer',
  credential: 'cookie',
  media: { accepts: 'video/mp4', answers: 'video/mp4' },
  limit: { points: 600, seconds: 60, per: 'caller' },
  input: z.object({ id: z.int().positive(), download: z.enum(['1']).optional(), body: NoBody }),
  output: BytesAnswer,
  refusals: [recordingUnknown],
  summary: 'The file of an own recording',
  description: 'MP4. Supports one Range of bytes (RFC 9110 §14). A response is at most 8 MB: without a '
    + 'Range, a longer file is cut to its beginning, as 206.',
});
export const deleteRecording = call({
  name: 'recordings.deleteRecording',
  method: 'DELETE',
  path: '/video/recordings/:id',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ id: z.int().positive() }),
  output: z.object({ status: z.literal(1) }),
  refusals: [recordingUnknown],
  summary: 'Delete an own recording',
  description: 'Deletes the file at once, and stops a running recording first.',
});
export const setOfflineVideo = call({
  name: 'recordings.setOfflineVideo',
  method: 'POST',
  path: '/video/offline_video',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ recording_id: z.int().positive().nullable() }),
  output: z.object({ status: z.literal(1) }),
  refusals: [recordingUnknown],
  summary: 'Choose the offline video',
  description: 'A recording shown in the room while offline; null for none. Only one of a public broadcast.',
});
export const getOfflineVideo = call({
  name: 'recordings.getOfflineVideo',
  method: 'GET',
  path: '/offline-videos/:username',
  root: true,
  access: 'anyone',
  credential: 'cookie',
  media: { accepts: 'video/mp4', answers: 'video/mp4' },
  limit: { points: 600, seconds: 60, per: 'caller' },
  input: z.object({ username: z.string().max(64), v: z.string().max(64).optional(), body: NoBody }),
  output: BytesAnswer,
  refusals: [pictureUnknown],
  summary: 'The offline video of a performer',
  description: 'As `getRecordingFile`, for viewers who may watch the performer in public.',
});

export const setPublicRecording = call({
  name: 'recordings.setPublicRecording',
  method: 'POST',
  path: '/video/public_recording',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ isEnabled: z.boolean(), pricePerMinuteInToken: z.int().min(0).max(10_000) }),
  output: PublicRecording,
  refusals: [],
  summary: 'Whether public shows may be recorded, and for how much',
  description: 'Shown in the room as `userSetting.public_recording`.',
});

/** The running recording, for the performer's own tabs. */
const Running = z.object({ id: z.int(), startedAt: z.string() });
export const recordingsChanged = event({
  name: 'v3.recordings.changed',
  socket: 'both',
  from: 'server',
  shape: z.object({ running: Running.nullable(), space: Space }),
  description: 'To the performer\'s own tabs: a recording began or ended, or the state of the space changed.',
});

export const recordingChanged = fact({
  name: 'recordings.recordingChanged',
  shape: z.object({ performerId: z.int() }),
  description: 'A recording of a performer began or ended. Subscribers read whether one runs.',
});

export const recordingDeleted = fact({
  name: 'recordings.recordingDeleted',
  shape: z.object({ performerId: z.int(), id: z.int() }),
  description: 'The performer deleted a recording: nobody plays it again.',
});

export const showRecordingDeleted = fact({
  name: 'recordings.showRecordingDeleted',
  shape: z.object({
    performerId: z.int(),
    showId: z.int(),
    mode: z.enum(RECORDED_SHOWS),
  }),
  description: 'The performer deleted a recording of a show, or a part of it: nobody plays it again.',
});

/** The pre-show test: 10 s over the real path to the server, played back to the performer only. */
export const BroadcastTest = z.object({
  state: z.enum(TEST_STATES),
  seconds: z.int(),
  advice: z.array(z.string()),
  health: Health.nullable(),
  /** Kind of its publisher; null before one has connected. */
  source: z.enum(['browser', 'encoder']).nullable(),
  /** Whether a publisher is diverted now: an encoder until it stops or the test is cancelled. */
  isSending: z.boolean(),
});
export const startTest = call({
  name: 'recordings.startTest',
  method: 'POST',
  path: '/broadcast/test',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: BroadcastTest,
  refusals: [alreadyLive, clearanceMissing, recordingUnavailable],
  limit: { points: 20, seconds: 600, per: 'caller' },
  summary: 'Begin a pre-show test',
  description: 'The next publisher with a key of this performer, within two minutes, is recorded for 10 s '
    + 'and shown to nobody else. A browser is cut then; an encoder, which would reconnect by itself, stays '
    + 'hidden until it stops.',
});
export const getTest = call({
  name: 'recordings.getTest',
  method: 'GET',
  path: '/broadcast/test',
  access: 'performer',
  credential: 'cookie',
  // Enough for two tabs that call it every second.
  limit: { points: 300, seconds: 60, per: 'caller' },
  input: z.object({}),
  output: BroadcastTest,
  refusals: [],
  summary: 'The state of the pre-show test',
  description: 'Call it every second while it waits or records.',
});
export const cancelTest = call({
  name: 'recordings.cancelTest',
  method: 'DELETE',
  path: '/broadcast/test',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1) }),
  refusals: [],
  summary: 'End the pre-show test',
  description: 'Cuts its publisher and deletes its clip. An encoder that reconnects then is on air.',
});
export const getTestClip = call({
  name: 'recordings.getTestClip',
  method: 'GET',
  path: '/broadcast/test/clip',
  access: 'performer',
  credential: 'cookie',
  media: { accepts: 'video/mp4', answers: 'video/mp4' },
  input: z.object({ v: z.string().max(64).optional(), body: NoBody }),
  output: BytesAnswer,
  refusals: [recordingUnknown],
  summary: 'The clip of the pre-show test',
  description: 'MP4, stored for 10 minutes or until the next test.',
});
