import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { REGION_CODE } from '#platform/text/codes.ts';
import { PLAIN_TEXT } from '#product/accounts/rules.ts';
import { LOCALES } from '#product/site/rules.ts';
import { z } from 'zod';
import { GOOD_DAYS, LIVENESS_LEVELS, REGION_RULES, VERIFICATION_METHODS } from '../rules.ts';
import { DECIDING_REASONS, VPN_CLASSES } from '../rules/policy-table.ts';
import {
  MAX_MINIMUM_AGE,
  MAX_NOTE_LENGTH,
  MAX_SOURCE_LENGTH,
  MAX_TEXT_LENGTH,
  MIN_SOURCE_LENGTH,
  POLICY_STATES,
} from '../rules/proposals.ts';

const slice = 'compliance';
export const policyPlaceUnknown = refusal({
  slice,
  code: 'policy_place_unknown',
  kind: 'invalid',
  description: 'The lists of countries, states and provinces do not have the place.',
});
export const policyZoneUnknown = refusal({
  slice,
  code: 'policy_zone_unknown',
  kind: 'invalid',
  description: 'The time zone database does not have the zone.',
});
export const policyDaysReversed = refusal({
  slice,
  code: 'policy_days_reversed',
  kind: 'invalid',
  description: 'The last day is before the first.',
});
export const policyOver = refusal({
  slice,
  code: 'policy_over',
  kind: 'invalid',
  description: 'The last day has passed, so the row would never be in force.',
});
export const policyDayPast = refusal({
  slice,
  code: 'policy_day_past',
  kind: 'invalid',
  description:
    'A row that asks for less than the one in force cannot begin before today at the place: until it is '
    + 'approved, visitors met the stricter one.',
});
export const policyMethodsWrong = refusal({
  slice,
  code: 'policy_methods_wrong',
  kind: 'invalid',
  description: 'A row has methods exactly when its rule is `verify`.',
});
export const policyUnknown = refusal({
  slice,
  code: 'policy_unknown',
  kind: 'absent',
  description: 'No row of this operator has this id.',
});
export const policyDecided = refusal({
  slice,
  code: 'policy_decided',
  kind: 'conflict',
  description: 'Somebody has approved, rejected or withdrawn the row before.',
});
export const policyOwn = refusal({
  slice,
  code: 'policy_own',
  kind: 'denied',
  description: 'Who proposed a row neither approves nor rejects it: a second person does.',
});
export const policyBegun = refusal({
  slice,
  code: 'policy_begun',
  kind: 'conflict',
  description: 'The row is in force, or was: another row has to follow it.',
});
export const tooManyPolicies = refusal({
  slice,
  code: 'too_many_policies',
  kind: 'conflict',
  description: 'As many proposals wait for a decision as may.',
});

const Place = z.string().max(6);
const Day = z.iso.date();
const ProofLasts = z.union([z.literal('session'), z.literal('good'), z.int().min(1).max(GOOD_DAYS)]);
/** What a row asks for. */
const asked = {
  /** `*`, a country `US`, or a state `US-FL` (ISO 3166). */
  region: Place,
  /** First day in force. */
  from: Day,
  /** Last day in force; null for good. */
  until: Day.nullable(),
  rule: z.enum(REGION_RULES),
  minimum_age: z.int().min(18).max(MAX_MINIMUM_AGE),
  /** In the order offered; empty unless the rule is `verify`. */
  methods: z.array(z.enum(VERIFICATION_METHODS)).max(VERIFICATION_METHODS.length),
  liveness: z.enum(LIVENESS_LEVELS),
  /** How long a proof counts: a visit, so many days, or until it is withdrawn. */
  proof_lasts: ProofLasts,
  /** The provider must not learn the site, nor the site the person. */
  anonymous: z.boolean(),
  /** What networks get that hide their place. */
  vpn_class: z.enum(VPN_CLASSES),
};

const Policy = z.object({
  ...asked,
  // Seeds may be of the demo, which nobody proposes.
  region: z.string(),
  from: z.string(),
  until: z.string().nullable(),
  proof_lasts: z.union([z.literal('session'), z.literal('good'), z.int()]),
  /** Null for a row of the committed table. */
  id: z.int().nullable(),
  time_zone: z.string(),
  /** When it begins, and ends (ISO 8601); null for never. */
  starts_at: z.string(),
  ends_at: z.string().nullable(),
  /** What the entry gate shows, by language. */
  texts: z.record(z.string(), z.string()),
  source: z.string(),
  note: z.string(),
  /** Counsel has confirmed it. */
  is_confirmed: z.boolean(),
  state: z.enum(['seed', ...POLICY_STATES]),
  proposed_by: z.string().nullable(),
  proposed_at: z.string().nullable(),
  decided_by: z.string().nullable(),
  decided_at: z.string().nullable(),
  decided_reason: z.string().nullable(),
  withdrawn_by: z.string().nullable(),
  withdrawn_at: z.string().nullable(),
  withdrawn_reason: z.string().nullable(),
});
export type PolicyView = z.infer<typeof Policy>;

const admin = { access: 'admin', credential: 'cookie' } as const;

