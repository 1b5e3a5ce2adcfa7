import { defineConfig } from 'vitest/config';

/**
 * Long proofs: millions of inputs, thousands of sessions. They run by `npm run prove`, one after the other,
 * and each writes its report to docs/proofs; `npm test` runs the same at a size that fits into it.
 */
export default defineConfig({
  test: {
    include: ['platform/**/*.prove.ts', 'product/**/*.prove.ts', 'e2e/**/*.prove.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
  },
});
