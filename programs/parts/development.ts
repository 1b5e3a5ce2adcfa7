import { systemClock } from '#platform/data/clock.ts';
import type { Host } from '#platform/http/host.ts';
import { pages } from '#platform/http/pages/ssr.ts';
import type { Frames, OnMarked } from './pages.ts';

/** First segments of addresses that are neither a page nor a file of a page. */
const OURS = [
  'api',
  'avatars',
  'whip',
  'whep',
  'hls',
  'portraits',
  'profile',
  'thumbs',
  'previews',
  'offline-videos',
  'ws',
  'healthz',
  'readyz',
  'metrics',
];
/** Modules, styles and hot updates are inline or come from the development server: allowed only here. */
const developmentPolicy = (frames: readonly string[]): string =>
  'default-src \'self\' \'unsafe-inline\' data: blob: ws:; frame-ancestors \'self\'; '
  + ['frame-src \'self\'', ...frames].join(' ');

/** Serves pages straight from source, with hot updates. For `npm run dev` only. */
export async function mountDevelopmentPages(
  root: string,
  { app, server, logError, mountPages }: Host,
  frames: Frames,
  onMarked: OnMarked,
): Promise<void> {
  const { createServer } = await import('vite');
  const vite = await createServer({
    root,
    appType: 'custom',
    server: { middlewareMode: true, hmr: { server } },
    clearScreen: false,
  });
  app.addHook('onRequest', (request, reply, done) => {
    const isOurs = OURS.includes(request.url.split(/[/?]/u, 2)[1] ?? '');
    if (isOurs) done();
    else vite.middlewares(request.raw, reply.raw, () => done());
  });
  app.addHook('onSend', async ({ visit }, reply, payload) => {
    if (String(reply.getHeader('content-type')).startsWith('text/html')) {
      reply.header('content-security-policy', developmentPolicy(visit ? frames(visit.scope.operatorId) : []));
    }
    return payload;
  });
  app.addHook('onClose', () => vite.close());
  mountPages(async (request, reply, context) => {
    const build = await vite.ssrLoadModule('virtual:react-router/server-build');
    const { handle } = pages(build as Parameters<typeof pages>[0], {
      clock: systemClock,
      logError,
      mode: 'development',
      onMarked,
    });
    return handle(request, reply, context);
  });
}
