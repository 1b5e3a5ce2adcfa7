import { call } from '#platform/contract/call.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { REGION_CODE } from '#platform/text/codes.ts';
import { z } from 'zod';
import { GATE_STATES, MAX_BLOCKED_REGIONS } from './rules.ts';

const slice = 'compliance';
export const regionBlocked = refusal({
  slice,
  code: 'region_blocked',
  kind: 'denied',
  description: 'The service is not offered in this region.',
});
export const ageVerificationRequired = refusal({
  slice,
  code: 'age_verification_required',
  kind: 'denied',
  description: 'The region requires a verified age before this.',
});
export const clearanceMissing = refusal({
  slice,
  code: 'clearance_missing',
  kind: 'denied',
  description: 'The performer has no valid clearance: identity, age and consent are not on record.',
});
export const hiddenNow = refusal({
  slice,
  code: 'hidden_now',
  kind: 'denied',
  description: 'The performer is hidden by their own wish, and goes live only after showing themselves '
    + 'again.',
});
export const performerUnknown = refusal({
  slice,
  code: 'performer_unknown',
  kind: 'absent',
  description: 'There is no such performer.',
});
export const evidenceMissing = refusal({
  slice,
  code: 'evidence_missing',
  kind: 'conflict',
  description: 'This operator clears performers by a review of their documents alone.',
});
export const ownClearance = refusal({
  slice,
  code: 'own_clearance',
  kind: 'denied',
  description: 'Nobody may decide about their own clearance.',
});

/** What the caller's region requires before anything about a performer is shown. */
export const Gate = z.enum(GATE_STATES);

export const getEntry = call({
  name: 'compliance.getEntry',
  method: 'GET',
  path: '/entry',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    gate: Gate,
    region: z.string(),
    minimumAge: z.int(),
    /** What the law of the place wants people to read, in the visitor’s language; null for nothing. */
    notice: z.string().nullable(),
    /** When a policy begins or ends next, somewhere (ISO 8601): the page asks again then. Null for never. */
    changes_at: z.string().nullable(),
  }),
  refusals: [],
  summary: 'The entry gate',
  description: '`open` if this browser needs nothing more in its region.',
});

export const declareAge = call({
  name: 'compliance.declareAge',
  method: 'POST',
  path: '/entry',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ of_age: z.literal(true) }),
  output: z.object({ status: z.literal(1), gate: Gate }),
  refusals: [regionBlocked, ageVerificationRequired],
  summary: 'Declare to be of age',
  description: 'Enough only where the region table says `declare`; sets the entry cookie for 30 days.',
});

export const ClearanceLine = z.object({
  username: z.string(),
  display_name: z.string(),
  birth_date: z.string().nullable(),
  registered_at: z.string(),
  status: z.enum(['pending', 'cleared', 'revoked']),
  decided_at: z.string().nullable(),
  decided_by: z.string().nullable(),
});
export const listClearances = call({
  name: 'compliance.listClearances',
  method: 'GET',
  path: '/compliance/clearances',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    status: z.enum(['pending', 'cleared', 'revoked']).optional(),
    page: z.int().min(1).max(10_000).optional(),
  }),
  output: z.object({ lines: z.array(ClearanceLine), page: z.int(), pages: z.int(), total: z.int() }),
  refusals: [],
  summary: 'Performers and their clearances',
  description: 'Pending first, 50 a page.',
});
export const decideClearance = call({
  name: 'compliance.decideClearance',
  method: 'POST',
  path: '/compliance/clearances/:username',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    username: z.string().max(64),
    decision: z.enum(['clear', 'revoke']),
    /** What was checked and where it is stored; for the audit log. */
    reason: z.string().trim().min(3).max(500),
  }),
  output: z.object({ status: z.literal(1), clearance_id: z.int().nullable() }),
  refusals: [performerUnknown, ownClearance, evidenceMissing],
  summary: 'Clear a performer, or revoke',
  description: 'A cleared performer can go live; revoking ends a running stream. The performer’s open pages '
    + 'reload.',
});

export const clearanceRevoked = fact({
  name: 'compliance.clearanceRevoked',
  shape: z.object({ performerId: z.int(), username: z.string() }),
  description: 'A clearance was revoked or ran out: the performer may no longer be live or listed.',
});

export const clearanceGranted = fact({
  name: 'compliance.clearanceGranted',
  shape: z.object({ performerId: z.int(), username: z.string() }),
  description: 'Somebody was cleared: a performer may now be live and listed.',
});

const BlockedRegions = z.object({
  /** ISO 3166: `DE`, `US-FL`. */
  regions: z.array(z.string().max(6).regex(REGION_CODE)).max(MAX_BLOCKED_REGIONS),
});
export const getBlockedRegions = call({
  name: 'compliance.getBlockedRegions',
  method: 'GET',
  path: '/compliance/blocked_regions',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: BlockedRegions,
  refusals: [],
  summary: 'Regions where the caller is not shown',
  description: 'The caller’s list.',
});
export const saveBlockedRegions = call({
  name: 'compliance.saveBlockedRegions',
  method: 'POST',
  path: '/compliance/blocked_regions',
  access: 'performer',
  credential: 'cookie',
  input: BlockedRegions,
  output: BlockedRegions,
  refusals: [],
  summary: 'Changes where a performer is shown to nobody',
  description: 'Replaces the caller’s whole list. A country holds its parts, and who may be in '
    + 'one of them. Rooms, listings, pictures and search follow at once.',
});

export const regionsBlocked = fact({
  name: 'compliance.regionsBlocked',
  shape: z.object({ performerId: z.int(), username: z.string() }),
  description: 'The regions in which a performer is hidden changed, so visibility is checked again.',
});

/** Whether a performer has hidden themselves. */
const Hidden = z.object({
  hidden: z.boolean(),
  /** ISO 8601; null while shown. */
  since: z.string().nullable(),
});
const own = {
  path: '/performer/hidden',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: Hidden,
  refusals: [],
} as const;
export const getHidden = call({
  ...own,
  name: 'compliance.getHidden',
  method: 'GET',
  summary: 'Whether the caller is hidden',
  description: 'At their own wish; for performers.',
});
export const hideMe = call({
  ...own,
  name: 'compliance.hideMe',
  method: 'POST',
  summary: 'End everything and hide me now',
  description: 'Ends the broadcast, closes the room to its viewers, and takes the performer out of every '
    + 'listing and search. Nobody but admins perceives them until they show themselves again. Repeating it '
    + 'changes nothing.',
});
export const showMe = call({
  ...own,
  name: 'compliance.showMe',
  method: 'DELETE',
  summary: 'Show me again',
  description: 'Undoes hiding; a broadcast does not begin again by itself.',
});
export const performerHidden = fact({
  name: 'compliance.performerHidden',
  shape: z.object({ performerId: z.int(), username: z.string() }),
  description: 'A performer hid from everybody: what runs ends, and nobody perceives them.',
});
export const performerShown = fact({
  name: 'compliance.performerShown',
  shape: z.object({ performerId: z.int(), username: z.string() }),
  description: 'A performer shows themselves again.',
});

/** The kind of place that shows something about a performer. Every visibility check names one. */
export type Surface = 'listing' | 'room' | 'thumbnail' | 'media' | 'search' | 'feed';
