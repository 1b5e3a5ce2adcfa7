import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests of media wait for streams in real time; the others keep the processor busy. */
const waits = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/platform/streaming/');

/** Half a minute of one core each: begun last they would keep one worker busy while the others have done. */
const LONG = ['/testkit/money/simulation.test.ts', '/tools/new-slice.test.ts', '/e2e/crash.test.ts'];
const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((end) => moduleId.endsWith(end));

/** Runs files that wait beside files that work, one of each in turn, each kind in the usual order. */
export class Interleaved extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [waiting, others] = [sorted.filter(waits), sorted.filter((file) => !waits(file))];
    const working = [...others.filter(isLong), ...others.filter((file) => !isLong(file))];
    return Array.from(
      { length: Math.max(waiting.length, working.length) },
      (_none, at) => [waiting[at] ?? [], working[at] ?? []].flat(),
    ).flat();
  }
}
