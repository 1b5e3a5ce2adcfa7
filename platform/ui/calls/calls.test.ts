import { call } from '#platform/contract/call.ts';
import type { CallFunction } from '#platform/contract/client.ts';
import { focusManager, QueryObserver } from '@tanstack/react-query';
import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { changeCached, makeCache, queryOf } from './calls.ts';

const read = call({
  name: 'purse.get',
  method: 'GET',
  path: '/purse',
  access: 'purse.get',
  credential: 'cookie',
  effects: false,
  input: z.object({}),
  output: z.object({ tokens: z.number() }),
  refusals: [],
  limit: { points: 1, seconds: 1, per: 'caller' },
  bodyLimitBytes: 0,
  summary: 'A purse',
  description: 'A purse.',
  requirements: [],
});

/**
 * Reads while `events` happen: the server's n-th answer is `answers[n]`, and `events[n]` happens while it is
 * on its way.
 */
async function readWhile(answers: readonly number[], events: readonly (number | null)[]): Promise<{
  shown: number | undefined;
  asked: number;
}> {
  const cache = makeCache();
  cache.setQueryData([read.name, {}], { tokens: 1_000 });
  let asked = 0;
  const ask = (async () => {
    const event = events[asked] ?? null;
    const tokens = answers[asked] ?? 0;
    asked += 1;
    if (event !== null) changeCached(cache, read, {}, () => ({ tokens: event }));
    return { tokens };
  }) as CallFunction;
  await cache.fetchQuery({ ...queryOf(ask, read, {}), staleTime: 0 });
  return { shown: cache.getQueryData<{ tokens: number }>([read.name, {}])?.tokens, asked };
}

it('an answer that nothing overtook is shown as it is', async () => {
  expect(await readWhile([975], [null])).toEqual({ shown: 975, asked: 1 });
});

it('an answer older than an event that overtook it is asked for once more', async () => {
  expect(await readWhile([1_000, 975], [975, null])).toEqual({ shown: 975, asked: 2 });
});

it('under a stream of events what they made stands, and nothing is asked for ever', async () => {
  expect(await readWhile([1_000, 975], [975, 950])).toEqual({ shown: 950, asked: 2 });
});

it('a first answer that was invalidated on its way is asked for once more, and no further time', async () => {
  const cache = makeCache();
  let asked = 0;
  const ask = (async () => {
    asked += 1;
    const answer = { tokens: asked === 1 ? 1_000 : 975 };
    void cache.invalidateQueries({ queryKey: [read.name] });
    return answer;
  }) as CallFunction;
  const unsubscribe = new QueryObserver(cache, queryOf(ask, read, {})).subscribe(() => undefined);
  await expect.poll(() => cache.isFetching()).toBe(0);
  expect([cache.getQueryData([read.name, {}]), asked]).toEqual([{ tokens: 975 }, 2]);
  unsubscribe();
});

it(
  'a tab that one comes back to asks again for what is older than 60 s, and for nothing recent [C-400]',
  async () => {
    const asked: number[] = [];
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const cache = makeCache();
    cache.mount();
    const observers = [1_000, 50_000, 59_999, 60_000].map((ageMs) => {
      const ask = (async () => {
        asked.push(ageMs);
        return { tokens: 1 };
      }) as CallFunction;
      const key = [read.name, { ageMs }];
      cache.setQueryData(key, { tokens: 0 }, { updatedAt: Date.now() - ageMs });
      const query = { ...queryOf(ask, read, {}), queryKey: key, refetchOnMount: false } as const;
      return new QueryObserver(cache, query).subscribe(() => undefined);
    });
    focusManager.setFocused(false);
    focusManager.setFocused(true);
    await expect.poll(() => asked).toEqual([60_000]);
    focusManager.setFocused(undefined);
    for (const unsubscribe of observers) unsubscribe();
    cache.unmount();
  },
);
