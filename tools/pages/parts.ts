import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LOADER = `${ROOT}platform/ui/faults/part.ts`;
/** Code of pages; what loads parts loads itself with the page. */
const OF_PAGES = /\/(?:product\/[^/]+\/web|platform\/ui)\/[^?]*\.tsx?$/u;
const ROUTER = /\/react-router\/dist\/(?:production|development)\/[^/]+\.mjs$/u;

/** `(await import('x')).Name`: named, so that the bundler still leaves out what nobody uses. */
const ONE_NAME = /\(await import\((['"])([^'"]+)\1\)\)\.(\w+)/gu;
/** `import('x')` anywhere else; {@link TAKEN} marks those that are behind the loader. */
const WHOLE = /(?<!typeof )\bimport\((['"])([^'"]+)\1\)/gu;
const TAKEN = '\u0001';

/** The name of a part: that of its file, which the built one has too. */
const partOf = (
  specifier: string,
): string => (/^[.#]/u.test(specifier) ? basename(specifier).replace(/\.tsx?$/u, '') : specifier);

/** The code of a page with each of its `import()` behind `loadPart`; null where there is none. */
export function withParts(code: string): string | null {
  if (!code.includes('import(')) return null;
  const load = (specifier: string, body: string): string =>
    `loadPart(${JSON.stringify(partOf(specifier))}, ${body})`;
  const done = code
    .replaceAll(ONE_NAME, (_all, _quote, specifier: string, name: string) => {
      const body = `async () => { const { ${name}: part } = await ${TAKEN}import('${specifier}'); `
        + `return { ${name}: part }; }`;
      return `(await ${load(specifier, body)}).${name}`;
    })
    .replaceAll(
      WHOLE,
      (
        all,
        _quote,
        specifier: string,
        at: number,
        whole: string,
      ) => (whole[at - 1] === TAKEN ? all : load(specifier, `() => import('${specifier}')`)),
    )
    .replaceAll(TAKEN, '');
  return done === code ? null : `import { loadPart } from ${JSON.stringify(LOADER)};${done}`;
}

const ROUTE_IMPORT =
  /import\(\s*\/\* @vite-ignore \*\/\s*\/\* webpackIgnore: true \*\/\s*(route\.\w+)\s*\)/gu;
/** The router reloads for ever where a route stays away: `loadRoute` never lets it come to that. */
const RELOADS = /window\.location\.reload\(\);\s*return new Promise\(\(\) => \{\s*\}\);/u;

/** The router with its routes behind `loadRoute`. Throws when it is no longer written as it was. */
export function withRouteParts(code: string, id: string): string | null {
  if (!code.includes('loadRouteModule(route,')) return null;
  if (!RELOADS.test(code) || code.match(ROUTE_IMPORT) === null) {
    throw new Error(`${id} loads routes in another way than tools/pages/parts.ts knows`);
  }
  const done = code.replace(RELOADS, 'throw error;').replaceAll(
    ROUTE_IMPORT,
    (_all, file: string) => `loadRoute(route.id, () => import(/* @vite-ignore */ ${file}))`,
  );
  return `import { loadRoute } from ${JSON.stringify(LOADER)};${done}`;
}

/**
 * Every part of a page is loaded by its name, with a time-out and an error that says which. Pages render on a
 * server without it: there everything is in one place.
 * @param everywhere where pages run in the environment of a server, as in their tests
 */
export const parts = ({ everywhere = false } = {}): Plugin => ({
  name: 'parts',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => everywhere || name === 'client',
  transform: (code, id) => {
    if (ROUTER.test(id)) return asCode(withRouteParts(code, id));
    return OF_PAGES.test(id) && !id.includes('.test.') ? asCode(withParts(code)) : null;
  },
});

const asCode = (code: string | null) => (code === null ? null : { code, map: null });
