import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { staffProtected } from '#product/accounts/contract/life/people.ts';
import { PLAIN_TEXT } from '#product/accounts/rules.ts';
import { z } from 'zod';
import { ownReport } from '../contract.ts';
import { MAX_CLOSING_NOTE_LENGTH } from '../rules.ts';
import { CASE_EVENTS, CASE_STATUSES, MAX_SUSPENSION_HOURS, POLICIES } from '../rules/cases.ts';
import { APPEAL_GROUNDS, REQUEST_KINDS } from '../rules/clocks.ts';
import {
  CASE_KINDS,
  CASE_REASONS,
  MAX_QUEUE_HOURS,
  MAX_QUEUE_NAME_LENGTH,
  MAX_QUEUES,
} from '../rules/queues.ts';
import { RELATIONS } from '../rules/requests.ts';
import { statementFaults, type Statement } from '../rules/statements.ts';

const slice = 'moderation';
export const caseUnknown = refusal({
  slice,
  code: 'case_unknown',
  kind: 'absent',
  description: 'No case of this operator has this id.',
});
export const caseRefused = refusal({
  slice,
  code: 'case_refused',
  kind: 'conflict',
  description:
    'The state of the case does not allow it: it is decided, claimed by somebody else, or reversed.',
});
export const notRemovable = refusal({
  slice,
  code: 'not_removable',
  kind: 'invalid',
  description: 'Content of this kind cannot be removed by a case, or is gone. Its account can be suspended.',
});
export const subjectUnknown = refusal({
  slice,
  code: 'subject_unknown',
  kind: 'invalid',
  description: 'Nobody knows whose content it is, so nobody can be warned or suspended.',
});
export const suspensionTooLate = refusal({
  slice,
  code: 'suspension_too_late',
  kind: 'invalid',
  description: 'A suspension begins within 30 days.',
});
export const noteMissing = refusal({
  slice,
  code: 'note_missing',
  kind: 'invalid',
  description: 'A note has words, and nothing else has.',
});
export const queuesIncomplete = refusal({
  slice,
  code: 'queues_incomplete',
  kind: 'invalid',
  description: 'The last queue takes every kind and reason, so that no case is in none.',
});

export const ownDecision = refusal({
  slice,
  code: 'own_decision',
  kind: 'denied',
  description: 'Nobody upholds their own decision while another admin can.',
});

const Note = z.string().trim().min(1).max(MAX_CLOSING_NOTE_LENGTH).regex(PLAIN_TEXT);
const Moment = z.string().nullable();
const CaseLine = z.object({
  id: z.int(),
  kind: z.enum(CASE_KINDS),
  reason: z.enum(CASE_REASONS),
  status: z.enum(CASE_STATUSES),
  /** Whose content it is; null if nobody knows, or they no longer have an account. */
  username: z.string().nullable(),
  opened_at: z.string(),
  /** Until when it has to be decided; null for a case that waits for nobody. */
  due_at: Moment,
  claimed_by: z.string().nullable(),
  is_escalated: z.boolean(),
});
export type CaseLineView = z.infer<typeof CaseLine>;

const Actions = z.object({
  removes: z.boolean(),
  warns: z.boolean(),
  suspends: z.object({ from: z.string(), until: z.string().nullable() }).nullable(),
});
const Case = CaseLine.extend({
  /** Id of its report; null for a case of a public form. */
  report: z.int().nullable(),
  /** The reported text at that time; empty without one. */
  snapshot: z.string(),
  details: z.string(),
  is_hidden: z.boolean(),
  /** Whether content of this kind can be removed. */
  may_remove: z.boolean(),
  /** What comes next by itself; null for nothing. */
  escalates_at: Moment,
  hides_at: Moment,
  restores_at: Moment,
  /** Present strikes of the account, without this case's. */
  strikes: z.int(),
  request: z.object({
    kind: z.enum(REQUEST_KINDS),
    reference: z.string(),
    relation: z.enum(RELATIONS),
    name: z.string(),
    email: z.string(),
    addresses: z.array(z.string()),
    statement: z.string(),
    work: z.string().nullable(),
    signature: z.string(),
  }).nullable(),
  events: z.array(z.object({
    id: z.int(),
    kind: z.enum(CASE_EVENTS),
    at: z.string(),
    /** Username of the member of staff; null for the site, and for people outside. */
    by: z.string().nullable(),
    /** What they typed; empty for nothing. */
    text: z.string(),
    policy: z.enum(POLICIES).nullable(),
    actions: Actions.nullable(),
    ground: z.enum(APPEAL_GROUNDS).nullable(),
  })),
});
export type CaseView = z.infer<typeof Case>;

const Queue = z.object({
  name: z.string().trim().min(1).max(MAX_QUEUE_NAME_LENGTH).regex(PLAIN_TEXT),
  kinds: z.array(z.enum(CASE_KINDS)).max(CASE_KINDS.length),
  reasons: z.array(z.enum(CASE_REASONS)).max(CASE_REASONS.length),
  /** Time limit of cases that no law gives one. */
  hours: z.int().min(1).max(MAX_QUEUE_HOURS),
});
const QueueView = Queue.extend({
  waiting: z.int(),
  escalated: z.int(),
  /** When its oldest case was opened; null for an empty queue. */
  oldest_at: Moment,
  /** Average from opening to decision over the last 30 days; null without a decision. */
  handling_hours: z.number().nullable(),
});
export type QueueViewOf = z.infer<typeof QueueView>;

