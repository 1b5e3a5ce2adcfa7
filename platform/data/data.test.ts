import { afterAll, beforeAll, expect, it } from 'vitest';
import { VirtualClock } from './clock.ts';
import { openTestData } from './testing.ts';
import type { OpenedData } from './open.ts';
let data: OpenedData;
const clock = new VirtualClock();
beforeAll(async () => { data = await openTestData({ clock, slices: [] }); });
afterAll(() => data.close());
it('works', async () => {
  expect(await data.tx({ operatorId: 1 }, async (tx) => tx.sql<any>().selectFrom('platform.due' as any).selectAll().execute())).toEqual([]);
  await data.settle();
});
