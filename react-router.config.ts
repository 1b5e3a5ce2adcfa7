import type { Config } from '@react-router/dev/config';

export default {
  ssr: true,
  appDirectory: 'product/screens/web',
  // tools/build.mjs builds aside and swaps, so that a running site always finds whole pages.
  buildDirectory: process.env['CANDELA_PAGES_DIR'] ?? 'dist/web',
  // Every route stands in the first document: the table is short and a navigation then asks nothing.
  routeDiscovery: { mode: 'initial' },
  future: { v8_middleware: true, v8_splitRouteModules: true, v8_viteEnvironmentApi: true },
} satisfies Config;
