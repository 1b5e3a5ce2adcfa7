import { ratePerformer } from '#product/shows/contract/ratings.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browseLive } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('the listing of the top rated', () => {
  const listed = async (path: string): Promise<(readonly [string, number | null])[]> => {
    await site.settle();
    const { userList } = await (await site.visitor({ ofAge: true })).call(browseLive, { path });
    return userList.map(({ username, rating }) => [username, rating] as const);
  };

  it('has who is rated, of that gender, the best first [B-050, B-086]', async () => {
    const [good, better] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const [unrated, man] = [
      await site.performer({ live: true }),
      await site.performer({ live: true, gender: 'm' }),
    ];
    // The ranking's order differs: `good` has far more tips.
    await (await site.viewer({ tokens: 2_000 })).tips(good, 1_500);
    const [trans, couple, offline] = [
      await site.performer({ live: true, gender: 't' }),
      await site.performer({ live: true, gender: 'c' }),
      await site.performer(),
    ];
    const rated = [good, better, man, trans, couple, offline];
    const fans = await Promise.all(Array.from({ length: 3 }, () => site.viewer({ tokens: 200 })));
    for (const fan of fans) for (const performer of rated) await fan.tips(performer, 25);
    await site.settle();
    for (const [at, fan] of fans.entries()) {
      for (const performer of rated) {
        const isDown = (performer === good && at === 0) || (performer === offline && at > 0);
        const vote = isDown ? 'RATE_DOWN' : 'RATE_UP';
        await fan.call(ratePerformer, { username: performer.username, vote });
      }
    }
    expect(await listed('girls/top-rated')).toEqual([[better.username, 5], [good.username, 3.3]]);
    for (const [section, performer] of [['men', man], ['trans', trans], ['couples', couple]] as const) {
      expect(await listed(`${section}/top-rated`)).toEqual([[performer.username, 5]]);
    }
    expect((await listed('girls')).map(([name]) => name)[0]).toBe(good.username);
    expect((await listed('girls')).find(([name]) => name === unrated.username)?.[1]).toBe(null);
    // Offline performers were rated too, and are listed with that rating once they are live.
    await offline.goesLive();
    expect(await listed('girls/top-rated'))
      .toEqual([[better.username, 5], [good.username, 3.3], [offline.username, 1.7]]);
  });
});
