import { spawnSync } from 'node:child_process';

/** Tests to run, in a copy of the tree, on a PostgreSQL. */
interface TestRun {
  readonly cwd: string;
  readonly tests: readonly string[];
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What vitest says of a run. */
interface Run {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** The machine may be busy: a test may take a multiple of its time. */
const PATIENCE_MS = 240_000;
/** Errors of a test that took too long, and of a run that was ended. */
const TOO_LATE = /timed out|STACK_TRACE_ERROR|does not end/u;

/**
 * Runs tests until the first failure. A timeout is tried once more; a second one counts as survived, and `by`
 * says so.
 */
export function runTests(given: TestRun): { killed: boolean; by: string } {
  const first = runOnce(given);
  if (!first.killed || !TOO_LATE.test(first.by)) return first;
  const second = runOnce(given);
  return second.killed && TOO_LATE.test(second.by) ? { killed: false, by: `late: ${second.by}` } : second;
}

function runOnce({ cwd, tests, url, env = {} }: TestRun): { killed: boolean; by: string } {
  const run = spawnSync(process.execPath, [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'unit',
    '--bail',
    '1',
    '--reporter',
    'json',
    '--testTimeout',
    String(PATIENCE_MS),
    '--hookTimeout',
    String(PATIENCE_MS),
    ...tests,
  ], {
    cwd,
    encoding: 'utf8',
    timeout: 2 * PATIENCE_MS,
    env: { ...process.env, ...env, TEST_DATABASE_URL: url },
  });
  if (run.status === 0) return { killed: false, by: '' };
  const report = /^\{"numTotal.*$/mu.exec(run.stdout)?.[0];
  if (report === undefined) return { killed: true, by: 'a run that does not end' };
  const { testResults } = JSON.parse(report) as Run;
  const failed = testResults.flatMap((file) => file.assertionResults)
    .find(({ status }) => status === 'failed');
  const why = failed?.failureMessages[0] ?? testResults.map(({ message }) => message).join(' ');
  return { killed: true, by: `${failed?.fullName ?? 'a file'}: ${why.split('\n')[0]?.slice(0, 90)}` };
}
