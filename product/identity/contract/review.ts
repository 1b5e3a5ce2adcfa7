import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { PLAIN_TEXT } from '#product/accounts/rules.ts';
import { z } from 'zod';
import { StepName } from '../contract.ts';
import {
  ALL_REASONS,
  APPLICATION_STATES,
  DOCUMENT_KINDS,
  LOOK_REASONS,
  MAX_MIN_AGE,
  MAX_NAME_LENGTH,
  MAX_NOTE_LENGTH,
  MAX_REVIEWERS,
  MIN_AGE,
  STEP_STATES,
  VERDICTS,
} from '../rules.ts';

const slice = 'identity';
export const applicationUnknown = refusal({
  slice,
  code: 'application_unknown',
  kind: 'absent',
  description: 'No application of this operator has this id.',
});
export const ownApplication = refusal({
  slice,
  code: 'own_application',
  kind: 'denied',
  description: 'Nobody reads or decides their own application, or changes the hold on it.',
});
export const lookMissing = refusal({
  slice,
  code: 'look_missing',
  kind: 'denied',
  description: 'The application was not opened with a reason by this reviewer, or too long ago.',
});
export const applicationChanged = refusal({
  slice,
  code: 'application_changed',
  kind: 'conflict',
  description: 'The application was handed in again, or decided, since it was opened.',
});
export const decidedBefore = refusal({
  slice,
  code: 'decided_before',
  kind: 'conflict',
  description: 'The caller has already decided about this hand-in; a second person has to.',
});
export const decisionIncomplete = refusal({
  slice,
  code: 'decision_incomplete',
  kind: 'invalid',
  description: 'Each step needs a decision, and a rejected one a reason of its list; `other` needs a note.',
});
export const acceptsTooYoung = refusal({
  slice,
  code: 'accepts_too_young',
  kind: 'denied',
  description: 'The stated birth date is not of age on the server’s day, so the application is not accepted.',
});
export const acceptsExpired = refusal({
  slice,
  code: 'accepts_expired',
  kind: 'denied',
  description: 'The document is no longer valid on the server’s day, so the application is not accepted.',
});

const staff = { access: 'admin', credential: 'cookie' } as const;
const Note = z.string().trim().max(MAX_NOTE_LENGTH).regex(PLAIN_TEXT);
const Id = z.int().positive();

const QueueLine = z.object({
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  state: z.enum(APPLICATION_STATES),
  hand_in: z.int(),
  handed_in_at: z.string(),
  /** Whether the caller decided about this hand-in, so that somebody else has to. */
  is_decided_by_me: z.boolean(),
  is_own: z.boolean(),
});
export type QueueLineView = z.infer<typeof QueueLine>;
export const listApplications = call({
  ...staff,
  name: 'identity.listApplications',
  method: 'GET',
  path: '/admin/identity',
  input: z.object({ after: z.string().regex(/^\d{1,15}\.\d{1,15}$/).optional() }),
  output: z.object({
    lines: z.array(QueueLine),
    /** `after` of the page that follows; null at the end. */
    next: z.string().nullable(),
    waiting: z.int(),
  }),
  refusals: [],
  summary: 'Applications that wait for a review',
  description: 'Handed in and undecided, the oldest first, 50 a page. Nothing of the vault.',
});

const Decided = z.object({
  reviewer: z.string().nullable(),
  verdict: z.enum(VERDICTS),
  note: z.string(),
  at: z.string(),
});
const Opened = z.object({
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  state: z.enum(APPLICATION_STATES),
  hand_in: z.int(),
  handed_in_at: z.string().nullable(),
  /** Proves that this reviewer opened it with a reason; for its pictures and a decision, for half an hour. */
  look: z.string(),
  who: z.object({
    legal_name: z.string(),
    birth_date: z.string(),
    /** In whole years on the server's day. */
    age: z.int(),
    is_of_age: z.boolean(),
    country: z.string(),
    aliases: z.array(z.string()),
    /** The birth date stated at sign-up. */
    account_birth_date: z.string(),
  }).nullable(),
  document: z.object({
    kind: z.enum(DOCUMENT_KINDS),
    country: z.string(),
    number_end: z.string(),
    expires_on: z.string(),
    is_expired: z.boolean(),
    has_front: z.boolean(),
    has_back: z.boolean(),
  }).nullable(),
  has_selfie: z.boolean(),
  agreement: z.string().nullable(),
  payout_country: z.string().nullable(),
  about: z.string(),
  languages: z.array(z.string()),
  steps: z.array(z.object({
    step: StepName,
    state: z.enum(STEP_STATES),
    reason: z.enum(ALL_REASONS).nullable(),
    note: z.string(),
  })),
  decisions: z.array(Decided),
  reviewers: z.int(),
  legal_hold: z.boolean(),
  retain_until: z.string().nullable(),
});
export type OpenedView = z.infer<typeof Opened>;
export const openApplication = call({
  ...staff,
  name: 'identity.openApplication',
  method: 'POST',
  path: '/admin/identity/:id/open',
  input: z.object({ id: Id, reason: z.enum(LOOK_REASONS), note: Note }),
  output: Opened,
  refusals: [applicationUnknown, ownApplication],
  limit: { points: 60, seconds: 300, per: 'caller' },
  summary: 'Open an application of the vault',
  description: 'Decrypts what was typed. The audit log has who opened it, when and why.',
});

