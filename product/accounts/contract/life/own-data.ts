import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { COPY_TICKET_SECONDS, MAX_COPY_ROWS } from '../../rules/life/own-data.ts';
import { Proof, ProofNeeded, proofRefusals } from './username.ts';

export const copyOver = refusal({
  slice: 'accounts',
  code: 'copy_over',
  kind: 'denied',
  description: 'The ticket is not one of ours, is older than five minutes, or was made for another session.',
});

const own = { access: 'member', credential: 'cookie' } as const;

export const getCopyState = call({
  ...own,
  name: 'accounts.getCopyState',
  method: 'GET',
  path: '/user/data',
  input: z.object({}),
  output: z.object({ confirmation: ProofNeeded }),
  refusals: [],
  summary: 'What a copy of one’s data takes',
  description: 'Nothing more, the password, or a new log-in.',
});

export const askForCopy = call({
  ...own,
  name: 'accounts.askForCopy',
  method: 'POST',
  path: '/user/data',
  limit: { points: 10, seconds: 3600, per: 'caller' },
  input: z.object({ ...Proof }),
  output: z.object({ status: z.literal(1), ticket: z.string() }),
  refusals: [...proofRefusals],
  summary: 'Ask for a copy of one’s data',
  description:
    `Answers a ticket for \`GET /user/data.json\`: of this session alone, for ${COPY_TICKET_SECONDS} s. `
    + 'An email says that somebody asked. Audited.',
});

export const downloadCopy = call({
  ...own,
  name: 'accounts.downloadCopy',
  method: 'GET',
  path: '/user/data.json',
  media: { accepts: 'application/json', answers: 'application/json', streams: true },
  limit: { points: 5, seconds: 3600, per: 'caller' },
  input: z.object({ ticket: z.string().max(1024), body: z.string().max(0).optional() }),
  output: z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() }),
  refusals: [copyOver],
  summary: 'A copy of your data, as JSON',
  description: 'Every table with rows of this person, people by their usernames; digests, keys and what only '
    + `protects others are left out. Streamed; at most ${MAX_COPY_ROWS.toLocaleString('en')} rows of a `
    + 'table, then `more` names it.',
});
