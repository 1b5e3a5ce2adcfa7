import type { Host } from '../platform/http/host.ts';
import { systemClock } from '../platform/data/clock.ts';
import { pages } from '../platform/http/ssr.ts';

/**
 * Modules, styles and hot updates are inline or from the development server: allowed here and nowhere else.
 */
const DEVELOPMENT_POLICY = "default-src 'self' 'unsafe-inline' data: blob: ws:; frame-ancestors 'none'";

/** Pages straight from source, with hot updates. For `npm run dev` only. */
export async function mountDevelopmentPages(
  root: string,
  { app, server, logFault, mountPages }: Host,
): Promise<void> {
  const { createServer } = await import('vite');
  const vite = await createServer({
    root,
    appType: 'custom',
    server: { middlewareMode: true, hmr: { server } },
    clearScreen: false,
  });
  app.addHook('onRequest', (request, reply, done) => {
    const isOurs = /^\/(?:api|whip|whep|ws|healthz|readyz|metrics)(?:[/?]|$)/u.test(request.url);
    if (isOurs) done();
    else vite.middlewares(request.raw, reply.raw, () => done());
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    if (String(reply.getHeader('content-type')).startsWith('text/html')) {
      reply.header('content-security-policy', DEVELOPMENT_POLICY);
    }
    return payload;
  });
  app.addHook('onClose', () => vite.close());
  mountPages(async (request, reply, context) => {
    const build = await vite.ssrLoadModule('virtual:react-router/server-build');
    const handle = pages(build as Parameters<typeof pages>[0], {
      clock: systemClock,
      logFault,
      mode: 'development',
    });
    return handle(request, reply, context);
  });
}
