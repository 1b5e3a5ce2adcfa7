// Prints the JavaScript a first visit loads, in gzip kB, per route of the built pages, and fails above the
// budgets.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

/**
 * Budgets in kB (1000 bytes) of gzip: the listings, where first visits land, and everything else up to the
 * room.
 */
const FIRST_ROUTE_KB = 130;
const ROOM_KB = 190;
const FIRST_ROUTES = new Set(['home', 'girls', 'couples', 'men', 'trans']);

const client = join(import.meta.dirname ?? '.', '../..', 'dist', 'web', 'client');
const name = readdirSync(join(client, 'assets')).find((file) => /^manifest-.*\.js$/u.test(file));
if (!name) throw new Error('nothing built: run npm run build first');

globalThis.window = {};
await import(pathToFileURL(join(client, 'assets', name)).href);
const { entry, routes } = globalThis.window.__reactRouterManifest;

const sizes = new Map();
const sizeOf = (path) => {
  if (!sizes.has(path)) sizes.set(path, gzipSync(readFileSync(join(client, path)), { level: 9 }).byteLength);
  return sizes.get(path);
};
const own = (route) => [
  route.module, ...route.imports, route.clientLoaderModule, route.clientActionModule,
  route.clientMiddlewareModule,
].filter(Boolean);
const shell = [`/assets/${name}`, entry.module, ...entry.imports, ...own(routes.root)];

let isOver = false;
const lines = Object.values(routes).filter(({ id }) => id !== 'root').map((route) => {
  const files = new Set([...shell, ...own(route)]);
  const kb = [...files].reduce((sum, path) => sum + sizeOf(path), 0) / 1000;
  const budget = FIRST_ROUTES.has(route.id) ? FIRST_ROUTE_KB : ROOM_KB;
  isOver ||= kb > budget;
  return { route: route.path ?? '/', files: files.size, 'gzip kB': Number(kb.toFixed(1)), budget };
});
console.table(lines);
if (process.argv.includes('--files')) {
  console.table([...sizes].map(([file, bytes]) => ({ file, bytes })).sort((a, b) => b.bytes - a.bytes));
}
process.exitCode = isOver ? 1 : 0;
