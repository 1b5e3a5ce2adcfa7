import { reactRouter } from '@react-router/dev/vite';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';
import { parts } from './tools/pages/parts.ts';

/** What only a page with a form loads, however many there are: the form library, zod and the shapes. */
const OF_FORMS = /\/(?:react-hook-form|zod)\/|\/ui\/forms\/|\/product\/[^/]+\/contract(?:\.ts$|\/)/u;
/** What only popups, sliders and sorted lists load, once somebody uses one. */
const OF_CONTROLS = new RegExp(
  '/node_modules/(?:@?react-aria|@?react-stately|react-aria-components|@internationalized)[^/]*/',
  'u',
);
const isShared = (file: string): boolean => !OF_FORMS.test(file) && !OF_CONTROLS.test(file);
/** Few files for a first visit: what every page starts with, and what many pages share (decision 19). */
const CHUNKS = [
  { name: 'shell', test: /\/screens\/web\/(?:root|entry\.client)\.tsx$/u },
  { name: 'shared', test: isShared, minShareCount: 13 },
];

export default defineConfig(({ command }) => ({
  plugins: [parts(), tailwindcss(), reactRouter()],
  publicDir: 'product/screens/web/public',
  build: {
    target: 'es2023',
    reportCompressedSize: false,
    // Fonts and pictures stay files: the content policy allows no data: scripts or fonts.
    assetsInlineLimit: 0,
  },
  environments: {
    client: { build: { rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } } } },
  },
  // The server build carries its libraries, compiled for production whatever NODE_ENV says at run time.
  ...(command === 'build'
    ? { ssr: { noExternal: true as const }, define: { 'process.env.NODE_ENV': '"production"' } }
    : {}),
}));
