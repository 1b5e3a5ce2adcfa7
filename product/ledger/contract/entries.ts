import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { HistoryLine, Kind, Month } from '../contract.ts';
import { MAX_PARTS } from '../rules/entries.ts';

const Entry = HistoryLine.omit({ operation: true }).extend({
  /** When its oldest line was; `at`, `id` and `balance` are those of the newest. */
  since: z.string(),
  /** All its lines, newest first, when it has several. */
  parts: z.array(HistoryLine).max(MAX_PARTS),
  /** Number of lines that are left out. */
  more_parts: z.int(),
});

export const getHistoryEntries = call({
  name: 'ledger.getHistoryEntries',
  method: 'GET',
  path: '/tokens/history/entries',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    before: z.int().positive().optional(),
    limit: z.int().min(1).max(100).optional(),
    kind: Kind.optional(),
    month: Month.optional(),
  }),
  output: z.object({
    entries: z.array(Entry),
    next: z.int().nullable(),
    /** Every kind of which the person has entries, for the filter; only with the first page. */
    kinds: z.array(z.string()).nullable(),
  }),
  refusals: [],
  summary: 'The own token history, one entry for each show and purchase',
  description: 'Newest first; `next` goes into `before` for the page after. Lines of one show are one '
    + 'entry, with what it cost in all; so are the bought and the free tokens of one order. `kind` and '
    + '`month` filter.',
});
