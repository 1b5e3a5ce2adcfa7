import { uuidV4 } from '#platform/data/ids.ts';
import { getHistory } from '#product/ledger/contract.ts';
import { chatMessage } from '#product/rooms/contract.ts';
import { key, tokensOf } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendTip } from './contract.ts';
import { effectChanged, finishOrder, listEffects, replayEffect } from './contract/effects.ts';
import { addGoal, endGoal, goalChanged } from './contract/goals.ts';
import { menuChanged, saveTipMenu, type MenuItemView } from './contract/menu.ts';
import { getTipRoom, getTipTools } from './contract/tools.ts';
import { MAX_GOALS, MAX_MENU_ITEMS } from './rules.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const orderOf = (host: Member, item: { id: number; price: number }, more: object = {}) => ({
  username: host.username,
  amount: item.price,
  type: 'menu',
  app_data: { item: item.id },
  ...more,
});
const menuOf = async (
  host: Member,
  items: readonly { title: string; price: number; id?: number }[],
): Promise<MenuItemView[]> => (await host.call(saveTipMenu, { items: [...items] })).items;
const goalOf = async (host: Member) => (await host.call(getTipRoom, { username: host.username })).goal;

describe('the tip menu', () => {
  it('is her own to write, and everybody in the room has it at once', async () => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer();
    const viewerSocket = await viewer.joins(host);
    const items = await menuOf(host, [
      { title: ' Wave\u202E  hello ', price: 15 },
      { title: 'Dance', price: 50 },
    ]);
    expect(items).toMatchObject([{ title: 'Wave hello', price: 15 }, { title: 'Dance', price: 50 }]);
    await site.settle();
    expect(await viewerSocket.waitFor(menuChanged)).toEqual({ items });
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.call(getTipRoom, { username: host.username })).menu).toEqual(items);
    // The same items in another order retain their ids.
    const turned = await menuOf(host, items.toReversed());
    expect(turned.map(({ id }) => id)).toEqual(items.map(({ id }) => id).toReversed());
  });

  it('takes orders: paid, shown in the chat, and listed for the performer [A-214, A-348]', async () => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    const [performerSocket, viewerSocket] = [await site.socketOf(host), await viewer.joins(host)];
    const [, dance] = await menuOf(host, [{ title: 'Wave', price: 15 }, { title: 'Dance', price: 50 }]);
    const answered = await viewer.call(
      sendTip,
      orderOf(host, dance as MenuItemView, {
        comment: 'please',
        source_id: 'menu',
        vr: true,
      }),
      key(),
    );
    expect(answered.tokens).toBe(50);
    await site.settle();
    await viewerSocket.waitFor(
      chatMessage,
      ({ type, message }) =>
        type === 'notice' && message === `${viewer.username} ordered “Dance” for 50 tokens.`,
    );
    await viewerSocket.waitFor(
      chatMessage,
      ({ type, value, message }) => type === 'tip' && value === 50 && message === 'please',
    );
    const {
      effect,
    } = await performerSocket.waitFor(effectChanged, ({ effect: { state } }) => state === 'delivered');
    expect(effect).toMatchObject({
      kind: 'order',
      title: 'Dance',
      tokens: 50,
      sender_name: viewer.username,
      done: false,
      tries: 1,
    });
    expect(await host.call(finishOrder, { id: effect.id, done: true })).toMatchObject({ done: true });
    expect((await host.call(listEffects, {})).effects).toMatchObject([{ id: effect.id, done: true }]);
    const { lines } = await viewer.call(getHistory, {});
    expect(lines[0]).toMatchObject({
      tokens: -50,
      memo: {
        title: 'Dance',
        type: 'menu',
        source: 'menu',
        comment: 'please',
        vr: true,
      },
    });
  });

  it('sells nothing at another price, of another menu, or that is not there', async () => {
    const [host, other] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const viewer = await site.viewer({ tokens: 500 });
    const [wave] = await menuOf(host, [{ title: 'Wave', price: 15 }]) as [MenuItemView];
    const [theirs] = await menuOf(other, [{ title: 'Wave', price: 15 }]) as [MenuItemView];
    const cheap = await viewer.refused(sendTip, orderOf(host, { ...wave, price: 1 }), key());
    expect(cheap).toMatchObject({ status: 409, errorType: 'menu_price_differs', price: 15 });
    for (const item of [theirs.id, 999_999, -1, 1.5, 'wave', true]) {
      const tip = { ...orderOf(host, wave), app_data: { item } };
      expect(await viewer.refused(sendTip, tip, key())).toMatchObject({ errorType: 'menu_item_unknown' });
    }
    expect((await viewer.refused(sendTip, { ...orderOf(host, wave), app_data: undefined }, key())).errorType)
      .toBe('menu_item_unknown');
    expect(await tokensOf(viewer)).toBe(500);
  });

  it('keeps a changed item for whoever pressed it before, and for a tip that is sent again', async () => {
    const slow = await createSite();
    try {
      const host = await slow.performer({ live: true });
      const viewer = await slow.viewer({ tokens: 500 });
      const [wave] = await menuOf(host, [{ title: 'Wave', price: 15 }]) as [MenuItemView];
      const same = key();
      const first = await viewer.call(sendTip, orderOf(host, wave), same);
      const [changed] = await menuOf(host, [{ ...wave, price: 20 }]) as [MenuItemView];
      expect(changed.id).not.toBe(wave.id);
      expect(await viewer.call(sendTip, orderOf(host, wave), same)).toEqual(first);
      await viewer.call(sendTip, orderOf(host, wave), key());
      await slow.passes(120_000);
      expect((await viewer.refused(sendTip, orderOf(host, wave), key())).errorType).toBe('menu_item_unknown');
    } finally {
      await slow.close();
    }
  });

  it('is edited by nobody else, not even by whoever knows the ids', async () => {
    const [host, thief] = [await site.performer(), await site.performer()];
    const viewer = await site.viewer();
    const items = await menuOf(host, [{ title: 'Wave', price: 15 }]);
    const stolen = { items: items.map((item) => ({ ...item, price: 1 })) };
    expect((await thief.refused(saveTipMenu, stolen)).errorType).toBe('menu_item_unknown');
    expect((await viewer.refused(saveTipMenu, stolen)).status).toBe(403);
    expect((await host.call(getTipTools, {})).menu).toEqual(items);
    const twice = { items: [...items, ...items] };
    expect((await host.refused(saveTipMenu, twice)).errorType).toBe('menu_item_unknown');
  });

  it.each([
    ['no title', { title: ' \u200B ', price: 10 }, 'title_empty'],
    ['no price', { title: 'A', price: 0 }, 'invalid_input'],
    ['a negative price', { title: 'A', price: -5 }, 'invalid_input'],
    ['a huge price', { title: 'A', price: 1e21 }, 'invalid_input'],
    ['half a token', { title: 'A', price: 0.5 }, 'invalid_input'],
    ['a long title', { title: 'x'.repeat(61), price: 10 }, 'invalid_input'],
  ])('has no item with %s', async (_what, item, code) => {
    const host = await site.performer();
    expect((await host.refused(saveTipMenu, { items: [item] })).errorType).toBe(code);
    const many = Array.from({ length: MAX_MENU_ITEMS + 1 }, () => ({ title: 'A', price: 10 }));
    expect((await host.refused(saveTipMenu, { items: many })).status).toBe(422);
  });
});

