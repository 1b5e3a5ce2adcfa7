import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    reporters: ['default', ['json', { outputFile: '.cache/results/vitest.json' }]],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['platform/**/*.test.ts', 'product/**/*.test.ts', 'tools/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
