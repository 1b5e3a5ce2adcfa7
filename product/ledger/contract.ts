import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { hostRefusals, refusal } from '#platform/contract/refusal.ts';
import type { QualifiedKey } from '#platform/text/message-keys.ts';
import { z } from 'zod';
import { DEMO_GRANT_TOKENS, MAX_MARKETING_CENTS, MAX_PAYOUT_CENTS, REVERSAL_MODES } from './rules.ts';
import { EXPORT_PAGE_LINES, MAX_EXPORT_LINES } from './rules/table.ts';

const slice = 'ledger';

export const demoGrantUnavailable = refusal({
  slice,
  code: 'demo_grant_unavailable',
  kind: 'denied',
  description: 'Development tokens exist only in demo mode.',
});
export const demoGrantUsed = refusal({
  slice,
  code: 'demo_grant_used',
  kind: 'limited',
  description: 'The demo grants of today are used up.',
});

export const notEnoughTokens = refusal({
  slice,
  code: 'not_enough_tokens',
  kind: 'funds',
  description: 'The balance is below the amount. Opens the purchase.',
});
export const postpayCardFail = refusal({
  slice,
  code: 'postpay_card_fail',
  kind: 'funds',
  description: 'Post-pay covers the amount once the debt is paid. Opens the post-pay card modal.',
});
/**
 * The same type with another message, `Not enough tokens`: post-pay could never cover the amount, so
 * a card does not help and the page stops (spec 1 §8).
 */
export const postpayExhausted = {
  ...postpayCardFail,
  message: 'ledger:refusals.postpay_exhausted' satisfies QualifiedKey,
} as const;
export const overDailyBudget = refusal({
  slice,
  code: 'user_daily_limit',
  kind: 'limited',
  description: 'The person\'s own daily budget is used up; `until` says when it resets (spec 1 §8).',
});
export const overWeeklyBudget = refusal({
  slice,
  code: 'user_weekly_limit',
  kind: 'limited',
  description: 'The person\'s own weekly budget is used up; `until` says when it resets.',
});
export const overMonthlyBudget = refusal({
  slice,
  code: 'user_monthly_limit',
  kind: 'limited',
  description: 'The person\'s own monthly budget is used up; `until` says when it resets.',
});
export const coolingOff = refusal({
  slice,
  code: 'cooling_off',
  kind: 'limited',
  description: 'The person takes a break until `until`.',
});
export const selfExcluded = refusal({
  slice,
  code: 'self_excluded',
  kind: 'denied',
  description: 'The person has excluded themselves until `until`.',
});
export const spendingBlocked = refusal({
  slice,
  code: 'spending_blocked',
  kind: 'denied',
  description: 'Spending is closed by staff, or by a chargeback until the debt is paid.',
});
export const marketingCap = refusal({
  slice,
  code: 'marketing_cap',
  kind: 'limited',
  description: 'The operator can give away no more tokens: its marketing cap is reached.',
});
export const performerCap = refusal({
  slice,
  code: 'performer_cap',
  kind: 'limited',
  description: 'The performer would earn more of tokens that were given away than anybody may in a UTC day, '
    + 'and the payer has not enough others.',
});
export const holdClosed = refusal({
  slice,
  code: 'hold_closed',
  kind: 'conflict',
  description: 'The tokens held for this were already released.',
});
export const notReversible = refusal({
  slice,
  code: 'not_reversible',
  kind: 'conflict',
  description: 'The operation is unknown, already reversed, already spent, or cannot be reversed.',
});
/** Refusals that every call which spends tokens declares too; `refuse` of the service chooses one. */
export const spendRefusals = [
  notEnoughTokens,
  postpayCardFail,
  overDailyBudget,
  overWeeklyBudget,
  overMonthlyBudget,
  coolingOff,
  selfExcluded,
  spendingBlocked,
  marketingCap,
  performerCap,
  holdClosed,
  notReversible,
  hostRefusals.keyReused,
] as const;
export type SpendRefusal = (typeof spendRefusals)[number];
export const personUnknown = refusal({
  slice,
  code: 'person_unknown',
  kind: 'absent',
  description: 'Nobody has this username or id.',
});

