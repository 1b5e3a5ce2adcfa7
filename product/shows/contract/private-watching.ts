import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { BytesAnswer, NoBody } from '#product/broadcast/contract.ts';
import { recordingUnknown } from '#product/recordings/contract.ts';
import { z } from 'zod';
import { MAX_POSITION_MS, WATCHABLE_PAGE } from '../rules/private.ts';
import { notInShow, WatchTogether } from './private-running.ts';

const slice = 'shows';
export const watchTogetherDisabled = refusal({
  slice,
  code: 'watch_together_disabled',
  kind: 'denied',
  description: 'The performer has not turned on watching together.',
});
export const watchedUnknown = refusal({
  slice,
  code: 'watched_unknown',
  kind: 'absent',
  description: 'The caller is in no running private show in which this video is watched together.',
});

export const watchTogether = call({
  name: 'shows.watchTogether',
  method: 'POST',
  path: '/shows/watching',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    /** A finished public recording of the caller. */
    id: z.int().positive(),
    /** Where to continue. Absent: the current position, or the beginning of another video. */
    position_ms: z.int().min(0).max(MAX_POSITION_MS).optional(),
    /** Absent: unchanged; another video starts to play. */
    is_playing: z.boolean().optional(),
  }),
  output: WatchTogether,
  refusals: [notInShow, watchTogetherDisabled, recordingUnknown],
  limit: { points: 120, seconds: 60, per: 'caller' },
  summary: 'Watch a recording with the viewer of the private show',
  description: 'The performer of a running private show chooses one of their own finished public recordings, '
    + 'and plays, pauses and moves it: the viewer follows. Recordings of ticket shows, and those being made, '
    + 'are unknown here. The meter of the show goes on.',
});

export const stopWatching = call({
  name: 'shows.stopWatching',
  method: 'DELETE',
  path: '/shows/watching',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1) }),
  refusals: [notInShow],
  summary: 'Stop watching together',
  description: 'Nobody is sent the video any more. The end of the show does the same.',
});

export const getWatchable = call({
  name: 'shows.getWatchable',
  method: 'GET',
  path: '/shows/watching/recordings',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    /** Only recordings before this id, which the previous page returned. */
    before: z.int().positive().optional(),
  }),
  output: z.object({
    /** Newest first. `title` is empty without a topic. */
    recordings: z.array(z.object({
      id: z.int(),
      title: z.string(),
      started_at: z.string(),
      seconds: z.int(),
    })).max(WATCHABLE_PAGE),
    /** `before` of the next page; null on the last. */
    next: z.int().nullable(),
  }),
  refusals: [],
  summary: 'Which recordings can be watched together',
  description: 'The caller\'s own finished public recordings.',
});

export const getWatchedFile = call({
  name: 'shows.getWatchedFile',
  method: 'GET',
  path: '/private/:username/watching/:id/file',
  access: 'member',
  credential: 'cookie',
  media: { accepts: 'video/mp4', answers: 'video/mp4' },
  limit: { points: 600, seconds: 60, per: 'caller' },
  input: z.object({
    /** Username of the performer. */
    username: z.string().max(64),
    id: z.int().positive(),
    body: NoBody,
  }),
  output: BytesAnswer,
  refusals: [watchedUnknown],
  summary: 'The video that is watched together',
  description: 'MP4, for the two of the running show alone while this recording is watched in it, asked '
    + 'again with each response. Supports one Range of bytes; a response has at most 8 MB, and no cache has '
    + 'it.',
});

export const privateWatch = event({
  name: 'v3.private.watch',
  socket: 'room',
  from: 'server',
  shape: z.object({
    /** Null: nothing is watched any longer. */
    watch_together: WatchTogether.nullable(),
    /** Watching ended because the performer deleted the recording. */
    is_deleted: z.boolean(),
  }),
  description: 'What the two of a running private show watch together changed: to the two alone.',
});
