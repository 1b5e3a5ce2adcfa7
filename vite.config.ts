import { reactRouter } from '@react-router/dev/vite';
import tailwindcss from '@tailwindcss/vite';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { leanContracts } from './tools/lean-contracts.ts';

/** The shell and everything it stands on, which every first visit needs: one file compresses best. */
const SHELL = [
  { name: 'shell', test: /screens\/web\/(?:root|entry\.client)\.tsx|\/declared-only\.ts|rolldown\/runtime/u },
  // What most pages are made of, so that it is no dozen of small files.
  {
    name: 'parts',
    test: /platform\/ui\/(?:surfaces\/(?:card|page|states)|text\/amounts|controls\/(?:button|pager))/u,
  },
];

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

export default defineConfig(({ command }) => ({
  plugins: [tailwindcss(), reactRouter(), leanContracts(), plainImports, ownIcons, quietRouter],
  publicDir: 'product/screens/web/public',
  resolve: {
    alias: [
      { find: /^zod$/u, replacement: at('./platform/contract/declared-only.ts') },
      ...(command === 'build' ? PRODUCTION_ROUTER : []),
    ],
  },
  build: {
    target: 'es2023',
    reportCompressedSize: false,
    // Fonts and pictures stay files: the content policy allows no data: scripts or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  environments: {
    client: { build: { rolldownOptions: { output: { codeSplitting: { groups: SHELL } } } } },
  },
  // The server build carries its libraries, compiled for production whatever NODE_ENV says at run time.
  ...(command === 'build'
    ? { ssr: { noExternal: true as const }, define: { 'process.env.NODE_ENV': '"production"' } }
    : {}),
}));
