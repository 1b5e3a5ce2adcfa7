/**
 * Prints "N passed, N failed" of all kept test results, as the last line of `.ci/run`. The argument is the
 * number of steps that failed: when no failed test explains them, they count themselves. Exits 1 when
 * anything failed.
 */
import { readResults } from './spec/results.ts';

const results = readResults(new URL('..', import.meta.url).pathname);
const count = (state: string): number =>
  results.flatMap((result) => result.tests).filter((test) => test.state === state).length;
const passed = count('passed');
const failedTests = count('failed') + results.filter((result) => result.broken).length;
const brokenSteps = Number(process.argv[2] ?? 0);
const failed = Math.max(failedTests, brokenSteps, passed === 0 ? 1 : 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
