import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import {
  CODE,
  CURSOR,
  KINDS,
  LEVELS,
  MAX_APPEARANCE_LENGTH,
  MAX_LINE_LENGTH,
  MAX_LINES,
  MAX_LINK_LENGTH,
  MAX_MESSAGE_LENGTH,
  MAX_REASON_LENGTH,
  MAX_STACK_LENGTH,
  MAX_TIME_LENGTH,
  MAX_VERSION_LENGTH,
  SOURCES,
} from './rules.ts';

const slice = 'client-logs';
export const remoteLoggingOff = refusal({
  slice,
  code: 'remote_logging_off',
  kind: 'denied',
  description: 'Nobody turned remote logging on for this person, or they do not allow statistics: their '
    + 'console stays in their browser.',
});
export const noSuchPerson = refusal({
  slice,
  code: 'no_such_person',
  kind: 'absent',
  description: 'Nobody has this username.',
});

const Done = z.object({ success: z.literal(true) });
const Url = z.string().max(MAX_LINK_LENGTH);

/** POST /log/react-error: the interface crashed, or a part or style of it could not be loaded. */
export const reportClientError = call({
  name: 'client-logs.reportClientError',
  method: 'POST',
  path: '/log/react-error',
  access: 'anyone',
  credential: 'none',
  input: z.object({
    clientVersion: z.string().max(MAX_VERSION_LENGTH),
    errorMessage: z.string().max(MAX_MESSAGE_LENGTH),
    stack: z.string().max(MAX_STACK_LENGTH),
    /** When it happened by the browser's clock, ISO 8601. */
    time: z.string().max(MAX_TIME_LENGTH),
    url: Url,
  }),
  output: z.object({ success: z.literal(true), code: z.string().regex(CODE) }),
  refusals: [],
  limit: { points: 10, seconds: 60, per: 'address' },
  bodyLimitBytes: 32 * 1024,
  summary: 'Report a crash of the interface',
  description: 'Counts the error among those like it. `code` names them: the person sees it, and admins find '
    + 'the error by it. Stored without the caller, queries of addresses, email addresses, tokens, card '
    + 'numbers and quoted sentences; removed 30 days after it was last reported.',
  requirements: ['B-328', 'B-398'],
});

/** POST /log/react-toast: an error was shown as a toast. */
export const reportToast = call({
  name: 'client-logs.reportToast',
  method: 'POST',
  path: '/log/react-toast',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    appearance: z.string().min(1).max(MAX_APPEARANCE_LENGTH).regex(/^[a-z]+$/u),
    content: z.string().max(MAX_MESSAGE_LENGTH),
    title: z.string().max(MAX_MESSAGE_LENGTH),
    url: Url,
  }),
  output: Done,
  refusals: [],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Report a toast',
  description: 'Counts the toast among those like it, without the person; redacted as errors are. Nothing is '
    + 'counted of who does not allow statistics.',
  requirements: ['A-364', 'A-365'],
});

/** POST /log: notes of a page, for support. */
export const sendLogs = call({
  name: 'client-logs.sendLogs',
  method: 'POST',
  path: '/log',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    logs: z.array(z.string().max(MAX_LINE_LENGTH)).min(1).max(MAX_LINES),
    /** Whether the person just asked to send these. */
    on_request: z.boolean().optional(),
  }),
  output: Done,
  refusals: [],
  limit: { points: 20, seconds: 60, per: 'caller' },
  bodyLimitBytes: 64 * 1024,
  summary: 'Send notes of a page',
  description: 'Pages send them with remote logging on, in a private show, or when the person asks them to. '
    + 'Redacted as errors are; removed after 14 days. Without `on_request` nothing is stored of who does not '
    + 'allow statistics.',
  requirements: ['A-366', 'A-367'],
});

/** POST /log/console: the lines a console printed since the last batch. */
export const sendConsole = call({
  name: 'client-logs.sendConsole',
  method: 'POST',
  path: '/log/console',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    lines: z.array(z.object({
      level: z.enum(LEVELS),
      text: z.string().max(MAX_LINE_LENGTH),
    })).min(1).max(MAX_LINES),
  }),
  output: Done,
  refusals: [remoteLoggingOff],
  limit: { points: 20, seconds: 60, per: 'caller' },
  bodyLimitBytes: 64 * 1024,
  summary: 'Send lines of the console',
  description: 'At most the last 50 lines, every 5 s, and only of people for whom an admin turned remote '
    + 'logging on. Redacted as errors are; removed after 14 days.',
  requirements: ['B-332', 'B-333', 'B-434', 'B-435'],
});

/** POST /log/purchase: a page is about to leave for a biller. */
export const logPurchase = call({
  name: 'client-logs.logPurchase',
  method: 'POST',
  path: '/log/purchase',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ link: z.string().min(1).max(MAX_LINK_LENGTH) }),
  output: Done,
  refusals: [],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Log that a page leaves for a biller',
  description: 'Counts purchases by the host and path of their link. What follows `?` or `#`, which names '
    + 'the order, is not stored, nor is who buys. Nothing is counted of who does not allow statistics.',
  requirements: ['A-358'],
});

const Report = z.object({
  id: z.int(),
  kind: z.enum(KINDS),
  code: z.string(),
  message: z.string(),
  detail: z.string(),
  page: z.string(),
  versions: z.array(z.string()),
  browsers: z.array(z.string()),
  count: z.int(),
  first_at: z.string(),
  last_at: z.string(),
  /** The last time by the clock of its browser; null for toasts and purchases. */
  browser_time: z.string().nullable(),
});

export const listClientReports = call({
  name: 'client-logs.listClientReports',
  method: 'GET',
  path: '/client-logs/reports',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    kind: z.enum(KINDS).optional(),
    code: z.string().max(32).optional(),
    before: z.string().regex(CURSOR).optional(),
  }),
  output: z.object({ reports: z.array(Report), next: z.string().nullable() }),
  refusals: [],
  summary: 'What browsers reported',
  description: 'Errors, toasts and purchases, each with those like it: how often, since when, in which '
    + 'versions. Last reported first, 50 a page. `code` is what a person read out: capitals, spaces and '
    + 'dashes do not matter.',
  requirements: ['B-398'],
});

export const listClientLines = call({
  name: 'client-logs.listClientLines',
  method: 'GET',
  path: '/client-logs/lines',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({
    batches: z.array(z.object({
      id: z.int(),
      source: z.enum(SOURCES),
      username: z.string().nullable(),
      lines: z.array(z.string()),
      at: z.string(),
    })),
    next: z.int().nullable(),
  }),
  refusals: [],
  summary: 'Lines that pages sent',
  description: 'Notes and console lines, newest first, 20 batches a page.',
  requirements: ['A-366', 'B-332'],
});

const Watched = z.object({ username: z.string(), remote_logging: z.boolean(), until: z.string().nullable() });

export const setRemoteLogging = call({
  name: 'client-logs.setRemoteLogging',
  method: 'POST',
  path: '/client-logs/remote',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    username: z.string().min(1).max(64),
    on: z.boolean(),
    reason: z.string().trim().min(1).max(MAX_REASON_LENGTH),
  }),
  output: Watched,
  refusals: [noSuchPerson],
  summary: 'Turn remote logging of a person on or off',
  description: 'Ends by itself after 7 days, and is a line of the audit log. It takes effect when the '
    + 'person loads a page.',
  requirements: ['A-367'],
});
