import { defineConfig } from 'vitest/config';

/** Two cores are enough to run everything; more workers would only wait for each other's databases. */
const MAX_WORKERS = 2;

/** CI machines stall for seconds: there a failure counts when it repeats. At a desk it counts at once. */
const RETRIES = process.env['CI'] ? 2 : 0;

export default defineConfig({
  test: {
    reporters: ['default', './tools/results-reporter.ts'],
    includeTaskLocation: true,
    retry: RETRIES,
    maxWorkers: MAX_WORKERS,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'platform/**/*.test.ts', 'product/**/*.test.ts', 'programs/**/*.test.ts', 'tools/**/*.test.ts',
          ],
          pool: 'threads',
          isolate: false,
          sequence: { groupOrder: 0 },
          testTimeout: 60_000,
          // A site is built on a fresh database: half a second alone, far more on a busy machine.
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          // Browsers share the two cores with the site they test, so journeys run one after the other, and
          // last.
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          pool: 'forks',
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
