import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';

const slice = 'notices';

const OutboxMail = z.object({
  id: z.int(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  kind: z.string(),
  at: z.string(),
  /** A text message has neither a subject nor HTML. */
  channel: z.enum(['email', 'sms']),
  html: z.string().nullable(),
  /** URL where one click ends emails of this kind (RFC 8058); null for those that nobody can switch off. */
  unsubscribe: z.string().nullable(),
});
/** Emails that a site without a mail server would have sent, and text messages. */
export const listOutbox = call({
  name: 'notices.listOutbox',
  method: 'GET',
  path: '/notices/outbox',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({ mails: z.array(OutboxMail), next: z.int().nullable() }),
  refusals: [],
  summary: 'Development outbox',
  description: 'Emails and text messages stored instead of sent, newest first, 50 a page. Admins only.',
});

/** One notice of a person's list, in their language. */
export const Notice = z.object({
  id: z.int(),
  /** Names the texts, such as `messaging:notices.wentLive`. */
  kind: z.string(),
  title: z.string(),
  text: z.string(),
  /** A path of this site. */
  link: z.string(),
  at: z.string(),
  read: z.boolean(),
});
export type NoticeView = z.infer<typeof Notice>;

const Unread = z.object({ unread: z.int() });

export const listNotices = call({
  name: 'notices.listNotices',
  method: 'GET',
  path: '/notifications',
  access: 'member',
  credential: 'cookie',
  input: z.object({ before: z.int().positive().optional(), unread: z.boolean().optional() }),
  output: z.object({ notices: z.array(Notice), next: z.int().nullable(), unread: z.int() }),
  refusals: [],
  summary: 'The caller’s notifications',
  description: 'Newest first, 30 a page, with the number that are unread. `unread` leaves out what was read.',
});

export const noticeUnknown = refusal({
  slice,
  code: 'notice_unknown',
  kind: 'absent',
  description: 'This person has no notification of this id.',
});
export const markNotice = call({
  name: 'notices.markNotice',
  method: 'POST',
  path: '/notifications/:id/read',
  access: 'member',
  credential: 'cookie',
  input: z.object({ id: z.int().positive(), read: z.boolean() }),
  output: Unread.extend({ id: z.int(), read: z.boolean() }),
  refusals: [noticeUnknown],
  summary: 'Mark a notification as read or unread',
  description: 'Only the caller’s own.',
});
export const markAllNotices = call({
  name: 'notices.markAllNotices',
  method: 'POST',
  path: '/notifications/read',
  access: 'member',
  credential: 'cookie',
  input: z.object({ up_to: z.int().positive() }),
  output: Unread.extend({ up_to: z.int() }),
  refusals: [],
  summary: 'Marks notifications as read',
  description: 'Up to one that was seen, so that what comes meanwhile stays unread.',
});
export const deleteNotice = call({
  name: 'notices.deleteNotice',
  method: 'DELETE',
  path: '/notifications/:id',
  access: 'member',
  credential: 'cookie',
  input: z.object({ id: z.int().positive() }),
  output: Unread.extend({ id: z.int() }),
  refusals: [noticeUnknown],
  summary: 'Delete a notification',
  description: 'Only the caller’s own.',
});

export const notificationCount = event({
  name: 'v3.notification.count',
  socket: 'both',
  from: 'server',
  shape: z.object({
    /** Unread notifications. */
    count: z.int().min(0),
  }),
  description: 'The number of unread notifications changed: to every tab of the person. It is the '
    + '`notificationUnreadCount` of the current user.',
  requirements: ['A-378'],
});
