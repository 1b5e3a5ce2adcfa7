import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { performerUnknown } from '#product/compliance/contract.ts';
import { z } from 'zod';
import { MAX_STUDIO_LENGTH, SESSION_TYPE_CODES, STREAMING_TECHS } from '../rules.ts';

const slice = 'broadcast';
export const standbyNotAllowed = refusal({
  slice,
  code: 'standby_not_allowed',
  kind: 'denied',
  description: 'Standby is not open to this site or studio.',
});
export const alreadyLive = refusal({
  slice,
  code: 'already_live',
  kind: 'conflict',
  description: 'Not possible while a broadcast runs.',
});

/** Devices and bit rate of the go-live page (spec 2 §3.1), named as the browser names them. */
export const CamSettings = z.object({
  audioName: z.string().max(120).nullable(),
  videoName: z.string().max(120).nullable(),
  audioTrack: z.string().max(120).nullable(),
  videoTrack: z.string().max(120).nullable(),
  bitrate: z.int().min(100).max(20_000).nullable(),
});
export type CamView = z.infer<typeof CamSettings>;
const ObsSetting = z.object({ setting: z.string(), value: z.string() });
/** Streamer settings (spec 3 §3), and what else the performer's tools need. */
export const StreamerSettings = z.object({
  streaming_tech: z.enum(STREAMING_TECHS),
  dreamcam: z.object({ enabled: z.boolean(), ingest_server: z.string().nullable() }),
  obs: z.object({
    whip_server: z.string(),
    rtmp_server: z.string().nullable(),
    has_stream_key: z.boolean(),
    /** Tested settings by OBS's own names, the same in every language. */
    settings: z.array(ObsSetting),
  }),
  standby_enabled: z.boolean(),
  standby_notifications_enabled: z.boolean(),
  standby_allowed: z.boolean(),
  session_types: z.record(z.enum(Object.keys(SESSION_TYPE_CODES) as [string, ...string[]]), z.int()),
  cam: CamSettings,
});
export const getStreamerSettings = call({
  name: 'broadcast.getStreamerSettings',
  method: 'GET',
  path: '/video/streamer_settings',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: StreamerSettings,
  refusals: [],
  summary: 'Streamer settings',
  description: 'How the performer broadcasts, and what the tools need.',
  requirements: ['C-255'],
});
export const setStreamerSettings = call({
  name: 'broadcast.setStreamerSettings',
  method: 'POST',
  path: '/video/streamer_settings',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    streaming_tech: z.enum(STREAMING_TECHS).optional(),
    standby_enabled: z.boolean().optional(),
    standby_notifications_enabled: z.boolean().optional(),
    cam: CamSettings.optional(),
  }),
  output: StreamerSettings,
  refusals: [standbyNotAllowed],
  summary: 'Change streamer settings',
  description: 'Only the given fields change.',
});
export const setStandby = call({
  name: 'broadcast.setStandby',
  method: 'POST',
  path: '/broadcast/standby',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ on: z.boolean() }),
  output: z.object({ status: z.literal(1), standby: z.boolean() }),
  refusals: [standbyNotAllowed, alreadyLive],
  summary: 'Begin or end standby',
  description: 'In standby the room says that the performer will be live soon.',
});
export const setStudio = call({
  name: 'broadcast.setStudio',
  method: 'POST',
  path: '/broadcast/studio/:username',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    username: z.string().max(64),
    studio: z.string().trim().min(1).max(MAX_STUDIO_LENGTH).nullable(),
  }),
  output: z.object({ status: z.literal(1), studio: z.string().nullable() }),
  refusals: [performerUnknown],
  summary: 'Name the studio of a performer',
  description: 'By admins, for one of their performers; null for none. A studio the operator lists opens '
    + 'standby to its performers, and taking it away ends their standby.',
});

export const standbyVisitor = event({
  name: 'v3.broadcast.standby_visitor',
  socket: 'both',
  from: 'server',
  shape: z.object({ username: z.string(), display_name: z.string() }),
  description: 'To the performer\'s own tabs in standby, if notifications are on: a member entered the room.',
});
