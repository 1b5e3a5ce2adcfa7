import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';

export const memberUnknown = refusal({
  slice: 'support',
  code: 'member_unknown',
  kind: 'absent',
  description: 'Nobody has this username.',
});

export const getSupportPhone = call({
  name: 'support.getSupportPhone',
  method: 'GET',
  path: '/support/phone',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ phone: z.string().nullable() }),
  refusals: [],
  summary: 'The telephone number of support',
  description: 'For super_vip members and for members an admin shows it to (`showSupportPhone`); null for '
    + 'everybody else, and where the operator has none.',
  requirements: ['A-331', 'A-332'],
});
export const setShowsPhone = call({
  name: 'support.setShowsPhone',
  method: 'POST',
  path: '/admin/support/phone',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ username: z.string().min(1).max(40), is_shown: z.boolean() }),
  output: z.object({ username: z.string(), is_shown: z.boolean() }),
  refusals: [memberUnknown],
  summary: 'Show somebody the telephone number of support',
  description: 'Or no longer: sets `showSupportPhone`. Audited.',
});
