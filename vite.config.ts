import { reactRouter } from '@react-router/dev/vite';
import tailwindcss from '@tailwindcss/vite';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { leanContracts } from './tools/pages/lean-contracts.ts';

/** The shell and everything it stands on, which every first visit needs: one file compresses best. */
const SHELL = [
  { name: 'shell', test: /screens\/web\/(?:root|entry\.client)\.tsx|\/declared-only\.ts|rolldown\/runtime/u },
  // What most pages are made of, so that it is no dozen of small files.
  {
    name: 'parts',
    test: /(?:surfaces\/(?:card|page|states)|text\/amounts|controls\/(?:button|lists\/pager))|icons\/eye\.m/u,
  },
  // The list of routes names every file of each, and every first visit reads it.
  {
    name: 'forms',
    test: /ui\/(?:calls\/form|controls\/(?:fields|tabs|lists\/table)|surfaces\/dialog)\.tsx?|icons\/x\.m/u,
  },
  {
    name: 'money',
    test: /billing\/(?:contract|(?:rules|web)(?:\/[a-z-]+)*)\.tsx?|contract\/payment\.ts|buy\/visit\.ts/u,
  },
  {
    name: 'icons',
    test: /icons\/(?:plus|credit-card|gift|circle-check|film|shield-check|triangle-alert|check)\.m/u,
  },
];

/** Every first visit reads the names of all files: in a build they are their hashes alone. */
const SHORT = 'assets/[hash:7].js';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * React Router's exports name its development build for every bundler; a build takes the one without
 * warnings.
 */
const ROUTER = './node_modules/react-router/dist/production';
const PRODUCTION_ROUTER = [
  { find: /^react-router$/u, replacement: at(`${ROUTER}/index.mjs`) },
  { find: /^react-router\/dom$/u, replacement: at(`${ROUTER}/dom-export.mjs`) },
];

/** Chunks fetched later are small and import what the shell already holds: nothing is worth preloading. */
const plainImports: Plugin = {
  name: 'candela:plain-imports',
  enforce: 'post',
  transform: (_code, id) => (id.endsWith('vite/preload-helper.js')
    ? { code: 'export const __vitePreload = (load) => load();', map: null }
    : null),
};

/** lucide's drawings in our own svg element. */
const ownIcons: Plugin = {
  name: 'candela:own-icons',
  enforce: 'pre',
  resolveId: (source) =>
    (source.endsWith('/createLucideIcon.mjs') ? at('./platform/ui/controls/icon.ts') : null),
};

/** Lists that load page by page keep their pages themselves: what the cache has for that is not shipped. */
const noInfiniteQueries: Plugin = {
  name: 'candela:no-infinite-queries',
  apply: 'build',
  transform: (_code, id) => (id.endsWith('/query-core/build/modern/infiniteQueryBehavior.js')
    ? {
      code: 'const absent = () => { throw new Error("infinite queries are not shipped"); };\n'
        + 'export { absent as infiniteQueryBehavior, absent as hasNextPage, absent as hasPreviousPage };',
      map: null,
    }
    : null),
};

/**
 * Warnings for developers and checks of how its API is used, which React Router keeps in its production
 * build.
 */
const quietRouter: Plugin = {
  name: 'candela:quiet-router',
  apply: 'build',
  transform: (code, id) => (id.includes('/react-router/dist/production/')
    ? { code: code.replaceAll(CHECKS, '$1/* @__PURE__ */ $2'), map: null }
    : null),
};
const CHECKS = /^(\s*)((?:warning|warningOnce|warnOnce|invariant2?|console\.warn)\()/gmu;

/** Rules decide and do nothing else: a page that uses none of a slice's rules does not load them. */
const PURE_RULES = {
  moduleSideEffects: [{ test: /\/product\/[\w-]+\/rules(?:\/[\w-]+)*\.ts$/u, sideEffects: false }],
  // Nothing here has a getter that does something: a list of refusals nobody uses leaves the build.
  propertyReadSideEffects: false as const,
};

export default defineConfig(({ command }) => ({
  plugins: [
    tailwindcss(), reactRouter(), leanContracts(), plainImports, ownIcons, noInfiniteQueries, quietRouter,
  ],
  publicDir: 'product/screens/web/public',
  resolve: {
    alias: [
      { find: /^zod$/u, replacement: at('./platform/contract/client/declared-only.ts') },
      ...(command === 'build' ? PRODUCTION_ROUTER : []),
    ],
  },
  build: {
    target: 'es2023',
    reportCompressedSize: false,
    // Fonts and pictures stay files: the content policy allows no data: scripts or fonts.
    assetsInlineLimit: 0,
    // Nothing reads a list of what each import stands on (`plainImports`): no file carries one.
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
  },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          output: { codeSplitting: { groups: SHELL }, chunkFileNames: SHORT, entryFileNames: SHORT },
          treeshake: PURE_RULES,
        },
      },
    },
  },
  // The server build carries its libraries, compiled for production whatever NODE_ENV says at run time.
  ...(command === 'build'
    ? { ssr: { noExternal: true as const }, define: { 'process.env.NODE_ENV': '"production"' } }
    : {}),
}));
