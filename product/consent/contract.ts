import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { CONSENT_DAYS } from './rules.ts';

const Purposes = z.object({
  /** Remembering what people did: history, what “for you” learns, the last tip. */
  preferences: z.boolean(),
  /** Counting visits, experiments and pages, and sending console output where support asks for it. */
  statistics: z.boolean(),
  /** Storing which advert brought a person with their purchases, and opening offers by themselves. */
  marketing: z.boolean(),
});

export const getConsent = call({
  name: 'consent.getConsent',
  method: 'GET',
  path: '/consent',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** Whether nothing is stored here before a yes; otherwise consent is assumed, except for marketing. */
    asked: z.boolean(),
  }),
  refusals: [],
  summary: 'Whether consent is asked for',
  description: 'By the operator and the region. The cookie `consent` has what this browser chose; the answer '
    + 'sets it for a person who chose elsewhere.',
});

export const saveConsent = call({
  name: 'consent.saveConsent',
  method: 'POST',
  path: '/consent',
  access: 'anyone',
  credential: 'cookie',
  input: Purposes.extend({ chosen_in: z.enum(['banner', 'settings']) }),
  output: Purposes,
  refusals: [],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Allow or refuse what the site doesn’t need',
  description: `Holds for ${CONSENT_DAYS} days, in this browser by the cookie \`consent\`, and for a person `
    + 'in all of theirs; each choice of a person is stored as evidence. Answers what is in force: a browser '
    + 'that sends Global Privacy Control or Do Not Track refuses statistics and marketing.',
});
