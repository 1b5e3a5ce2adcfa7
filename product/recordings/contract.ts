import { z } from 'zod';
import { call } from '../../platform/contract/call.ts';
import { event } from '../../platform/contract/event.ts';
import { refusal } from '../../platform/contract/refusal.ts';
import { alreadyLive, BytesAnswer, Health, NoBody, notLive, pictureUnknown } from '../broadcast/contract.ts';
import { clearanceMissing } from '../compliance/contract.ts';
import { MAX_RECORDINGS_PER_PAGE, RECORDING_STATES, TEST_STATES } from './rules.ts';

const slice = 'recordings';
export const recordingRuns = refusal({
  slice, code: 'recording_runs', kind: 'conflict', description: 'This broadcast is being recorded already.',
});
export const recordingUnknown = refusal({
  slice, code: 'recording_unknown', kind: 'absent', description: 'There is no such recording of yours.',
});
export const recordingSpaceFull = refusal({
  slice, code: 'recording_space_full', kind: 'conflict',
  description: 'The space for recordings is used up: delete one first.',
});
export const recordingConsentMissing = refusal({
  slice, code: 'recording_consent_missing', kind: 'invalid',
  description: 'A recording needs the consent of the performer, given for this one recording.',
});
export const recordingUnavailable = refusal({
  slice, code: 'recording_unavailable', kind: 'limited',
  description: 'This machine cannot record now; try again in a moment.',
});

/** One recording, as its owner sees it. */
export const Recording = z.object({
  id: z.int(), title: z.string(), state: z.enum(RECORDING_STATES), startedAt: z.string(),
  seconds: z.int(), bytes: z.int(), width: z.int().nullable(), height: z.int().nullable(),
  /** When the performer agreed to this recording, and to which text. */
  consent: z.object({ at: z.string(), version: z.int() }),
  /** Who is seen in it, each with the clearance that was valid then. */
  people: z.array(z.object({ username: z.string(), clearance_id: z.int() })),
  isOfflineVideo: z.boolean(),
});
const Space = z.object({
  usedBytes: z.int(), quotaBytes: z.int(), state: z.enum(['ok', 'near', 'full']),
});
/** Room data `userSetting.public_recording` (spec 2 §3.1). */
export const PublicRecording = z.object({
  isEnabled: z.boolean(), isRecording: z.boolean(), pricePerMinuteInToken: z.int().min(0).max(10_000),
  recordingEnd: z.string().nullable(),
});
export type PublicRecordingView = z.infer<typeof PublicRecording>;
/** Room data of the offline video (spec 2 §3.1); nulls while there is none. */
export const OfflineVideo = z.object({
  videoUrl: z.string().nullable(), videoWidth: z.int().nullable(), videoHeight: z.int().nullable(),
});
export type OfflineVideoView = z.infer<typeof OfflineVideo>;
export const listRecordings = call({
  name: 'recordings.listRecordings', method: 'GET', path: '/video/recordings', access: 'performer',
  credential: 'cookie',
  input: z.object({
    before: z.int().positive().optional(), limit: z.int().min(1).max(MAX_RECORDINGS_PER_PAGE).optional(),
  }),
  output: z.object({
    recordings: z.array(Recording), next: z.int().nullable(), space: Space,
    /** Id of the one that runs. */
    running: z.int().nullable(), publicRecording: PublicRecording,
  }),
  refusals: [],
  summary: 'The own recordings', description: 'Newest first; `before` is the id to go on from.',
});
export const startRecording = call({
  name: 'recordings.startRecording', method: 'POST', path: '/video/recordings', access: 'performer',
  credential: 'cookie', input: z.object({ consent: z.boolean() }),
  output: z.object({ status: z.literal(1), id: z.int(), startedAt: z.string() }),
  refusals: [notLive, recordingRuns, recordingSpaceFull, recordingConsentMissing, recordingUnavailable],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Record the own broadcast',
  description: 'From the next keyframe, until stopped, the broadcast ends or moves, or a limit is reached.',
});
export const stopRecording = call({
  name: 'recordings.stopRecording', method: 'POST', path: '/video/recordings/stop', access: 'performer',
  credential: 'cookie', input: z.object({}), output: z.object({ status: z.literal(1) }),
  refusals: [recordingUnknown],
  summary: 'Stop recording', description: 'The file is whole when this answers.',
});
export const getRecordingFile = call({
  name: 'recordings.getRecordingFile', method: 'GET', path: '/video/recordings/:id/file', access: 'performer',
  credential: 'cookie', media: { accepts: 'video/mp4', answers: 'video/mp4' },
  limit: { points: 600, seconds: 60, per: 'caller' },
  input: z.object({ id: z.int().positive(), download: z.enum(['1']).optional(), body: NoBody }),
  output: BytesAnswer, refusals: [recordingUnknown],
  summary: 'The file of an own recording',
  description: 'MP4. One Range of bytes (RFC 9110 §14) is honoured. Answers are at most 8 MB long: without '
    + 'a Range, a longer file is answered by its beginning, as 206.',
});
export const deleteRecording = call({
  name: 'recordings.deleteRecording', method: 'DELETE', path: '/video/recordings/:id', access: 'performer',
  credential: 'cookie', input: z.object({ id: z.int().positive() }),
  output: z.object({ status: z.literal(1) }), refusals: [recordingUnknown],
  summary: 'Delete an own recording', description: 'The file goes at once. One that runs is stopped first.',
});
export const setOfflineVideo = call({
  name: 'recordings.setOfflineVideo', method: 'POST', path: '/video/offline_video', access: 'performer',
  credential: 'cookie', input: z.object({ recording_id: z.int().positive().nullable() }),
  output: z.object({ status: z.literal(1) }), refusals: [recordingUnknown],
  summary: 'Choose the offline video',
  description: 'A recording shown in the room while offline; null for none.',
});
export const getOfflineVideo = call({
  name: 'recordings.getOfflineVideo', method: 'GET', path: '/offline-videos/:username', root: true,
  access: 'anyone', credential: 'cookie', media: { accepts: 'video/mp4', answers: 'video/mp4' },
  limit: { points: 600, seconds: 60, per: 'caller' },
  input: z.object({ username: z.string().max(64), v: z.string().max(64).optional(), body: NoBody }),
  output: BytesAnswer, refusals: [pictureUnknown],
  summary: 'The offline video of a performer', description: 'As `getRecordingFile`, for whoever may see her.',
});

