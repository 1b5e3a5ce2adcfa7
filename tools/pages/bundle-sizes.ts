/**
 * `npm run sizes`: prints the JavaScript that a first visit to each route of the built pages loads, and fails
 * above the budgets of decision 19. `--files` lists every file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Budgets in kB (1000 bytes) of gzip: the listings, where first visits land, and the rest up to the room. */
const FIRST_ROUTE_KB = 207;
const ROOM_KB = 254;
const FIRST_ROUTES = new Set(['home', 'girls', 'couples', 'men', 'trans']);

const CLIENT = fileURLToPath(new URL('../../dist/web/client', import.meta.url));

interface Entry {
  readonly module: string;
  readonly imports: readonly string[];
}

interface Route extends Entry {
  readonly id: string;
  readonly path?: string;
  readonly clientLoaderModule?: string;
  readonly clientActionModule?: string;
  readonly clientMiddlewareModule?: string;
}

/** The manifest of files that React Router sends to the browser. */
interface Manifest {
  readonly entry: Entry;
  readonly routes: Readonly<Record<string, Route>>;
}

interface RouteSize {
  readonly route: string;
  readonly files: number;
  readonly kB: number;
  readonly budget: number;
}

interface BundleSizes {
  readonly routes: readonly RouteSize[];
  /** Bytes of gzip by file. */
  readonly files: ReadonlyMap<string, number>;
}

function readManifest(): { readonly path: string; readonly manifest: Manifest } {
  const name = readdirSync(join(CLIENT, 'assets')).find((file) => /^manifest-.*\.js$/u.test(file));
  if (!name) throw new Error('nothing is built: run npm run build first');
  const script = readFileSync(join(CLIENT, 'assets', name), 'utf8');
  const json = script.slice(script.indexOf('{'), script.lastIndexOf('}') + 1);
  return { path: `/assets/${name}`, manifest: JSON.parse(json) as Manifest };
}

const filesOf = (route: Route): readonly string[] =>
  [
    route.module,
    ...route.imports,
    route.clientLoaderModule,
    route.clientActionModule,
    route.clientMiddlewareModule,
  ].filter((file) => file !== undefined);

/** What a first visit to each route loads, of the pages that were built last. */
export function bundleSizes(): BundleSizes {
  const { path, manifest: { entry, routes } } = readManifest();
  const sizes = new Map<string, number>();
  const sizeOf = (file: string): number => {
    const bytes = sizes.get(file) ?? gzipSync(readFileSync(join(CLIENT, file)), { level: 9 }).byteLength;
    sizes.set(file, bytes);
    return bytes;
  };
  const { root, ...others } = routes;
  const shell = [path, entry.module, ...entry.imports, ...(root ? filesOf(root) : [])];
  const rows = Object.values(others).map((route): RouteSize => {
    const files = new Set([...shell, ...filesOf(route)]);
    const bytes = [...files].reduce((sum, file) => sum + sizeOf(file), 0);
    const budget = FIRST_ROUTES.has(route.id) ? FIRST_ROUTE_KB : ROOM_KB;
    return { route: route.path ?? '/', files: files.size, kB: Math.round(bytes / 100) / 10, budget };
  });
  return { routes: rows, files: sizes };
}

/** Routes that load more than they may. */
export const overBudget = ({ routes }: BundleSizes): readonly RouteSize[] =>
  routes.filter(({ kB, budget }) => kB > budget);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sizes = bundleSizes();
  console.table(sizes.routes);
  if (process.argv.includes('--files')) {
    console.table([...sizes.files].toSorted(([, a], [, b]) => b - a));
  }
  process.exitCode = overBudget(sizes).length > 0 ? 1 : 0;
}
