import { z } from 'zod';
import { event } from '../event.ts';
import { MAX_ROOM_NAME_LENGTH, MAX_TEMPLATE_FIELDS, MAX_TEMPLATES } from './wire.ts';

/** No lone surrogates: a name with one cannot be part of an address (RFC 3986 §2.5). */
const WELL_FORMED = /^[^\ud800-\udfff]+$/u;

const Empty = z.object({});

export const authorize = event({
  name: 'v3.authorize',
  socket: 'both',
  from: 'client',
  shape: z.object({
    token: z.string().min(1).max(1024),
    version: z.string().max(64),
    seq: z.int().positive().optional(),
    templates: z.boolean().optional(),
  }),
  description: 'First message of every socket: a fresh node_token and the version of the client. `seq`, on a '
    + 'room socket, is the sequence number of the last logged event that this client has received. '
    + '`templates` asks for frequent events in compressed frames.',
  requirements: ['A-390', 'C-313'],
});
export const authorizeSuccess = event({
  name: 'v3.authorize.success',
  socket: 'both',
  from: 'server',
  shape: z.object({ success: z.literal(true), user: z.unknown() }),
  description: 'The token was good; `user` is who the socket speaks for. A room socket has joined its room.',
  requirements: ['C-145', 'C-317', 'C-339'],
});
export const authorizeFailed = event({
  name: 'v3.authorize.failed',
  socket: 'both',
  from: 'server',
  shape: z.object({ code: z.string() }),
  description: 'The token or the room was refused; the socket closes. `token_invalid` and `too_many_sockets` '
    + 'are worth another try with a fresh token; every other code is the room\'s, and final.',
  requirements: ['C-146', 'C-327'],
});
export const ping = event({
  name: 'v3.ping',
  socket: 'both',
  from: 'both',
  shape: Empty,
  description: 'Asks whether the other side is alive: every 10 s, 2 s to answer.',
  requirements: ['A-391', 'C-315', 'A-468', 'C-420'],
});
export const pong = event({
  name: 'v3.pong',
  socket: 'both',
  from: 'both',
  shape: Empty,
  description: 'Answers `v3.ping`.',
  requirements: ['A-392', 'C-316', 'A-469', 'C-421'],
});
export const discover = event({
  name: 'v3.lobby.discover',
  socket: 'lobby',
  from: 'client',
  shape: z.object({ room: z.string().min(1).max(MAX_ROOM_NAME_LENGTH).regex(WELL_FORMED) }),
  description: 'Asks for the socket address of a room.',
  requirements: ['C-314'],
});
export const discovered = event({
  name: 'v3.lobby.discovered',
  socket: 'lobby',
  from: 'server',
  shape: z.object({ room: z.string(), url: z.string() }),
  description: 'The address of a room, for every name alike: whether it exists, its socket tells.',
  requirements: ['C-318'],
});
export const lobbyStart = event({
  name: 'v3.lobby.start',
  socket: 'lobby',
  from: 'server',
  shape: Empty,
  description: 'The lobby is ready: it answers `v3.lobby.discover`. Said after `v3.authorize.success`, or '
    + 'once the lobby has become ready; a restart is over with it.',
  requirements: ['C-147'],
});
export const lobbyStop = event({
  name: 'v3.lobby.stop',
  socket: 'lobby',
  from: 'server',
  shape: Empty,
  description: 'The lobby is not ready: it answers no `v3.lobby.discover` until `v3.lobby.start`. Rooms '
    + 'that are joined stay joined; who wants to join asks itself every 100 ms whether the lobby is ready.',
  requirements: ['C-148'],
});
export const lobbyRestarting = event({
  name: 'v3.lobby.restarting',
  socket: 'lobby',
  from: 'server',
  shape: Empty,
  description: 'The gateway is about to restart: for 30 s the client retries every 100 ms.',
  requirements: ['C-149', 'C-319'],
});
export const clientVersion = event({
  name: 'v3.client.version',
  socket: 'both',
  from: 'server',
  shape: z.object({ version: z.string() }),
  description: 'The version the server serves, when it differs from the one sent in `v3.authorize`. A page '
    + 'loads the new one at its next navigation.',
  requirements: ['A-374', 'C-320', 'C-354'],
});
export const refresh = event({
  name: 'v3.refresh',
  socket: 'both',
  from: 'server',
  shape: Empty,
  description: 'The client reloads its page. An account receives it when a decision changes what its pages '
    + 'may do, as about the papers of a performer.',
  requirements: ['A-380', 'A-381'],
});

const TemplateField = z.object({
  name: z.string(),
  /** The value of a field whose bit is not set; without a default, the field is left out then. */
  default: z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.never())]).optional(),
  /** The value is an object of that template: `[bitmask, …values]`. */
  row: z.int().positive().optional(),
  /** The value is a list of objects of that template. */
  rows: z.int().positive().optional(),
});
const Template = z.object({
  id: z.int().positive(),
  fields: z.array(TemplateField).max(MAX_TEMPLATE_FIELDS),
});
export const templates = event({
  name: 'v3.templates',
  socket: 'both',
  from: 'server',
  shape: z.object({ templates: z.array(Template).max(MAX_TEMPLATES) }),
  description: 'Adds to the templates of this socket, or replaces those of the same id. Only to who asked '
    + 'for templates, before the first compressed frame.',
  requirements: ['C-217', 'C-355', 'C-428'],
});
export const events = event({
  name: 'v3.events',
  socket: 'both',
  from: 'server',
  shape: z.object({
    events: z.array(z.object({ id: z.int().positive(), name: z.string() })).max(MAX_TEMPLATES),
  }),
  description: 'The events list: which event the frames of an id are. The id is that of its template, too.',
  requirements: ['C-218'],
});
export type TemplateView = z.infer<typeof Template>;
export type TemplateFieldView = z.infer<typeof TemplateField>;
