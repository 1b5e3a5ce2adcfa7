import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import {
  BytesAnswer,
  codecUnsupported,
  NoBody,
  overloaded,
  PlaybackQuery,
  playbackTokenInvalid,
  streamOffline,
} from '../contract.ts';

const slice = 'broadcast';
export const segmentUnknown = refusal({
  slice,
  code: 'segment_unknown',
  kind: 'absent',
  description: 'No such playlist or segment, or it is over.',
});
const SdpAnswer = z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() });
const Playlist = {
  accepts: 'application/vnd.apple.mpegurl',
  answers: 'application/vnd.apple.mpegurl',
} as const;
/**
 * A player loads a playlist every second or two for each rendition it tries; a household has several players.
 */
const PLAYLIST_LIMIT = { points: 1_200, seconds: 60, per: 'address' } as const;
export const hlsIndex = call({
  name: 'broadcast.hlsIndex',
  method: 'GET',
  path: '/hls/:stream/index.m3u8',
  root: true,
  access: 'anyone',
  credential: 'none',
  readsSession: true,
  media: Playlist,
  limit: PLAYLIST_LIMIT,
  input: z.object({ stream: z.string().max(128), ...PlaybackQuery, body: NoBody }),
  output: SdpAnswer,
  refusals: [playbackTokenInvalid, streamOffline, codecUnsupported, overloaded],
  summary: 'HLS master playlist (RFC 8216)',
  description: 'Its media playlists carry tokens of their own, fresh with each answer while the viewer may '
    + 'watch.',
  requirements: ['B-335'],
});
export const hlsPlaylist = call({
  name: 'broadcast.hlsPlaylist',
  method: 'GET',
  path: '/hls/:stream/:rendition/live.m3u8',
  root: true,
  access: 'anyone',
  credential: 'none',
  readsSession: true,
  media: Playlist,
  limit: PLAYLIST_LIMIT,
  input: z.object({
    stream: z.string().max(128),
    rendition: z.string().max(16),
    ...PlaybackQuery,
    body: NoBody,
  }),
  output: SdpAnswer,
  refusals: [playbackTokenInvalid, streamOffline, segmentUnknown, codecUnsupported, overloaded],
  summary: 'HLS media playlist',
  description: '`rendition` is `source`, or a height such as `360`.',
});
export const hlsSegment = call({
  name: 'broadcast.hlsSegment',
  method: 'GET',
  path: '/hls/:stream/:rendition/:file',
  root: true,
  access: 'anyone',
  credential: 'none',
  readsSession: true,
  media: { accepts: 'video/mp4', answers: 'video/mp4' },
  limit: { points: 3_000, seconds: 60, per: 'address' },
  input: z.object({
    stream: z.string().max(128),
    rendition: z.string().max(16),
    file: z.string().max(64),
    ...PlaybackQuery,
    body: NoBody,
  }),
  output: BytesAnswer,
  refusals: [playbackTokenInvalid, segmentUnknown, overloaded],
  summary: 'HLS segment',
  description: 'Immutable; the token in its address is checked like a playlist\'s.',
});
