import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { ModelSettings, roomBanned, roomForbidden, roomGone, roomKicked, roomUnknown } from '../contract.ts';
import {
  BROADCAST_CATEGORIES,
  MAX_CAM_PASSWORD_LENGTH,
  MAX_CHAT_MESSAGE_LENGTH,
  MAX_NOTICE_PAUSE_MINUTES,
  MAX_SUBJECT_LENGTH,
  MIN_CAM_PASSWORD_LENGTH,
  MIN_NOTICE_PAUSE_MINUTES,
  SUBJECT_COLOR,
} from '../rules.ts';

const slice = 'rooms';
export const notYourRoom = refusal({
  slice,
  code: 'not_your_room',
  kind: 'denied',
  description: 'This person lacks the rights that the call requires.',
});
export const passwordWrong = refusal({
  slice,
  code: 'cam_password_wrong',
  kind: 'invalid',
  description: 'This is not the password of the room.',
});
export const passwordTries = refusal({
  slice,
  code: 'cam_password_tries',
  kind: 'limited',
  description: 'Too many wrong passwords: wait.',
});
export const viewerAbsent = refusal({
  slice,
  code: 'viewer_absent',
  kind: 'absent',
  description: 'Nobody has this username.',
});
export const nothingToSay = refusal({
  slice,
  code: 'nothing_to_say',
  kind: 'invalid',
  description: 'Nothing is left of the text.',
});
export const mayNotHide = refusal({
  slice,
  code: 'may_not_hide',
  kind: 'denied',
  description: 'This person may not use this level of invisible mode.',
});

/** Calls on a room by username; viewers who may not enter it get the refusals of `getRoom`. */
const upon = { credential: 'cookie', method: 'POST' } as const;
const entry = [roomUnknown, roomGone, roomForbidden, roomBanned, roomKicked] as const;
const Username = z.string().max(64);
const Line = z.string().max(MAX_CHAT_MESSAGE_LENGTH);
const Done = z.object({ status: z.literal(1) });

export const setSubject = call({
  name: 'rooms.setSubject',
  path: '/chat/subject/:username',
  access: 'member',
  ...upon,
  input: z.object({
    username: Username,
    subject: z.string().max(MAX_SUBJECT_LENGTH),
    subject_color: z.string().regex(SUBJECT_COLOR).nullable().optional(),
  }),
  output: z.object({ status: z.literal(1), subject: z.string(), subject_color: z.string().nullable() }),
  refusals: [...entry, notYourRoom],
  summary: 'Set the topic of a room',
  description: 'By the streamer, room admins and room moderators. The topic is the title of the broadcast; '
    + 'its colour (`#rrggbb`) belongs to the room. Without `subject_color` the colour stays.',
});
export const sendNotice = call({
  name: 'rooms.sendNotice',
  path: '/chat/notice/:username',
  access: 'member',
  ...upon,
  input: z.object({
    username: Username,
    message: Line,
    every_minutes: z.int().min(MIN_NOTICE_PAUSE_MINUTES).max(MAX_NOTICE_PAUSE_MINUTES).nullable().optional(),
  }),
  output: Done,
  refusals: [...entry, notYourRoom, nothingToSay],
  summary: 'Show a notice line',
  description: 'By the streamer and room admins. Shown at once, and with `every_minutes` repeatedly while '
    + 'the room is online, until another notice, or an empty `message`, replaces it.',
});
export const highlightMessage = call({
  name: 'rooms.highlightMessage',
  path: '/chat/highlight/:username',
  access: 'member',
  ...upon,
  input: z.object({ username: Username, message: Line, to: Username.nullable().optional() }),
  output: Done,
  refusals: [...entry, notYourRoom, nothingToSay, viewerAbsent],
  limit: { points: 12, seconds: 60, per: 'caller' },
  summary: 'Show viewers an alert',
  description: 'By the streamer and room admins, to one viewer (`to`) or everybody in the room.',
  requirements: ['B-355'],
});
export const getRoomSettings = call({
  name: 'rooms.getRoomSettings',
  method: 'GET',
  path: '/chat/settings/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: ModelSettings.extend({
    notice: z.object({ message: z.string(), every_minutes: z.int() }).nullable(),
  }),
  refusals: [...entry, notYourRoom],
  summary: 'Settings of a room',
  description: 'For the streamer and room admins.',
});
export const saveRoomSettings = call({
  name: 'rooms.saveRoomSettings',
  path: '/chat/settings/:username',
  access: 'member',
  ...upon,
  input: z.object({
    username: Username,
    followEnabled: z.boolean().optional(),
    broadcastCategory: z.enum(BROADCAST_CATEGORIES).nullable().optional(),
    isUserListVisible: z.boolean().optional(),
    /** A new password, or null for none; unchanged when absent. */
    camPassword: z.string().min(MIN_CAM_PASSWORD_LENGTH).max(MAX_CAM_PASSWORD_LENGTH).nullable().optional(),
  }),
  output: ModelSettings,
  refusals: [...entry, notYourRoom],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Change settings of a room',
  description: 'By the performer only; absent settings stay. A new camera password hides the video from '
    + 'everybody but room admins until they enter it.',
  requirements: ['B-154'],
});
export const enterPassword = call({
  name: 'rooms.enterPassword',
  path: '/chat/password/:username',
  access: 'anyone',
  ...upon,
  input: z.object({ username: Username, password: z.string().max(MAX_CAM_PASSWORD_LENGTH) }),
  output: Done,
  refusals: [...entry, passwordWrong, passwordTries],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Enter the camera password',
  description: 'Lets this session see the video until the password changes. Request the room data again '
    + 'afterwards.',
});
export const setInvisibleMode = call({
  name: 'rooms.setInvisibleMode',
  path: '/chat/invisible_mode',
  access: 'member',
  ...upon,
  input: z.object({ level: z.int().min(0).max(2) }),
  output: z.object({ status: z.literal(1), invisible_mode_level: z.int() }),
  refusals: [mayNotHide],
  limit: { points: 12, seconds: 60, per: 'caller' },
  summary: 'Hide from user lists',
  description: '0: visible. 1: hidden from viewers, for VIPs and site moderators. 2: from performers too, '
    + 'for site moderators only.',
});
export const invisibleMode = event({
  name: 'v3.user.invisible-mode',
  socket: 'both',
  from: 'server',
  shape: z.object({ username: z.string(), invisible_mode_level: z.int() }),
  description: 'The level of invisible mode changed. Sent to all tabs of the person. 0 visible, 1 hidden '
    + 'from viewers, 2 from performers too.',
  requirements: ['B-356'],
});
export const highlightedMessage = event({
  name: 'v3.user.highlighted_message',
  socket: 'room',
  from: 'server',
  shape: z.object({
    username: z.string(),
    display_name: z.string(),
    is_staff: z.boolean().optional(),
    message: z.string(),
    to_all: z.boolean(),
  }),
  description: 'An alert from the performer or a room admin to this viewer, or to all. One to all is a line '
    + 'of the room: to people in the chat of a show it shows when they open that of the room.',
  requirements: ['B-355'],
});
export const modelSettings = event({
  name: 'v3.chat.model_settings',
  socket: 'room',
  from: 'server',
  shape: z.object({ settings: ModelSettings }),
  description: 'The settings of the room changed. With another `camPasswordNumber` everybody but room admins '
    + 'must enter the password again.',
  requirements: ['B-365'],
});
