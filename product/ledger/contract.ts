import { z } from 'zod';
import { call } from '../../platform/contract/call.ts';
import { event } from '../../platform/contract/event.ts';
import { fact } from '../../platform/contract/fact.ts';
import { refusal } from '../../platform/contract/refusal.ts';
import { DEMO_GRANT_TOKENS } from './rules.ts';

export const demoGrantUnavailable = refusal({
  slice: 'ledger', code: 'demo_grant_unavailable', kind: 'denied',
  description: 'Development tokens exist only in demo mode.',
});
export const demoGrantUsed = refusal({
  slice: 'ledger', code: 'demo_grant_used', kind: 'limited',
  description: 'The demo grants of today are used up.',
});

export const getBalance = call({
  name: 'ledger.getBalance', method: 'GET', path: '/tokens/balance', access: 'member', credential: 'cookie',
  input: z.object({}), output: z.object({ tokens: z.int().min(0) }), refusals: [],
  summary: 'The own token balance', description: 'Whole tokens that can be spent now.',
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
});
export const getHistory = call({
  name: 'ledger.getHistory', method: 'GET', path: '/tokens/history', access: 'member', credential: 'cookie',
  input: z.object({ before: z.int().positive().optional(), limit: z.int().min(1).max(100).optional() }),
  output: z.object({ lines: z.array(HistoryLine), next: z.int().nullable() }), refusals: [],
  summary: 'The own token history',
  description: 'Newest first; `next` goes into `before` for the page after.',
});

/** Until real purchase (milestone 4), demo sites give tokens away; production refuses. */
export const takeDemoGrant = call({
  name: 'ledger.takeDemoGrant', method: 'POST', path: '/tokens/demo_grant', access: 'member',
  credential: 'cookie', idempotency: 'required',
  input: z.object({}),
  output: z.object({ status: z.literal(1), granted: z.literal(DEMO_GRANT_TOKENS), tokens: z.int() }),
  refusals: [demoGrantUnavailable, demoGrantUsed],
  summary: 'Development grant', description: 'Demo mode only: test tokens, a few times a day, never payable.',
});

/** The spec's token update: sent to every tab of the person whose balance changed. */
export const tokenUpdate = event({
  name: 'v3.token.update', socket: 'both', from: 'server',
  shape: z.object({
    username: z.string(), tokens: z.int(), token_change: z.int(), membership: z.string().nullable(),
    type: z.string(),
  }),
  description: 'The balance changed. `tokens` is the new balance, `token_change` the difference.',
});

export const balanceChanged = fact({
  name: 'ledger.balanceChanged',
  shape: z.object({
    operationId: z.string(), kind: z.string(),
    changes: z.array(z.object({ personId: z.int(), tokens: z.int(), change: z.int() })),
  }),
  description: 'Token balances of people changed by one operation.',
});
