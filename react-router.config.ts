import type { Config } from '@react-router/dev/config';

export default {
  ssr: true,
  appDirectory: 'product/screens/web',
  buildDirectory: 'dist/web',
  // Every route stands in the first document: the table is short and a navigation then asks nothing.
  routeDiscovery: { mode: 'initial' },
  future: { v8_middleware: true, v8_splitRouteModules: true, v8_viteEnvironmentApi: true },
} satisfies Config;
