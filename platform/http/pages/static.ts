import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { existsSync } from 'node:fs';
import { sep } from 'node:path';

/** A year: the longest that caches retain anything. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** Names without a hash: long enough to spare a visit, short enough for a new logo. */
const FOR_AN_HOUR = 'public, max-age=3600';

/** A service worker makes requests for its pages, under the policy of its own file (Service Workers §4.5). */
const WORKER = /-worker\.js(?:\.\w+)?$/u;
const WORKER_POLICY = 'default-src \'none\'; connect-src \'self\'';

/**
 * Serves the built files below `root`: those in `assets/` carry a hash in their name and are cached for ever.
 * Compressed neighbours (`.br`, `.gz`) are sent to browsers that accept them. Nothing is served when nothing
 * is built.
 */
export async function serveFiles(app: FastifyInstance, root: string): Promise<void> {
  if (!existsSync(root)) return;
  await app.register(fastifyStatic, {
    root,
    index: false,
    decorateReply: false,
    dotfiles: 'deny',
    cacheControl: false,
    preCompressed: true,
    // Only files that exist at start become routes: no requested path ever reaches the disk.
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz', '.vite/**'],
    setHeaders: (response, path) => {
      const isHashed = path.startsWith(`${root}${sep}assets${sep}`);
      response.setHeader('cache-control', isHashed ? FOR_EVER : FOR_AN_HOUR);
      response.setHeader('vary', 'Accept-Encoding');
      if (WORKER.test(path)) response.setHeader('content-security-policy', WORKER_POLICY);
    },
  });
}