export const getBalance = call({
  name: 'ledger.getBalance',
  method: 'GET',
  path: '/tokens/balance',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ tokens: z.int().min(0) }),
  refusals: [],
  summary: 'The own token balance',
  description: 'Whole tokens that can be spent now.',
});

export const HistoryLine = z.object({
  id: z.int(),
  operation: z.string(),
  kind: z.string(),
  /** Change of the own balance in tokens; negative when spent. */
  tokens: z.int(),
  balance: z.int(),
  memo: z.record(z.string(), z.unknown()),
  at: z.string(),
  /** Money paid for it, negative if returned; null if none was. */
  money: z.object({ minor: z.int(), currency: z.string() }).nullable(),
  /** What a refund or a chargeback undid, and who had earned it. */
  reverses: z.object({ kind: z.string(), to: z.string().nullable() }).nullable(),
});
/** A calendar month in UTC. */
export const Month = z.string().regex(/^[12]\d{3}-(?:0[1-9]|1[0-2])$/);
export const Kind = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/);
export const getHistory = call({
  name: 'ledger.getHistory',
  method: 'GET',
  path: '/tokens/history',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    before: z.int().positive().optional(),
    limit: z.int().min(1).max(100).optional(),
    kind: Kind.optional(),
    month: Month.optional(),
  }),
  output: z.object({
    lines: z.array(HistoryLine),
    next: z.int().nullable(),
    /** Every kind of which the person has lines, for the filter; only with the first page. */
    kinds: z.array(z.string()).nullable(),
  }),
  refusals: [],
  summary: 'The own token history',
  description: 'Newest first; `next` goes into `before` for the page after. `kind` and `month` filter.',
});

export const historyTooLong = refusal({
  slice,
  code: 'history_too_long',
  kind: 'invalid',
  description: 'More entries match than one file holds. A month or a kind narrows them; `after` reads pages.',
});
export const exportHistory = call({
  name: 'ledger.exportHistory',
  method: 'GET',
  path: '/tokens/history.csv',
  access: 'member',
  credential: 'cookie',
  media: { accepts: 'text/csv', answers: 'text/csv', streams: true },
  limit: { points: 30, seconds: 60, per: 'caller' },
  input: z.object({
    kind: Kind.optional(),
    month: Month.optional(),
    after: z.int().min(0).optional(),
    body: z.string().max(0).optional(),
  }),
  output: z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() }),
  refusals: [historyTooLong],
  summary: 'The own token history as CSV (RFC 4180)',
  description: 'Oldest first, in UTF-8; without `month` the last year. The whole file is streamed, with a '
    + `byte order mark, up to ${MAX_EXPORT_LINES.toLocaleString('en')} entries. With \`after\` it is a page `
    + `of ${EXPORT_PAGE_LINES.toLocaleString('en')}, with a \`Link\` to the next (\`rel="next"\`); `
    + '`after=0` begins.',
});

export const getStatement = call({
  name: 'ledger.getStatement',
  method: 'GET',
  path: '/tokens/statement',
  access: 'member',
  credential: 'cookie',
  input: z.object({ month: Month }),
  output: z.object({
    month: z.string(),
    /** Balance in tokens before and after the month. */
    opening: z.int(),
    closing: z.int(),
    credited: z.int(),
    spent: z.int(),
    /** Totals by kind of operation. */
    kinds: z.array(z.object({ kind: z.string(), count: z.int(), credited: z.int(), spent: z.int() })),
    /** Tokens bought in the month, and what was paid for them: one amount for each currency. */
    purchased: z.object({
      tokens: z.int(),
      money: z.array(z.object({ minor: z.int(), currency: z.string() })),
    }),
    /** Months with lines, newest first. */
    months: z.array(z.string()),
  }),
  refusals: [],
  summary: 'The own statement of a month',
  description: 'Opening and closing balance, totals by kind. `purchased.money` has what payment processors '
    + 'took for the tokens bought in the month, in minor units: one amount for each currency, as paid.',
});

