import { existsSync } from 'node:fs';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/**
 * Serves files under `root` at `prefix`. With `immutable`, names carry a hash of their content and never change.
 * A directory that does not exist (nothing built) serves nothing.
 */
export async function serveFiles(
  app: FastifyInstance, root: string, prefix: string, { immutable }: { immutable: boolean },
): Promise<void> {
  if (!existsSync(root)) return;
  await app.register(fastifyStatic, {
    root, prefix, immutable, maxAge: immutable ? '1y' : '1h', index: false, decorateReply: false, dotfiles: 'deny',
    // Only files that were there at start are routes: no path of a request ever reaches the disk.
    wildcard: false,
  });
}