describe('goals', () => {
  it('run one after the other, and what is above one counts for the next', async () => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 1_000 });
    const viewerSocket = await viewer.joins(host);
    await host.call(addGoal, { title: 'Dance', target: 100 });
    await host.call(addGoal, { title: 'Song', target: 50 });
    const { goals } = await host.call(addGoal, { title: 'Encore', target: 500 });
    expect(goals.map(({ state }) => state)).toEqual(['running', 'waiting', 'waiting']);
    await viewer.tips(host, 60);
    await site.settle();
    expect(await goalOf(host)).toMatchObject({ title: 'Dance', progress: 60 });
    await viewer.tips(host, 140);
    await site.settle();
    expect(await goalOf(host)).toMatchObject({ title: 'Encore', target: 500, progress: 50 });
    const received = await viewerSocket.waitFor(goalChanged, ({ reached }) => reached.length > 0);
    expect(received).toMatchObject({
      goal: { title: 'Encore', progress: 50 },
      reached: [{ title: 'Dance', progress: 100 }, { title: 'Song', progress: 50 }],
    });
    for (const reached of ['Dance (100 tokens)', 'Song (50 tokens)']) {
      const line = `Goal reached: ${reached}. Thank you!`;
      await viewerSocket.waitFor(chatMessage, ({ type, message }) => type === 'notice' && message === line);
    }
  });

  it('count each tip once, however often it is sent and delivered, and many at once', async () => {
    const host = await site.performer({ live: true });
    const viewers = await Promise.all([1, 2, 3, 4].map(() => site.viewer({ tokens: 100 })));
    await host.call(addGoal, { title: 'Dance', target: 1_000 });
    await Promise.all(viewers.flatMap((viewer) => {
      const same = uuidV4();
      return [viewer.tips(host, 10, same), viewer.tips(host, 10, same), viewer.tips(host, 5)];
    }));
    await site.settle();
    expect(await goalOf(host)).toMatchObject({ progress: 60 });
  });

  it('are ended by their performer alone; the next one starts', async () => {
    const [host, thief] = [await site.performer({ live: true }), await site.performer()];
    const viewerSocket = await (await site.viewer()).joins(host);
    const { goals: [dance] } = await host.call(addGoal, { title: 'Dance', target: 100 });
    await host.call(addGoal, { title: 'Song', target: 50 });
    const id = dance?.id ?? 0;
    expect((await thief.refused(endGoal, { id })).errorType).toBe('goal_unknown');
    const { goals } = await host.call(endGoal, { id });
    expect(goals).toMatchObject([{ title: 'Song', state: 'running' }]);
    expect((await host.refused(endGoal, { id })).errorType).toBe('goal_unknown');
    await site.settle();
    await viewerSocket.waitFor(goalChanged, ({ goal }) => goal?.title === 'Song');
  });

  it('have an amount and a name, and there are only so many', async () => {
    const host = await site.performer();
    for (const target of [0, -1, 0.5, 1e9, Number.NaN]) {
      expect((await host.refused(addGoal, { title: 'Dance', target })).status).toBe(422);
    }
    expect((await host.refused(addGoal, { title: '\u200B', target: 10 })).errorType).toBe('title_empty');
    for (let nth = 0; nth < MAX_GOALS; nth += 1) {
      await host.call(addGoal, { title: `Goal ${nth}`, target: 10 });
    }
    expect((await host.refused(addGoal, { title: 'One more', target: 10 })).errorType).toBe('goals_full');
  });
});

