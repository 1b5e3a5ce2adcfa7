import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';
import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getFeed } from './contract/feed.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

async function goesLiveOnce(performer: Member): Promise<void> {
  await performer.goesLive();
  await performer.call(endBroadcast, {});
  await site.settle();
}

describe('feed/{gender}', () => {
  it('answers who went live, newest first, page by page [C-273] [C-011]', async () => {
    const guest = await site.visitor({ ofAge: true });
    const [couple, away] = [await site.performer({ gender: 'c' }), await site.performer({ gender: 'c' })];
    const times: string[] = [];
    for (let more = 0; more < 21; more += 1) {
      await site.passes(HOUR_MS);
      times.unshift(site.clock.now().toISOString());
      await goesLiveOnce(away);
    }
    await site.passes(HOUR_MS);
    await couple.call(setDetails, { title: 'Evening show', tags: [] });
    await couple.goesLive();
    const first = await guest.call(getFeed, { gender: 'couples' });
    expect(first.items[0]).toEqual({
      id: expect.any(Number),
      kind: 'live',
      at: site.clock.now().toISOString(),
      post: null,
      performer: {
        id: couple.id,
        username: couple.username,
        displayName: couple.person.displayName,
        gender: 'c',
        thumbUrl: null,
        isLive: true,
        subjectText: 'Evening show',
        viewerCount: 0,
      },
    });
    expect(first.items[1]?.performer).toMatchObject({ id: away.id, isLive: false, subjectText: '' });
    expect([first.items.length, first.page, first.next]).toEqual([20, 1, 2]);
    const second = await guest.call(getFeed, { gender: 'couples', page: 2 });
    expect([second.items.length, second.page, second.next]).toEqual([2, 2, null]);
    const answer = await guest.request({ method: 'GET', url: '/api/v1/feed/couples?page=2' });
    expect([answer.statusCode, answer.json<unknown>()]).toEqual([200, second]);
    expect([...first.items, ...second.items].slice(1).map(({ at }) => at)).toEqual(times);
    const others = [
      ['girls', await site.performer({ gender: 'f' })],
      ['men', await site.performer({ gender: 'm' })],
      ['trans', await site.performer({ gender: 't' })],
    ] as const;
    for (const [, one] of others) await goesLiveOnce(one);
    for (const [gender, one] of others) {
      const { items } = await guest.call(getFeed, { gender });
      expect(items.map(({ performer }) => performer.id), gender).toEqual([one.id]);
    }
    expect((await guest.call(getFeed, { gender: 'couples' })).items[0]?.performer.id).toBe(couple.id);
    await couple.call(endBroadcast, {});
    await site.settle();
    // Move past all of this, so that the tests below start with an empty feed.
    await site.passes(31 * DAY_MS);
    const later = await site.visitor({ ofAge: true });
    expect(await later.refused(getFeed, { gender: 'robots' }))
      .toMatchObject({ status: 404, errorType: 'feed_unknown' });
  });

  it('has somebody once who comes back within half an hour, and nothing older than thirty days', async () => {
    const performer = await site.performer({ gender: 't' });
    // The pass of the entry gate would expire when the clock jumps.
    const items = async (): Promise<number> => {
      const guest = await site.visitor({ ofAge: true });
      return (await guest.call(getFeed, { gender: 'trans' })).items.length;
    };
    await goesLiveOnce(performer);
    await site.passes(29 * MINUTE_MS);
    await goesLiveOnce(performer);
    expect(await items()).toBe(1);
    await site.passes(31 * MINUTE_MS);
    await goesLiveOnce(performer);
    expect(await items()).toBe(2);
    await site.passes(30 * DAY_MS - 30 * MINUTE_MS);
    expect(await items()).toBe(1);
    await site.passes(31 * MINUTE_MS);
    expect(await items()).toBe(0);
  });

  it('shows nobody whom a viewer may not perceive, or hides', async () => {
    const [viewer, guest] = [await site.viewer(), await site.visitor({ ofAge: true })];
    const [suspended, hidden, blocked, shown] = [
      await site.performer({ gender: 'm' }),
      await site.performer({ gender: 'm' }),
      await site.performer({ gender: 'm' }),
      await site.performer({ gender: 'm' }),
    ];
    for (const performer of [suspended, hidden, blocked, shown]) await goesLiveOnce(performer);
    const names = async (who: typeof guest): Promise<string[]> =>
      (await who.call(getFeed, { gender: 'men' })).items.map(({ performer }) => performer.username);
    expect(await names(guest)).toHaveLength(4);
    const { accounts, compliance } = site.services;
    await viewer.call(hidePerformer, { username: hidden.username });
    await site.tx((tx) => compliance.blockRegions(tx, blocked.id, ['BR']));
    await site.tx((tx) =>
      accounts.suspend(tx, suspended.id, {
        suspended: true,
        actorId: null,
        reason: 'test',
      })
    );
    await site.settle();
    expect(await names(guest)).toEqual([shown.username, blocked.username, hidden.username]);
    expect(await names(viewer)).toEqual([shown.username, blocked.username]);
    expect(await names(await site.visitor({ region: 'BR', ofAge: true }))).not.toContain(blocked.username);
    expect(await names(await site.visitor())).toEqual([]);
  });
});