export const setPublicRecording = call({
  name: 'recordings.setPublicRecording', method: 'POST', path: '/video/public_recording', access: 'performer',
  credential: 'cookie',
  input: z.object({ isEnabled: z.boolean(), pricePerMinuteInToken: z.int().min(0).max(10_000) }),
  output: PublicRecording, refusals: [],
  summary: 'Whether public shows may be recorded, and for how much',
  description: 'Shown in the room as `userSetting.public_recording`.',
});

/** The recording of the present broadcast, for the performer's own tabs. */
const Running = z.object({ id: z.int(), startedAt: z.string() });
export const recordingsChanged = event({
  name: 'v3.recordings.changed', socket: 'both', from: 'server',
  shape: z.object({ running: Running.nullable(), space: Space }),
  description: 'To the performer\'s own tabs: a recording began or ended, or the space changed its state.',
});

/** The pre-show test: 10 s of the real way to the server, played back to the performer alone. */
export const BroadcastTest = z.object({
  state: z.enum(TEST_STATES), seconds: z.int(), advice: z.array(z.string()), health: Health.nullable(),
  /** What its publisher is, once there was one. */
  source: z.enum(['browser', 'encoder']).nullable(),
  /** Whether a publisher is put aside now. An encoder is until it stops, or until the test is cancelled. */
  isSending: z.boolean(),
});
export const startTest = call({
  name: 'recordings.startTest', method: 'POST', path: '/broadcast/test', access: 'performer',
  credential: 'cookie', input: z.object({}), output: BroadcastTest,
  refusals: [alreadyLive, clearanceMissing, recordingUnavailable],
  limit: { points: 20, seconds: 600, per: 'caller' },
  summary: 'Begin a pre-show test',
  description: 'The next publisher with a key of this performer, within two minutes, is recorded for 10 s '
    + 'and shown to nobody else. A browser is cut then; an encoder, which would connect again by itself, '
    + 'goes on unseen until it stops.',
});
export const getTest = call({
  name: 'recordings.getTest', method: 'GET', path: '/broadcast/test', access: 'performer',
  credential: 'cookie',
  // Two tabs ask every second.
  limit: { points: 300, seconds: 60, per: 'caller' },
  input: z.object({}), output: BroadcastTest, refusals: [],
  summary: 'How the pre-show test stands', description: 'Ask again each second while it waits or records.',
});
export const cancelTest = call({
  name: 'recordings.cancelTest', method: 'DELETE', path: '/broadcast/test', access: 'performer',
  credential: 'cookie', input: z.object({}), output: z.object({ status: z.literal(1) }), refusals: [],
  summary: 'End the pre-show test',
  description: 'Its publisher is cut and its clip is deleted. An encoder that connects again then is on air.',
});
export const getTestClip = call({
  name: 'recordings.getTestClip', method: 'GET', path: '/broadcast/test/clip', access: 'performer',
  credential: 'cookie', media: { accepts: 'video/mp4', answers: 'video/mp4' },
  input: z.object({ v: z.string().max(64).optional(), body: NoBody }), output: BytesAnswer,
  refusals: [recordingUnknown],
  summary: 'The clip of the pre-show test', description: 'MP4, kept until the next test or 10 minutes.',
});