describe('what tips set off', () => {
  it('is listed by page, and sent again when its performer says so', async () => {
    const [host, other] = [await site.performer({ live: true }), await site.performer()];
    const viewer = await site.viewer({ tokens: 100 });
    const viewerSocket = await viewer.joins(host);
    const [wave] = await menuOf(host, [{ title: 'Wave', price: 1 }]) as [MenuItemView];
    for (let nth = 0; nth < 3; nth += 1) await viewer.call(sendTip, orderOf(host, wave), key());
    await site.settle();
    const first = await host.call(listEffects, { limit: 2 });
    expect(first.effects).toHaveLength(2);
    const rest = await host.call(listEffects, { limit: 2, before: first.next ?? 0 });
    expect(rest).toMatchObject({ effects: [{ state: 'delivered' }], next: null });
    // A page that is exactly full is the last one.
    expect((await host.call(listEffects, { limit: 3 })).next).toBeNull();
    const { id } = rest.effects[0] ?? { id: 0 };
    expect(await host.call(replayEffect, { id })).toMatchObject({ state: 'waiting', tries: 2 });
    await site.settle();
    await expect.poll(
      () => viewerSocket.received(chatMessage).filter(({ type }) => type === 'notice'),
    ).toHaveLength(4);
    for (const [call, input] of [[replayEffect, { id }], [finishOrder, { id, done: true }]] as const) {
      expect((await other.refused(call, input)).errorType).toBe('effect_unknown');
      expect((await viewer.refused(call, input)).status).toBe(403);
    }
    expect(await tokensOf(viewer)).toBe(97);
  });
});
