import { fileURLToPath } from 'node:url';
import { reactRouter } from '@react-router/dev/vite';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

/** Declarations of contracts: a call or shape nobody on the page uses leaves the bundle. */
const PURE_DECLARATIONS = ['call', 'event', 'fact', 'refusal', 'slot', 'z', 'createContext'];

export default defineConfig(({ command }) => ({
  plugins: [tailwindcss(), reactRouter()],
  resolve: {
    alias: { zod: fileURLToPath(new URL('./platform/contract/declared-only.ts', import.meta.url)) },
  },
  build: {
    target: 'es2023',
    reportCompressedSize: false,
    // Fonts and pictures stay files: the content policy allows no data: scripts or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { treeshake: { manualPureFunctions: PURE_DECLARATIONS } },
  },
  // The server build carries its libraries, compiled for production whatever NODE_ENV says at run time.
  ...(command === 'build'
    ? { ssr: { noExternal: true as const }, define: { 'process.env.NODE_ENV': '"production"' } }
    : {}),
}));
