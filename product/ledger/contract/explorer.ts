import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { personUnknown } from '../contract.ts';

const ExplorerLeg = z.object({
  /** Null for accounts of the operator. */
  person: z.object({ id: z.int(), username: z.string() }).nullable(),
  account: z.string(),
  tokens: z.int(),
  balance: z.int().nullable(),
});
const ExplorerOperation = z.object({
  id: z.int(),
  operation: z.string(),
  kind: z.string(),
  at: z.string(),
  memo: z.record(z.string(), z.unknown()),
  legs: z.array(ExplorerLeg),
  money: z.array(z.object({ account: z.string(), minor: z.int(), currency: z.string() })),
  /** Lots it created. */
  lots: z.array(z.object({
    id: z.int(),
    promotional: z.boolean(),
    backing_cents: z.int(),
    marketing_cents: z.int(),
    tokens: z.int(),
    tokens_left: z.int(),
  })),
  /** Lots it spent, or returned tokens to (negative). */
  draws: z.array(z.object({ lot: z.int(), tokens: z.int() })),
  facts: z.array(z.object({ name: z.string(), key: z.string(), payload: z.unknown() })),
  hold: z.object({
    tokens: z.int(),
    tokens_left: z.int(),
    expires_at: z.string(),
    closed_at: z.string().nullable(),
  }).nullable(),
  /** Operations that reversed this one, oldest first: one, or several parts. */
  reversed_by: z.array(z.string()),
  /** Nothing is left to reverse. */
  is_reversed: z.boolean(),
  /** Operation that this one reversed. */
  reverses: z.string().nullable(),
});
export const findOperations = call({
  name: 'ledger.findOperations',
  method: 'GET',
  path: '/admin/ledger/operations',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    operation: z.uuid().optional(),
    username: z.string().max(64).optional(),
    before: z.int().positive().optional(),
  }),
  output: z.object({ operations: z.array(ExplorerOperation), next: z.int().nullable() }),
  refusals: [personUnknown],
  summary: 'Find money operations',
  description: 'By operation id or by person, newest first: legs, money, lots, draws, facts, reversal.',
});

export const getLedgerHealth = call({
  name: 'ledger.getLedgerHealth',
  method: 'GET',
  path: '/admin/ledger/health',
  access: 'admin',
  credential: 'cookie',
  limit: { points: 6, seconds: 60, per: 'caller' },
  input: z.object({}),
  output: z.object({
    alarms: z.array(z.object({
      alarm: z.string(),
      subject: z.string(),
      detail: z.string(),
      since: z.string(),
    })),
    sealed_until: z.string().nullable(),
    broken_seals: z.array(z.string()),
    /** Accounts that do not sum to zero, balances or lots that differ from their rows: empty. */
    faults: z.array(z.object({ fault: z.string(), subject: z.string() })),
    /** In US cents: what earnings could be paid out, and what covers it. */
    owed_cents: z.int(),
    outstanding_cents: z.int(),
    cash_cents: z.int(),
    marketing_cents: z.int(),
    receivable_cents: z.int(),
    loss_cents: z.int(),
    marketing_cap_cents: z.int(),
  }),
  refusals: [],
  summary: 'Whether the ledger is sound',
  description: 'Reads every row of the seals: not for a dashboard.',
});
