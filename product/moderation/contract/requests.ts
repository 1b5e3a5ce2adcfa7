import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { PLAIN_TEXT } from '#product/accounts/rules.ts';
import { z } from 'zod';
import { POLICIES } from '../rules/cases.ts';
import { APPEAL_GROUNDS, REQUEST_KINDS } from '../rules/clocks.ts';
import { CASE_KINDS } from '../rules/queues.ts';
import {
  KEY_PATTERN,
  MAX_ADDRESS_LENGTH,
  MAX_ADDRESSES,
  MAX_NAME_LENGTH,
  MAX_STATEMENT_LENGTH,
  MIN_STATEMENT_LENGTH,
  REFERENCE_PATTERN,
  RELATIONS,
} from '../rules/requests.ts';

const slice = 'moderation';
export const workMissing = refusal({
  slice,
  code: 'work_missing',
  kind: 'invalid',
  description: 'A copyright notice names the work.',
});
export const notDepicted = refusal({
  slice,
  code: 'not_depicted',
  kind: 'invalid',
  description: 'A take-down comes from who is shown, or from somebody who acts for them.',
});
export const addressUnknown = refusal({
  slice,
  code: 'address_unknown',
  kind: 'invalid',
  description: 'None of the addresses is one of a page.',
});
export const tooManyRequests = refusal({
  slice,
  code: 'too_many_requests',
  kind: 'conflict',
  description: 'As many requests of this network wait as may be, or altogether. A take-down is refused only '
    + 'for its own network.',
});
export const referenceUnknown = refusal({
  slice,
  code: 'reference_unknown',
  kind: 'absent',
  description: 'No request or statement has this number and key.',
});
export const appealRefused = refusal({
  slice,
  code: 'appeal_refused',
  kind: 'denied',
  description: 'Only who is affected or shown may appeal, once, within six months of the decision. A '
    + 'counter-notice answers a copyright notice alone.',
});

const Name = z.string().trim().min(1).max(MAX_NAME_LENGTH).regex(PLAIN_TEXT);
const Address = z.string().trim().min(1).max(MAX_ADDRESS_LENGTH).regex(PLAIN_TEXT);
const Statement = z.string().trim().min(MIN_STATEMENT_LENGTH).max(MAX_STATEMENT_LENGTH).regex(PLAIN_TEXT);
const Reference = z.string().regex(REFERENCE_PATTERN);
const Key = z.string().regex(KEY_PATTERN);

export const sendRequest = call({
  name: 'moderation.sendRequest',
  method: 'POST',
  path: '/moderation/requests',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    kind: z.enum(REQUEST_KINDS),
    relation: z.enum(RELATIONS),
    name: Name,
    email: z.email().max(254),
    /** Where the content is. */
    addresses: z.array(Address).min(1).max(MAX_ADDRESSES),
    statement: Statement,
    /** For a copyright notice: the work, and who owns it. */
    work: z.string().trim().max(MAX_STATEMENT_LENGTH).regex(PLAIN_TEXT).optional(),
    /** The sender believes in good faith what they state. */
    good_faith: z.literal(true),
    /** What they state is accurate, and they may state it. */
    accurate: z.literal(true),
    /** Their name, typed as a signature. */
    signature: Name,
  }),
  output: z.object({ reference: z.string(), key: z.string() }),
  refusals: [workMissing, notDepicted, addressUnknown, tooManyRequests],
  limit: { points: 10, seconds: 3600, per: 'address' },
  summary: 'Ask for a take-down, send a copyright notice, or complain',
  description: 'Without an account. A take-down by who is shown is decided within 48 hours; admins are '
    + 'notified after 24 and 44 hours if nobody has. A complaint is decided within seven business days, a '
    + 'copyright notice within three. Nothing is hidden by itself. `reference` and `key` follow it.',
});

const Action = z.enum(['none', 'removed', 'warned', 'suspended']);
export const followRequest = call({
  name: 'moderation.followRequest',
  method: 'GET',
  path: '/moderation/requests/:reference',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ reference: Reference, key: Key }),
  output: z.object({
    /** `statement` is for whoever a decision restricts. */
    of: z.enum([...REQUEST_KINDS, 'statement']),
    status: z.enum(['open', 'hidden', 'decided', 'appealed', 'upheld', 'reversed']),
    sent_at: z.string(),
    due_at: z.string().nullable(),
    decided_at: z.string().nullable(),
    /** What was decided; empty while nothing is. */
    actions: z.array(Action),
    policy: z.enum(POLICIES).nullable(),
    content: z.enum(CASE_KINDS),
    suspended_until: z.string().nullable(),
    /** Ways to appeal now, and until when. */
    appeals: z.array(z.enum(APPEAL_GROUNDS)),
    appeal_until: z.string().nullable(),
  }),
  refusals: [referenceUnknown],
  limit: { points: 60, seconds: 60, per: 'address' },
  summary: 'What became of a request, or the reasons of a decision',
  description: 'For whoever has its number and key: the state, and what comes next.',
});

export const appealDecision = call({
  name: 'moderation.appealDecision',
  method: 'POST',
  path: '/moderation/requests/:reference/appeal',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    reference: Reference,
    key: Key,
    ground: z.enum(APPEAL_GROUNDS),
    name: Name,
    statement: Statement,
    /** A counter-notice states under penalty of perjury that the removal was a mistake. */
    accurate: z.literal(true),
    signature: Name,
  }),
  output: z.object({ status: z.literal(1) }),
  refusals: [referenceUnknown, appealRefused],
  limit: { points: 5, seconds: 3600, per: 'address' },
  summary: 'Appeal a decision',
  description: 'Within six months, once, by who is affected or shown. After a counter-notice content returns '
    + 'between 10 and 14 business days later, unless an admin upholds the decision.',
});