const Bytes = z.custom<Uint8Array>((body) => body instanceof Uint8Array);
export const getIdentityPicture = call({
  ...staff,
  name: 'identity.getPicture',
  method: 'GET',
  path: '/admin/identity/:id/pictures/:picture',
  media: { accepts: 'image/webp', answers: 'image/webp' },
  limit: { points: 200, seconds: 300, per: 'caller' },
  input: z.object({
    id: Id,
    picture: z.enum(['front', 'back', 'selfie']),
    look: z.string().max(1_024),
    body: z.string().max(0).optional(),
  }),
  output: z.object({ status: z.literal(200), headers: z.record(z.string(), z.string()), body: Bytes }),
  refusals: [applicationUnknown, lookMissing],
  summary: 'A picture of the vault',
  description: 'Decrypted for the reviewer who opened the application; stored by no cache. Audited.',
});

export const decideApplication = call({
  ...staff,
  name: 'identity.decide',
  method: 'POST',
  path: '/admin/identity/:id/decision',
  input: z.object({
    id: Id,
    look: z.string().max(1_024),
    /** Asks a second person to decide; then `steps` is empty. */
    second_look: z.boolean(),
    steps: z.array(z.object({
      step: StepName,
      accepted: z.boolean(),
      reason: z.enum(ALL_REASONS).optional(),
      note: Note,
    })).max(10),
    note: Note,
  }),
  output: z.object({ state: z.enum(APPLICATION_STATES), clearance_id: z.int().nullable() }),
  refusals: [
    applicationUnknown,
    ownApplication,
    lookMissing,
    applicationChanged,
    decidedBefore,
    decisionIncomplete,
    acceptsTooYoung,
    acceptsExpired,
  ],
  summary: 'Decide about an application',
  description:
    'All steps accepted clears the performer in the same unit of work, once enough people accepted. '
    + 'One rejected step sends it back with the reasons. The performer gets an email either way.',
});

export const holdRecords = call({
  ...staff,
  name: 'identity.holdRecords',
  method: 'POST',
  path: '/admin/identity/:id/hold',
  input: z.object({ id: Id, hold: z.boolean(), reason: z.string().trim().min(3).max(500).regex(PLAIN_TEXT) }),
  output: z.object({ status: z.literal(1), legal_hold: z.boolean() }),
  refusals: [applicationUnknown, ownApplication],
  summary: 'Put records on legal hold, or end it',
  description:
    'Records on hold are erased by no clock, and stay when they are replaced. Their performer does '
    + 'not learn of it. Audited.',
});

const Rules = z.object({
  requires_evidence: z.boolean(),
  reviewers: z.int().min(1).max(MAX_REVIEWERS),
  minimum_age: z.int().min(MIN_AGE).max(MAX_MIN_AGE),
});
export const getIdentityRules = call({
  ...staff,
  name: 'identity.getRules',
  method: 'GET',
  path: '/admin/identity_rules',
  input: z.object({}),
  output: Rules,
  refusals: [],
  summary: 'What the operator asks of performers',
  description: 'Whether going live needs evidence, how many people accept, and the minimum age.',
});
export const saveIdentityRules = call({
  ...staff,
  name: 'identity.saveRules',
  method: 'POST',
  path: '/admin/identity_rules',
  input: Rules.extend({ reason: z.string().trim().min(3).max(500).regex(PLAIN_TEXT) }),
  output: Rules,
  refusals: [],
  summary: 'Change what the operator asks of performers',
  description:
    'Once evidence is required, nobody begins a broadcast without it, and a clearance without it is '
    + 'refused by the database. Broadcasts that run go on. Audited.',
});

const Match = z.object({
  id: z.int().nullable(),
  username: z.string(),
  display_name: z.string(),
  state: z.enum(APPLICATION_STATES).nullable(),
});
export const inspect = call({
  ...staff,
  name: 'identity.inspect',
  method: 'POST',
  path: '/admin/identity_search',
  input: z.object({
    /** A username, a legal name or an alias; whole. */
    name: z.string().trim().min(2).max(MAX_NAME_LENGTH),
    reason: z.enum(LOOK_REASONS),
  }),
  output: z.object({ matches: z.array(Match) }),
  refusals: [],
  limit: { points: 60, seconds: 300, per: 'caller' },
  summary: 'Find a performer’s records by any of their names',
  description: 'For an inspection: by username, legal name or alias, at most 50. Their records are then '
    + 'opened one by one. Audited.',
});
