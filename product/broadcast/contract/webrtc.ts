import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import {
  codecUnsupported,
  overloaded,
  PlaybackQuery,
  playbackTokenInvalid,
  streamOffline,
} from '../contract.ts';
import { encoderEnded, NOT_ADMITTED } from './admission.ts';

const slice = 'broadcast';
export const streamKeyInvalid = refusal({
  slice,
  code: 'stream_key_invalid',
  kind: 'unauthenticated',
  description: 'The bearer stream key is missing, wrong, used up, or of another session.',
});
export const offerMalformed = refusal({
  slice,
  code: 'offer_malformed',
  kind: 'invalid',
  description: 'The body is not an SDP offer we can answer.',
});
export const streamTaken = refusal({
  slice,
  code: 'stream_taken',
  kind: 'conflict',
  description: 'Another device of this performer is live.',
});
export const publisherReplaced = refusal({
  slice,
  code: 'publisher_replaced',
  kind: 'conflict',
  description: 'Another encoder or page has taken over this broadcast. Stop it before this one starts again.',
});
export const sessionUnknown = refusal({
  slice,
  code: 'session_unknown',
  kind: 'absent',
  description: 'There is no such publish or play session.',
});

export const iceFragmentMalformed = refusal({
  slice,
  code: 'ice_fragment_malformed',
  kind: 'malformed',
  description: 'The body is no ICE fragment (RFC 8840) of this session.',
});
export const iceRestartUnsupported = refusal({
  slice,
  code: 'ice_restart_unsupported',
  kind: 'invalid',
  description: 'ICE cannot be restarted within this session: make a new one (RFC 9725 §4.3.1).',
});
export const entityTagMissing = refusal({
  slice,
  code: 'entity_tag_missing',
  kind: 'precondition_required',
  description: 'A PATCH needs If-Match with the ETag of the session (RFC 9725 §4.3.1).',
});
export const entityTagOutdated = refusal({
  slice,
  code: 'entity_tag_outdated',
  kind: 'precondition_failed',
  description: 'If-Match names another ICE session than the present one (RFC 9725 §4.3.1).',
});

/** WHIP and WHEP are open to encoders and players of any origin, with their own credentials. */
const endpoint = { root: true, crossOrigin: true, access: 'anyone' } as const;
const Sdp = { accepts: 'application/sdp', answers: 'application/sdp' } as const;
const SdpAnswer = z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() });
/** A browser's SDP is 2 to 8 kB. */
const SDP_LIMIT_BYTES = 64 * 1024;

export const whip = call({
  name: 'broadcast.whip',
  method: 'POST',
  path: '/whip',
  ...endpoint,
  credential: 'bearer',
  readsSession: true,
  media: Sdp,
  bodyLimitBytes: SDP_LIMIT_BYTES,
  limit: { points: 30, seconds: 60, per: 'address' },
  input: z.object({ body: z.string().max(SDP_LIMIT_BYTES) }),
  output: SdpAnswer,
  refusals: [
    streamKeyInvalid,
    offerMalformed,
    codecUnsupported,
    streamTaken,
    publisherReplaced,
    encoderEnded,
    overloaded,
    ...NOT_ADMITTED,
  ],
  summary: 'Publish (WHIP, RFC 9725)',
  description: 'Bearer stream key. 201 with the SDP answer and Location of the publish session.',
  requirements: ['A-014', 'C-020'],
});
export const whipEnd = call({
  name: 'broadcast.whipEnd',
  method: 'DELETE',
  path: '/whip/:session',
  ...endpoint,
  credential: 'bearer',
  readsSession: true,
  input: z.object({ session: z.string().max(128) }),
  output: z.object({}),
  refusals: [sessionUnknown, streamKeyInvalid],
  summary: 'Stop publishing (RFC 9725 §4.2)',
  description: 'Ends the publish session.',
});
export const whep = call({
  name: 'broadcast.whep',
  method: 'POST',
  path: '/whep/:stream',
  ...endpoint,
  credential: 'bearer',
  readsSession: true,
  media: Sdp,
  bodyLimitBytes: SDP_LIMIT_BYTES,
  limit: { points: 120, seconds: 60, per: 'address' },
  input: z.object({
    stream: z.string().max(128),
    ...PlaybackQuery,
    body: z.string().max(SDP_LIMIT_BYTES),
  }),
  output: SdpAnswer,
  refusals: [playbackTokenInvalid, offerMalformed, codecUnsupported, streamOffline, overloaded],
  summary: 'Play (WHEP)',
  description: 'Bearer playback token (or `token` in the query). 201 with the SDP answer and Location.',
  requirements: ['A-007'],
});
export const whepEnd = call({
  name: 'broadcast.whepEnd',
  method: 'DELETE',
  path: '/whep/session/:session',
  ...endpoint,
  credential: 'none',
  input: z.object({ session: z.string().max(128) }),
  output: z.object({}),
  refusals: [sessionUnknown],
  summary: 'Stop playing',
  description: 'The unguessable session address is the credential.',
});

