import type { ClientCall } from '#platform/contract/call.ts';
import type { CallFunction } from '#platform/contract/client.ts';
import { InfiniteQueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { makeCache, queryKeyOf, restore, snapshotOf } from './calls.ts';
import { changeCachedPages, pagesKeyOf, pagesOf } from './pages.ts';

interface Page {
  readonly numbers: readonly number[];
  readonly next: number | null;
}
const list: ClientCall<{ before?: number }, Page> = {
  name: 'numbers.list',
  method: 'GET',
  path: '/numbers',
};

/** A server with the numbers from 6 down to 1, two per page, and the requests it got. */
function server(): { readonly call: CallFunction; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const call = async (_call: unknown, input: { before?: number }): Promise<Page> => {
    asked.push(input);
    const numbers = [6, 5, 4, 3, 2, 1].filter((number) => number < (input.before ?? 7)).slice(0, 2);
    const last = numbers.at(-1) ?? 1;
    return { numbers, next: last > 1 ? last : null };
  };
  return { call: call as CallFunction, asked };
}

it('loads one page after the other, each from where the one before it ended', async () => {
  const { call, asked } = server();
  const observer = new InfiniteQueryObserver(makeCache(), pagesOf(call, list, {}));
  const end = observer.subscribe(() => undefined);
  while ((await observer.fetchNextPage()).hasNextPage);
  end();
  const { data } = observer.getCurrentResult();
  expect(data?.pages.flatMap(({ numbers }) => numbers)).toEqual([6, 5, 4, 3, 2, 1]);
  expect(asked).toEqual([{}, { before: 5 }, { before: 3 }]);
});

it('asks for the next page by another field, from what another field says', async () => {
  const { call, asked } = server();
  const options = pagesOf(call, list as ClientCall<{ before?: number; after?: number }, Page>, {}, {
    cursor: 'after',
    next: ({ numbers }) => numbers[0] ?? null,
  });
  const observer = new InfiniteQueryObserver(makeCache(), options);
  const end = observer.subscribe(() => undefined);
  await observer.fetchNextPage();
  await observer.fetchNextPage();
  end();
  expect(asked).toEqual([{}, { after: 6 }]);
});

it('goes with a document: the page continues where the server began, and asks nothing again', async () => {
  const { call, asked } = server();
  const onServer = makeCache();
  await onServer.ensureInfiniteQueryData(pagesOf(call, list, {}));
  const inPage = makeCache();
  restore(
    inPage,
    JSON.parse(JSON.stringify(snapshotOf(onServer))) as ReturnType<typeof snapshotOf>,
    (at) => at,
  );
  await inPage.ensureInfiniteQueryData(pagesOf(call, list, {}));
  expect(asked).toEqual([{}]);
  const observer = new InfiniteQueryObserver(inPage, pagesOf(call, list, {}));
  const end = observer.subscribe(() => undefined);
  await observer.fetchNextPage();
  end();
  expect(asked).toEqual([{}, { before: 5 }]);
});

it('is asked for again with everything of its call, and events change it', async () => {
  const { call, asked } = server();
  const cache = makeCache();
  await cache.ensureInfiniteQueryData(pagesOf(call, list, {}));
  changeCachedPages(cache, list, {}, (pages) => pages.map((page) => ({ ...page, numbers: [7] })));
  expect(cache.getQueryData(pagesKeyOf(list, {}))).toMatchObject({ pages: [{ numbers: [7], next: 5 }] });
  await cache.invalidateQueries({ queryKey: queryKeyOf(list), refetchType: 'all' });
  expect(cache.getQueryData(pagesKeyOf(list, {}))).toMatchObject({ pages: [{ numbers: [6, 5], next: 5 }] });
  expect(asked).toHaveLength(2);
});

it('asks again for pages that an event overtook', async () => {
  const { call, asked } = server();
  const cache = makeCache();
  const observer = new InfiniteQueryObserver(cache, pagesOf(call, list, {}));
  const end = observer.subscribe(() => undefined);
  await observer.refetch();
  const before = asked.length;
  const refetched = observer.refetch();
  changeCachedPages(cache, list, {}, (pages) => pages);
  await refetched;
  await expect.poll(() => cache.isFetching()).toBe(0);
  end();
  expect(asked.length).toBe(before + 2);
});
