/**
 * Names every failed test of the stored results with its error, and every test that passed only when tried
 * again, then prints "N passed, N failed" as the last
 * line of `.ci/run`. The argument is the number of steps that failed: when no failed test explains them, they
 * count themselves. Exits 1 when anything failed.
 */
import { readResults, readUnhandled } from '../spec/results.ts';

const root = new URL('../..', import.meta.url).pathname;
const results = readResults(root);
const unhandled = readUnhandled(root);
const count = (state: string): number =>
  results.flatMap((result) => result.tests).filter((test) => test.state === state).length;
const passed = count('passed');
const failedTests = count('failed') + results.filter((result) => result.broken).length
  + unhandled.length;
const brokenSteps = Number(process.argv[2] ?? 0);
const failed = Math.max(failedTests, brokenSteps, passed === 0 ? 1 : 0);
for (const { project, file, broken, tests } of results) {
  if (broken) console.log(`FAILED outside of its tests (${project}) ${file}`);
  for (const { title, line, state, why, retries = 0 } of tests) {
    const outcome = state === 'failed' ? 'FAILED' : retries > 0 ? 'RETRIED' : null;
    if (outcome === null) continue;
    console.log(`${outcome} (${project}) ${file}:${line} ${title}\n  ${why ?? 'without an error'}`);
  }
}
for (const error of unhandled) console.log(`FAILED outside of any test ${error}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
