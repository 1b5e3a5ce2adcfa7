import { pages } from '#platform/http/pages/ssr.ts';
import * as entry from '#product/screens/web/entry.server.tsx';
import * as root from '#product/screens/web/root.tsx';
import routes from '#product/screens/web/routes.ts';
import type { RouteConfigEntry } from '@react-router/dev/routes';
import { posix } from 'node:path';
import type { TestSite } from '../site.ts';

/** A limit for tests that read many documents, all from one address, while their clock stands still. */
const MANY_DOCUMENTS = 10_000;

const FOLDER = '/product/screens/web';
const modules = import.meta.glob<object>('/product/*/web/**/*.tsx');

interface ListedRoute {
  readonly id: string;
  readonly parentId: string;
  readonly path: string | undefined;
  readonly index: boolean | undefined;
  readonly file: string;
}

/** React Router derives the id of a route from its file, unless one is given. */
const listed = (
  parentId: string,
  { id, path, index, file, children = [] }: RouteConfigEntry,
): ListedRoute[] => {
  const own = id ?? file.replace(/\.tsx$/u, '');
  return [{ id: own, parentId, path, index, file }, ...children.flatMap((child) => listed(own, child))];
};

/**
 * Lets a site answer documents as in production, from the source instead of a build: the real routes, loaders
 * and head, over HTTP. Call it before the site's first request.
 */
export async function servesDocuments(site: TestSite): Promise<void> {
  const all = await Promise.all(
    routes.flatMap((route) => listed('root', route)).map(async (route) => {
      const load = modules[posix.join(FOLDER, route.file)];
      if (!load) throw new Error(`no file for the route ${route.path ?? 'index'}: ${route.file}`);
      return { ...route, module: await load() };
    }),
  );
  const serverRoutes = [{ id: 'root', path: '', module: root }, ...all];
  const build = {
    entry: { module: entry },
    routes: Object.fromEntries(serverRoutes.map((route) => [route.id, route])),
    assets: {
      version: 'test',
      url: '/manifest.js',
      entry: { module: '/entry.js', imports: [] },
      routes: Object.fromEntries(serverRoutes.map(({ module: made, ...route }) => [route.id, {
        ...route,
        module: `/${route.id}.js`,
        hasLoader: 'loader' in made,
        hasAction: false,
        hasClientLoader: 'clientLoader' in made,
        hasClientAction: false,
        hasClientMiddleware: false,
        hasErrorBoundary: 'ErrorBoundary' in made,
        imports: [],
      }])),
    },
    publicPath: '/',
    assetsBuildDirectory: '',
    basename: '/',
    future: {},
    ssr: true,
    isSpaMode: false,
    prerender: [],
    routeDiscovery: { mode: 'initial', manifestPath: '/__manifest' },
  };
  const { handle, cached } = pages(build, {
    clock: site.clock,
    logError: site.http.logError,
    mode: 'production',
    renderRate: { burst: MANY_DOCUMENTS, perSecond: 1 },
    onMarked: site.services.browse.documentSent,
  });
  site.http.mountPages(handle, cached);
}