const Fragment = {
  accepts: 'application/trickle-ice-sdpfrag',
  answers: 'application/trickle-ice-sdpfrag',
} as const;
/** A fragment holds a few candidates; a browser has about a dozen. */
const FRAGMENT_LIMIT_BYTES = 16 * 1024;
const patched = {
  media: Fragment,
  bodyLimitBytes: FRAGMENT_LIMIT_BYTES,
  ...endpoint,
  limit: { points: 240, seconds: 60, per: 'address' },
  input: z.object({ session: z.string().max(128), body: z.string().max(FRAGMENT_LIMIT_BYTES) }),
  output: SdpAnswer,
} as const;
export const patchRefusals = [
  sessionUnknown,
  iceFragmentMalformed,
  iceRestartUnsupported,
  entityTagMissing,
  entityTagOutdated,
  overloaded,
] as const;
export const whipPatch = call({
  ...patched,
  name: 'broadcast.whipPatch',
  method: 'PATCH',
  path: '/whip/:session',
  credential: 'bearer',
  readsSession: true,
  refusals: [...patchRefusals, streamKeyInvalid],
  summary: 'Trickle ICE or ICE restart of a publisher (RFC 9725 §4.3)',
  description: 'Bearer stream key and If-Match. 204 for candidates; 200 with a fragment and a new ETag for a '
    + 'restart.',
});
export const whepPatch = call({
  ...patched,
  name: 'broadcast.whepPatch',
  method: 'PATCH',
  path: '/whep/session/:session',
  credential: 'none',
  refusals: patchRefusals,
  summary: 'Trickle ICE or ICE restart of a player',
  description: 'As for WHIP, and If-Match may be left out; the address is the credential.',
});
const NoContent = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export const whipOptions = call({
  name: 'broadcast.whipOptions',
  method: 'OPTIONS',
  path: '/whip',
  ...endpoint,
  credential: 'bearer',
  readsSession: true,
  media: Sdp,
  input: z.object({ body: z.string().max(0) }),
  output: NoContent,
  refusals: [],
  summary: 'What this WHIP endpoint can do (RFC 9725 §4.2, §4.6)',
  description: 'Accept-Post, Accept-Patch, CORS; with a good stream key also Link headers with ICE servers.',
});
export const whepOptions = call({
  name: 'broadcast.whepOptions',
  method: 'OPTIONS',
  path: '/whep/:stream',
  ...endpoint,
  credential: 'bearer',
  readsSession: true,
  media: Sdp,
  input: z.object({ stream: z.string().max(128), ...PlaybackQuery, body: z.string().max(0) }),
  output: NoContent,
  refusals: [],
  summary: 'What this WHEP endpoint can do',
  description: 'As for WHIP, with a good playback token.',
});
