import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests of media wait for streams in real time; the others keep the processor busy. */
const waits = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/platform/streaming/');

/** Runs files that wait beside files that work, one of each in turn, each kind in the usual order. */
export class Interleaved extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [waiting, working] = [sorted.filter(waits), sorted.filter((file) => !waits(file))];
    return Array.from({ length: Math.max(waiting.length, working.length) }, (_none, at) =>
      [waiting[at] ?? [], working[at] ?? []].flat()).flat();
  }
}
