import { describe, expect, it } from 'vitest';
import { Remembered } from './remembered.ts';

describe('what is remembered', () => {
  it('is as young as its reader asks, and then asked for again', async () => {
    const memory = new Remembered<Promise<number>>(10);
    let asked = 0;
    const at = (nowMs: number): Promise<number> => memory.ask('a', nowMs, 500, async () => (asked += 1));
    expect([await at(0), await at(499), await at(500), await at(999)]).toEqual([1, 1, 2, 2]);
    memory.dropWhere((key) => key === 'b');
    expect(await at(999)).toBe(2);
    memory.dropWhere((key) => key === 'a');
    expect(await at(999)).toBe(3);
    memory.delete('a');
    expect(await at(999)).toBe(4);
  });

  it('asks once for callers at the same time, and does not cache an error', async () => {
    const memory = new Remembered<Promise<string>>(10);
    let asked = 0;
    const broken = (): Promise<string> => {
      asked += 1;
      return Promise.reject(new Error('no database'));
    };
    const ask = (nowMs: number): Promise<string> => memory.ask('a', nowMs, 500, broken);
    const answers = await Promise.allSettled([ask(0), ask(1)]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toBe(1);
    expect(await memory.ask('a', 2, 500, async () => 'well')).toBe('well');
  });

  it('does not pile up: the oldest goes', () => {
    const memory = new Remembered<number>(3);
    for (const key of ['a', 'b', 'c', 'a', 'd']) memory.set(key, 1, 0);
    expect(['a', 'b', 'c', 'd'].map((key) => memory.get(key, 0, 1))).toEqual([1, null, 1, 1]);
  });
});
