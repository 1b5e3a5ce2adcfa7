import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { personUnknown } from '../contract.ts';
import {
  BLOCK_CAUSES,
  BUDGET_PERIODS,
  COOL_OFF_HOURS,
  MAX_BUDGET_TOKENS,
  SELF_EXCLUSION_DAYS,
} from '../rules.ts';

const slice = 'ledger';
export const exclusionShortened = refusal({
  slice,
  code: 'exclusion_shortened',
  kind: 'conflict',
  description: 'A running cool-off or self-exclusion is extended, never shortened; `until` is its end.',
});

const BudgetLine = z.object({
  period: z.enum(BUDGET_PERIODS),
  /** Null without a budget. */
  tokens: z.int().nullable(),
  spent: z.int(),
  resets_at: z.string(),
  /** A higher budget that applies from `at`. */
  next: z.object({ tokens: z.int().nullable(), at: z.string() }).nullable(),
});
const LimitsShape = z.object({
  budgets: z.array(BudgetLine),
  cooling_off_until: z.string().nullable(),
  self_excluded_until: z.string().nullable(),
  blocked: z.boolean(),
  credit_tokens: z.int(),
  debt_tokens: z.int(),
});
export const getLimits = call({
  name: 'ledger.getLimits',
  method: 'GET',
  path: '/tokens/limits',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: LimitsShape,
  refusals: [],
  summary: 'The own spending limits',
  description: 'Budgets of day, week and month (UTC), and what closes spending.',
});

const Budget = z.int().min(1).max(MAX_BUDGET_TOKENS).nullable().optional();
export const setLimits = call({
  name: 'ledger.setLimits',
  method: 'POST',
  path: '/tokens/limits',
  access: 'member',
  credential: 'cookie',
  input: z.object({ day: Budget, week: Budget, month: Budget }),
  output: LimitsShape,
  refusals: [],
  summary: 'Set own budgets',
  description: 'A period left out stays; null is none. A lower budget applies at once, a higher one in 24 h.',
});

export const takeCoolOff = call({
  name: 'ledger.takeCoolOff',
  method: 'POST',
  path: '/tokens/cool_off',
  access: 'member',
  credential: 'cookie',
  input: z.object({ hours: z.literal(COOL_OFF_HOURS) }),
  output: LimitsShape,
  refusals: [exclusionShortened],
  summary: 'Take a break from spending',
  description: 'Nothing can be spent until it is over.',
});

export const excludeSelf = call({
  name: 'ledger.excludeSelf',
  method: 'POST',
  path: '/tokens/self_exclusion',
  access: 'member',
  credential: 'cookie',
  input: z.object({ days: z.literal(SELF_EXCLUSION_DAYS) }),
  output: LimitsShape,
  refusals: [exclusionShortened],
  summary: 'Exclude yourself from spending',
  description: 'For a long time; nobody can shorten it, not even staff.',
});

export const getSpendingState = call({
  name: 'ledger.getStanding',
  method: 'GET',
  path: '/admin/ledger/standing/:username',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ username: z.string().max(64) }),
  output: z.object({
    username: z.string(),
    tokens: z.int(),
    /** All tokens a performer ever earned; null for people who are not performers and never earned any. */
    earned: z.int().nullable(),
    /** Who closed spending, the reason (given by staff, or the chargeback's operation) and the time. */
    blocked: z.object({ cause: z.enum(BLOCK_CAUSES), reason: z.string(), at: z.string() }).nullable(),
    /** Credit limit and debt. */
    credit_tokens: z.int(),
    debt_tokens: z.int(),
    cooling_off_until: z.string().nullable(),
    self_excluded_until: z.string().nullable(),
  }),
  refusals: [personUnknown],
  summary: 'What a person has, and what restricts their spending',
  description: 'Balance, earnings, what closes spending, the credit limit and the debt. Their own '
    + 'budgets are not shown.',
});

export const setSpendingState = call({
  name: 'ledger.setStanding',
  method: 'POST',
  path: '/admin/ledger/standing/:username',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    username: z.string().max(64),
    blocked: z.boolean(),
    reason: z.string().trim().min(3).max(500),
  }),
  output: z.object({ status: z.literal(1), blocked: z.boolean() }),
  refusals: [personUnknown],
  summary: 'Close or open a person\'s spending',
  description: 'The reason is written to the audit log.',
});