export const tokensUncovered = refusal({
  slice,
  code: 'tokens_uncovered',
  kind: 'conflict',
  description: 'Tokens in circulation would pay out more than the money and marketing that cover them.',
});
const MoneyRules = z.object({
  /**
   * In US cents: the payout of a token; the cap of marketing in all, and the amount booked; the cap of one
   * person's promotional earnings in a UTC day.
   */
  payout_cents: z.int(),
  marketing_cap_cents: z.int(),
  marketing_booked_cents: z.int(),
  performer_cap_cents: z.int(),
});
export const getMoneyRules = call({
  name: 'ledger.getMoneyRules',
  method: 'GET',
  path: '/admin/ledger/rules',
  access: 'admin',
  credential: 'cookie',
  input: z.object({}),
  output: MoneyRules,
  refusals: [],
  summary: 'What a token pays out, and what marketing may cost',
  description: 'As it holds now.',
});
export const changeMoneyRules = call({
  name: 'ledger.changeMoneyRules',
  method: 'POST',
  path: '/admin/ledger/rules',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    payout_cents: z.int().min(0).max(MAX_PAYOUT_CENTS),
    marketing_cap_cents: z.int().min(0).max(MAX_MARKETING_CENTS),
    performer_cap_cents: z.int().min(0).max(MAX_MARKETING_CENTS),
    reason: z.string().trim().min(3).max(500),
  }),
  output: MoneyRules,
  refusals: [tokensUncovered],
  summary: 'Change what a token pays out, and what marketing may cost',
  description: 'Applies to every token in circulation. A raise beyond their cover is refused. '
    + 'A cap below what is booked stops grants until it is raised. Beyond the cap of a performer, tips take '
    + 'bought tokens first and are refused when those do not suffice. Audited.',
});

export const reverseOperation = call({
  name: 'ledger.reverseOperation',
  method: 'POST',
  path: '/admin/ledger/reversals',
  access: 'admin',
  credential: 'cookie',
  idempotency: 'required',
  input: z.object({
    operation: z.uuid(),
    mode: z.enum(REVERSAL_MODES),
    reason: z.string().trim().min(3).max(500),
  }),
  output: z.object({ status: z.literal(1), operation: z.string() }),
  refusals: [...spendRefusals],
  summary: 'Reverse an operation',
  description: 'A refund returns everything or nothing; a chargeback takes what is left and books the '
    + 'rest as debt. Once for each operation.',
});

export const takeDemoGrant = call({
  name: 'ledger.takeDemoGrant',
  method: 'POST',
  path: '/tokens/demo_grant',
  access: 'member',
  credential: 'cookie',
  idempotency: 'required',
  input: z.object({}),
  output: z.object({ status: z.literal(1), granted: z.literal(DEMO_GRANT_TOKENS), tokens: z.int() }),
  refusals: [demoGrantUnavailable, demoGrantUsed, marketingCap],
  summary: 'Development grant',
  description: 'Demo mode only: test tokens, a few times a day, never payable.',
});

/** The spec's token update: sent to every tab of the person whose balance changed. */
export const tokenUpdate = event({
  name: 'v3.token.update',
  socket: 'both',
  from: 'server',
  shape: z.object({
    username: z.string(),
    tokens: z.int(),
    token_change: z.int(),
    membership: z.string().nullable(),
    /** Kind of the operation: `payout`, `purchase_tokens` (spec 1 §3), `tip` …; `membership` without one. */
    type: z.string(),
    /** Private messages are for people with tokens or a membership. */
    pmIsEnabled: z.boolean(),
  }),
  description: 'The balance changed. `tokens` is the new balance, `token_change` the difference.',
  requirements: ['A-215', 'A-216', 'A-383', 'C-328'],
});

export const balanceChanged = fact({
  name: 'ledger.balanceChanged',
  shape: z.object({
    operationId: z.string(),
    kind: z.string(),
    changes: z.array(z.object({ personId: z.int(), tokens: z.int(), change: z.int() })),
  }),
  description: 'Token balances of people changed by one operation.',
});
