import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import {
  MAX_KEY_LENGTH,
  MAX_NOTE_LENGTH,
  MAX_REDIRECT_DAYS,
  MAX_REDIRECT_USES,
  MAX_TARGET_LENGTH,
  REDIRECT_STATES,
} from '../rules/redirects.ts';
import { Reason } from './seller.ts';

const slice = 'site';
export const targetRefused = refusal({
  slice,
  code: 'redirect_target_refused',
  kind: 'invalid',
  description: 'The target is neither a path of this site nor an https address of an allowed host.',
});
export const redirectUnknown = refusal({
  slice,
  code: 'redirect_unknown',
  kind: 'absent',
  description: 'No redirect key of this operator has this id.',
});

export const verifyRedirect = call({
  name: 'site.verifyRedirect',
  method: 'GET',
  path: '/redir/:key/verify',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ key: z.string().max(MAX_KEY_LENGTH) }),
  output: z.object({
    verified: z.boolean(),
    /** A path of this site, or an https address; null unless verified. */
    target: z.string().nullable(),
    /** Host of the other site; null for a path of this one, and unless verified. */
    host: z.string().nullable(),
  }),
  refusals: [],
  limit: { points: 30, seconds: 60, per: 'address' },
  summary: 'Verify a redirect key',
  description: 'Each verified answer counts as a use of the key. A key that is unknown, expired, used up or '
    + 'withdrawn is answered alike, as is one whose host is no longer allowed.',
  requirements: ['C-071', 'C-133', 'C-285'],
});

const admin = { access: 'admin', credential: 'cookie' } as const;
const RedirectKey = z.object({
  id: z.int(),
  target: z.string(),
  note: z.string(),
  state: z.enum(REDIRECT_STATES),
  /** ISO 8601. */
  made_at: z.string(),
  expires_at: z.string(),
  uses: z.int(),
  /** Null for any number of uses. */
  max_uses: z.int().nullable(),
});

export const listRedirectKeys = call({
  ...admin,
  name: 'site.listRedirectKeys',
  method: 'GET',
  path: '/admin/redirects',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({ keys: z.array(RedirectKey), next: z.int().nullable() }),
  refusals: [],
  summary: 'Redirect keys',
  description:
    'Newest first, 50 a page; `next` is `before` of the page after this. Never the keys themselves.',
});
export const makeRedirectKey = call({
  ...admin,
  name: 'site.makeRedirectKey',
  method: 'POST',
  path: '/admin/redirects',
  input: z.object({
    target: z.string().trim().min(1).max(MAX_TARGET_LENGTH),
    note: z.string().trim().max(MAX_NOTE_LENGTH),
    days: z.int().min(1).max(MAX_REDIRECT_DAYS),
    max_uses: z.int().min(1).max(MAX_REDIRECT_USES).nullable(),
  }),
  output: RedirectKey.extend({
    /** Address of the page that follows it. The key in it is answered once, and stored only as a digest. */
    url: z.string(),
  }),
  refusals: [targetRefused],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Make a redirect key',
  description: 'To a path of this site, or to a host of `redirect_hosts`. Audited.',
});
export const withdrawRedirectKey = call({
  ...admin,
  name: 'site.withdrawRedirectKey',
  method: 'POST',
  path: '/admin/redirects/:id/withdraw',
  input: z.object({ id: z.int().positive(), reason: Reason }),
  output: RedirectKey,
  refusals: [redirectUnknown],
  summary: 'Withdraw a redirect key',
  description: 'It leads nowhere from then on. Repeating it changes nothing. Audited.',
});