export const listQueues = call({
  name: 'moderation.listQueues',
  method: 'GET',
  path: '/admin/cases/queues',
  access: 'moderator',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ queues: z.array(QueueView) }),
  refusals: [],
  summary: 'The queues of cases',
  description: 'In their order, with how many wait, since when, and how long decisions took.',
});

export const saveQueues = call({
  name: 'moderation.saveQueues',
  method: 'POST',
  path: '/admin/cases/queues',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ queues: z.array(Queue).min(1).max(MAX_QUEUES) }),
  output: z.object({ queues: z.array(QueueView) }),
  refusals: [queuesIncomplete],
  summary: 'Set the queues of cases',
  description: 'A case is in the first queue that takes its kind and reason; an empty list takes all. Time '
    + 'limits apply to cases opened from now on. Audited.',
});

export const listCases = call({
  name: 'moderation.listCases',
  method: 'GET',
  path: '/admin/cases',
  access: 'moderator',
  credential: 'cookie',
  input: z.object({
    /** Position of a queue; absent for all. */
    queue: z.int().min(0).max(MAX_QUEUES).optional(),
    closed: z.boolean().optional(),
    from: z.int().positive().optional(),
  }),
  output: z.object({ cases: z.array(CaseLine), next: z.int().nullable() }),
  refusals: [],
  summary: 'Cases of a queue',
  description:
    'Those that wait, the oldest first, or with `closed` those that are decided, the newest first; '
    + '50 a page. `next` is `from` of the page after.',
});

const ById = z.object({ id: z.int().positive() });
export const getCase = call({
  name: 'moderation.getCase',
  method: 'GET',
  path: '/admin/cases/:id',
  access: 'moderator',
  credential: 'cookie',
  input: ById,
  output: Case,
  refusals: [caseUnknown, ownReport],
  summary: 'A case with its history',
  description: 'What it is about, its clocks and every event. Nobody reads one about themselves. Audited.',
});

export const addToCase = call({
  name: 'moderation.addToCase',
  method: 'POST',
  path: '/admin/cases/:id/events',
  access: 'moderator',
  credential: 'cookie',
  input: ById.extend({
    kind: z.enum(['claim', 'release', 'escalate', 'note']),
    /** Of a note. */
    text: Note.optional(),
  }),
  output: Case,
  refusals: [caseUnknown, caseRefused, ownReport, noteMissing],
  summary: 'Claim, release or escalate a case, or add a note',
  description:
    'A claimed case is decided by whoever claimed it, or by an admin. An escalated one is shown to '
    + 'admins, who are notified.',
});

export const decideCase = call({
  name: 'moderation.decideCase',
  method: 'POST',
  path: '/admin/cases/:id/decide',
  access: 'moderator',
  credential: 'cookie',
  input: ById.extend({
    policy: z.enum(POLICIES),
    removes: z.boolean(),
    warns: z.boolean(),
    suspends: z.object({
      /** From when, at most 30 days ahead; absent for now. */
      from: z.iso.datetime().optional(),
      /** Absent for a suspension without end. */
      hours: z.int().min(1).max(MAX_SUSPENSION_HOURS).optional(),
    }).optional(),
    note: Note,
  }),
  output: Case,
  refusals: [
    caseUnknown,
    caseRefused,
    ownReport,
    notRemovable,
    subjectUnknown,
    staffProtected,
    suspensionTooLate,
  ],
  summary: 'Decide a case',
  description:
    'Once, by a policy of the site; nothing set means that nothing is wrong. Whoever is restricted '
    + 'gets a strike for 180 days, and a statement of reasons with the way to appeal. Nobody decides about '
    + 'themselves. Audited.',
});

export const reverseCase = call({
  name: 'moderation.reverseCase',
  method: 'POST',
  path: '/admin/cases/:id/reverse',
  access: 'admin',
  credential: 'cookie',
  input: ById.extend({ note: Note }),
  output: Case,
  refusals: [caseUnknown, caseRefused, ownReport],
  summary: 'Reverse a decision',
  description: 'Undoes all that it did: content returns, the suspension and the strike end, the statement is '
    + 'withdrawn. A decision that did nothing is open again. After a counter-notice not before ten business '
    + 'days. Audited.',
});

export const upholdCase = call({
  name: 'moderation.upholdCase',
  method: 'POST',
  path: '/admin/cases/:id/uphold',
  access: 'admin',
  credential: 'cookie',
  input: ById.extend({ note: Note }),
  output: Case,
  refusals: [caseUnknown, caseRefused, ownReport, ownDecision],
  summary: 'Uphold a decision that is appealed',
  description:
    'The decision stands, and cannot be appealed again. Whoever made it leaves this to another admin, if '
    + 'there is one. Audited.',
});

const StatementRecord = z.custom<Statement>((value) =>
  typeof value === 'object' && value !== null && statementFaults(value as Statement).length === 0
);
export const listStatements = call({
  name: 'moderation.listStatements',
  method: 'GET',
  path: '/admin/statements',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ from: z.int().positive().optional() }),
  output: z.object({ statements: z.array(StatementRecord), next: z.int().nullable() }),
  refusals: [],
  summary: 'Statements of reasons, for the EU’s transparency database',
  description: 'Oldest first, 100 a page, in the database’s own fields, without personal data. `statements` '
    + 'is a body that it takes. Those of reversed decisions are left out.',
});