export const listPolicies = call({
  ...admin,
  name: 'compliance.listPolicies',
  method: 'GET',
  path: '/compliance/policies',
  input: z.object({}),
  output: z.object({
    /** One row for each place that has one, by place. */
    in_force: z.array(Policy),
    /** Rows that begin later, soonest first. */
    next: z.array(Policy),
    /** Proposals that wait for a second person, oldest first. */
    waiting: z.array(z.object({
      policy: Policy,
      /** What decides for its place now. */
      instead_of: Policy,
      /** It asks for less. */
      is_laxer: z.boolean(),
      /** The caller proposed it, so somebody else decides. */
      is_own: z.boolean(),
    })),
  }),
  refusals: [],
  summary: 'The policies of places',
  description:
    'Those in force, those that begin next, and proposals. Rows of the committed table have no id, and '
    + 'none of them is confirmed by counsel.',
});

export const listPolicyHistory = call({
  ...admin,
  name: 'compliance.listPolicyHistory',
  method: 'GET',
  path: '/compliance/policies/history',
  input: z.object({ region: Place, before: z.int().positive().optional() }),
  output: z.object({
    policies: z.array(Policy),
    next: z.int().nullable(),
    /** The rows of the committed table, newest first. */
    seeds: z.array(Policy),
  }),
  refusals: [],
  summary: 'The history of a place',
  description:
    'Every row that was ever proposed for it, newest first, 20 a page. `next` is `before` of the page '
    + 'after.',
});

export const previewPolicy = call({
  ...admin,
  name: 'compliance.previewPolicy',
  method: 'GET',
  path: '/compliance/policies/preview',
  input: z.object({
    region: z.union([z.string().max(6).regex(REGION_CODE), z.literal('unknown')]),
    /** A day at the place; now without it. */
    at: Day.optional(),
    /** Through a network that hides its place. */
    vpn: z.boolean().optional(),
  }),
  output: z.object({
    /** What a visitor without any proof meets. */
    gate: z.enum(REGION_RULES),
    minimum_age: z.int(),
    methods: z.array(z.enum(VERIFICATION_METHODS)),
    texts: z.record(z.string(), z.string()),
    /** The moment that was looked at. */
    at: z.string(),
    /** The row that decides, and why it does. */
    policy: Policy,
    why: z.enum(DECIDING_REASONS),
  }),
  refusals: [],
  summary: 'What a visitor from a place meets',
  description: 'By the rows that are in force, or will be on that day as far as they are approved now.',
});

export const proposePolicy = call({
  ...admin,
  name: 'compliance.proposePolicy',
  method: 'POST',
  path: '/compliance/policies',
  input: z.object({
    ...asked,
    /** In which the days begin and end; null for that of the place. */
    time_zone: z.string().max(64).nullable(),
    texts: z.partialRecord(z.enum(LOCALES), z.string().trim().min(1).max(MAX_TEXT_LENGTH).regex(PLAIN_TEXT)),
    source: z.string().trim().min(MIN_SOURCE_LENGTH).max(MAX_SOURCE_LENGTH).regex(PLAIN_TEXT),
    note: z.string().trim().max(MAX_NOTE_LENGTH).regex(PLAIN_TEXT),
    is_confirmed: z.boolean(),
  }),
  output: Policy,
  refusals: [
    policyPlaceUnknown,
    policyZoneUnknown,
    policyDaysReversed,
    policyOver,
    policyDayPast,
    policyMethodsWrong,
    tooManyPolicies,
  ],
  summary: 'Propose a policy',
  description: 'Changes nothing until a second person approves it.',
});

const Reason = z.string().trim().min(3).max(500).regex(PLAIN_TEXT);
const Id = z.int().positive();
export const approvePolicy = call({
  ...admin,
  name: 'compliance.approvePolicy',
  method: 'POST',
  path: '/compliance/policies/:id/approve',
  input: z.object({ id: Id, reason: Reason }),
  output: Policy,
  refusals: [policyUnknown, policyDecided, policyOwn, policyOver, policyDayPast],
  summary: 'Approve a policy',
  description:
    'By somebody else than who proposed it. It is in force from its first day on; where that has begun, '
    + 'at once: visitors whom it no longer admits leave every room and stream.',
});
export const rejectPolicy = call({
  ...admin,
  name: 'compliance.rejectPolicy',
  method: 'POST',
  path: '/compliance/policies/:id/reject',
  input: z.object({ id: Id, reason: Reason }),
  output: Policy,
  refusals: [policyUnknown, policyDecided, policyOwn],
  summary: 'Reject a policy',
  description: 'By somebody else than who proposed it, who withdraws it instead.',
});
export const withdrawPolicy = call({
  ...admin,
  name: 'compliance.withdrawPolicy',
  method: 'POST',
  path: '/compliance/policies/:id/withdraw',
  input: z.object({ id: Id, reason: Reason }),
  output: Policy,
  refusals: [policyUnknown, policyDecided, policyBegun],
  summary: 'Withdraw a policy',
  description: 'A proposal, or an approved row that has not begun. The row stays in the history.',
});

export const policiesChanged = fact({
  name: 'compliance.policiesChanged',
  shape: z.object({ regions: z.array(z.string()), appliesNow: z.boolean() }),
  description:
    'Rows were approved or withdrawn. `appliesNow`: what visitors from there meet changes at once.',
});
export const policyStarted = fact({
  name: 'compliance.policyStarted',
  shape: z.object({ regions: z.array(z.string()) }),
  description: 'Rows of these places began or ended: who may perceive anybody there is checked again.',
});

export const entryChanged = event({
  name: 'v3.entry.changed',
  socket: 'lobby',
  from: 'server',
  shape: z.object({}),
  description: 'Another policy is in force where this page is: it asks for its entry gate again.',
});
