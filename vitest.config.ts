import { defineConfig } from 'vitest/config';
import { pageClock } from './tools/pages/page-clock.ts';
import { parts } from './tools/pages/parts.ts';
import { Interleaved } from './tools/tests/interleaved.ts';

/** Two cores run everything: one file that waits for media beside two that work keep them busy. */
const MAX_WORKERS = 3;
/** Tests of one file that run at once: each has an engine, which is two processes and more. */
const MAX_CONCURRENCY = 3;
/** Journeys at once, each with its site and its browser: half of their time they wait for pictures. */
const MAX_JOURNEYS = 2;

/** A journey polls for this long: some figures are sent every five seconds. */
const POLL_MS = 30_000;

/**
 * CI machines stall for seconds: there a failure counts when it repeats. On a developer's machine it counts
 * at once.
 */
const RETRIES = process.env['CI'] ? 1 : 0;

/** A fact that is waited for may be this late: on a busy machine a second, the default, is nothing. */
const POLL_TIMEOUT_MS = 20_000;

/** Characters of a value in the message of a failed assertion: the usual 40 hide what a browser printed. */
const MESSAGE_CHARS = 1_000;

export default defineConfig({
  test: {
    reporters: ['default', './tools/tests/results-reporter.ts'],
    includeTaskLocation: true,
    retry: RETRIES,
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    chaiConfig: { truncateThreshold: MESSAGE_CHARS },
    maxWorkers: MAX_WORKERS,
    maxConcurrency: MAX_CONCURRENCY,
    sequence: { sequencer: Interleaved },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'platform/**/*.test.ts',
            'product/**/*.test.ts',
            'programs/**/*.test.ts',
            'tools/**/*.test.ts',
          ],
          globalSetup: ['./tools/pages/child-bundles.ts'],
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
        plugins: [parts({ everywhere: true }), pageClock()],
        test: {
          name: 'pages',
          include: ['product/**/*.page.test.tsx'],
          globalSetup: ['./tools/pages/page-styles.ts'],
          setupFiles: ['./product/testkit/pages/set-up.ts'],
          pool: 'threads',
          isolate: false,
          // After the unit tests, not among them: a worker ends with its project, with all it has loaded.
          sequence: { groupOrder: 1 },
          // One window for a worker: the tests of a file run one after the other.
          maxConcurrency: 1,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          // Browsers share the two cores with the site they test, so journeys run last.
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          pool: 'forks',
          // Importing the whole site for every journey would cost five seconds of a processor each.
          isolate: false,
          globalSetup: ['./tools/pages/child-bundles.ts', './e2e/set-up.ts'],
          maxWorkers: MAX_JOURNEYS,
          sequence: { groupOrder: 2 },
          expect: { poll: { timeout: POLL_MS } },
          testTimeout: 240_000,
          // Set-up starts a site and a browser, on a machine that may do much else.
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
