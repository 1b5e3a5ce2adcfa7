import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from 'vitest/node';
import { resultPath, sourcesHash, unhandledPath, type FileResult } from '../spec/results.ts';

/** Characters of an error that are stored: enough to find it again in the log of a run. */
const MOST_OF_AN_ERROR = 600;

/** Of the database that the run was on, for names of results; the usual one has none. */
const database = (): string => (process.env['TEST_DATABASE_URL'] ? '-postgres' : '');

/** First error of a test that failed, or passed only when tried again; undefined for the others. */
const firstError = (test: TestCase): string | undefined =>
  test.result().errors?.at(0)?.message.slice(0, MOST_OF_AN_ERROR);

/**
 * Keeps one result per project and test file under `.cache/results`, so that running one project, or one
 * file, leaves the results of the others in place. `npm run spec` reads them.
 */
class ResultsReporter implements Reporter {
  #root = '';
  #hash = '';
  #partial = false;

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
    // Hashed when the run begins: what is edited meanwhile is not what was tested.
    this.#hash = sourcesHash(this.#root);
    this.#partial = vitest.config.testNamePattern !== undefined;
  }

  onTestModuleEnd(module: TestModule): void {
    // A run of picked titles says nothing about the other tests of the file.
    if (this.#partial) return;
    const file = relative(this.#root, module.moduleId);
    const project = module.project.name + database();
    const tests = [...module.children.allTests()].map((test) => ({
      title: test.name,
      line: test.location?.line ?? 1,
      state: test.result().state,
      retries: test.diagnostic()?.retryCount ?? 0,
      why: firstError(test),
      ms: Math.round(test.diagnostic()?.duration ?? 0),
    }));
    const { collectDuration, environmentSetupDuration, setupDuration, duration } = module.diagnostic();
    const inTests = tests.reduce((sum, { ms }) => sum + ms, 0);
    const ms = {
      load: Math.round(collectDuration + environmentSetupDuration + setupDuration),
      hooks: Math.max(0, Math.round(duration) - inTests),
      tests: inTests,
    };
    const broken = module.state() === 'failed' && tests.every((test) => test.state === 'passed');
    const result: FileResult = { file, project, sources: this.#hash, broken, ms, tests };
    this.#write(resultPath(project, file), result);
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const errors = unhandled
      .map(({ message, stack = '' }) => `${message}\n${stack}`.slice(0, MOST_OF_AN_ERROR));
    this.#write(unhandledPath(database()), errors);
  }

  #write(path: string, content: unknown): void {
    const at = join(this.#root, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, JSON.stringify(content, null, 1));
  }
}

export default ResultsReporter;
