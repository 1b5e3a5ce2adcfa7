import { call } from '#platform/contract/call.ts';
import { z } from 'zod';

/** GET /site.webmanifest: what a browser needs to install the site (W3C Web Application Manifest). */
export const getManifest = call({
  name: 'site.getManifest',
  method: 'GET',
  path: '/site.webmanifest',
  root: true,
  access: 'anyone',
  credential: 'none',
  media: { accepts: 'text/plain', answers: 'application/manifest+json; charset=utf-8' },
  input: z.object({ body: z.string().max(0).optional() }),
  output: z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() }),
  refusals: [],
  summary: 'What a browser installs the site by',
  description: 'Name, colours and icon of the site that is asked. Cached for an hour.',
});
