import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { historyTooLong } from '../contract.ts';
import { MAX_SHOWS_OF_DAY } from '../rules/earnings.ts';

/** A calendar day in UTC. */
const Day = z.string().regex(/^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/);
const Sum = { tokens: z.int(), cents: z.int(), count: z.int() };
const OfKind = z.object({ kind: z.string(), ...Sum });

export const getEarnings = call({
  name: 'ledger.getEarnings',
  method: 'GET',
  path: '/tokens/earnings',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ before: Day.optional() }),
  output: z.object({
    /** US cents that a token pays out now. */
    payout_cents: z.int(),
    /** Everything ever earned, minus what was returned. */
    total: z.object({ tokens: z.int(), cents: z.int() }),
    /** Days with earnings, newest first: at most a month of them. */
    days: z.array(z.object({
      day: z.string(),
      ...Sum,
      kinds: z.array(OfKind),
      /** Paid shows of the day, highest earnings first. */
      shows: z.array(z.object({
        show: z.string(),
        since: z.string(),
        payer: z.string().nullable(),
        kind: z.string(),
        ...Sum,
      })).max(MAX_SHOWS_OF_DAY),
      /** Shows that are not listed; their tokens are in the sums. */
      more_shows: z.int(),
    })),
    /** Value of `before` for the days before these; null when there are none. */
    next: Day.nullable(),
  }),
  refusals: [],
  summary: 'The own earnings by day, kind and show',
  description: 'In tokens and US cents, from the postings of the ledger; days are UTC. What was returned '
    + 'counts on the day of its return.',
});

export const getEarningsOfSpan = call({
  name: 'ledger.getEarningsOfSpan',
  method: 'GET',
  path: '/tokens/earnings/span',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ from: z.iso.datetime(), to: z.iso.datetime() }),
  output: z.object({
    tokens: z.int(),
    cents: z.int(),
    kinds: z.array(OfKind),
    /** The minute with the most earnings. */
    best: z.object({ at: z.string(), tokens: z.int() }).nullable(),
  }),
  refusals: [],
  summary: 'The own earnings from one moment to another',
  description: 'By kind, and the best minute; for instance of a broadcast.',
});

export const exportEarnings = call({
  name: 'ledger.exportEarnings',
  method: 'GET',
  path: '/tokens/earnings.csv',
  access: 'performer',
  credential: 'cookie',
  media: { accepts: 'text/csv', answers: 'text/csv', streams: true },
  limit: { points: 30, seconds: 60, per: 'caller' },
  input: z.object({ body: z.string().max(0).optional() }),
  output: z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() }),
  refusals: [historyTooLong],
  summary: 'The own earnings of the last year as CSV (RFC 4180)',
  description: 'One record for each posting, oldest first, in UTF-8 with a byte order mark; times are UTC.',
});
