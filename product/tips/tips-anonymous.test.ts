import { getHistory } from '#product/ledger/contract.ts';
import { moderate } from '#product/room-moderation/contract.ts';
import { chatHistory, chatMessage, getRoom, sayInChat, userList } from '#product/rooms/contract.ts';
import { messagesRemoved } from '#product/rooms/contract/moderation.ts';
import { key } from '#product/testkit/payments/wallet.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listReceivedTips, listSentTips, sendTip, tipReceived } from './contract.ts';
import { listEffects } from './contract/effects.ts';
import { saveTipMenu } from './contract/menu.ts';
import { makeOverlay } from './contract/overlay.ts';
import { getTipTools } from './contract/tools.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const givesAnonymously = (viewer: Member, host: Member, amount: number, comment = ''): Promise<unknown> =>
  viewer.call(sendTip, { username: host.username, amount, comment, anonymous: true }, key());

/** Everything a socket received, in order. */
const wireOf = (socket: TestSocket): string => JSON.stringify(socket.events);

describe('an anonymous tip', () => {
  it('is shown to all without a name, with its amount and message', async () => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    const viewerSocket = await (await site.viewer()).joins(host);
    await givesAnonymously(viewer, host, 40, 'guess who');
    await site.settle();
    const line = await viewerSocket.waitFor(chatMessage);
    expect(line).toMatchObject({
      username: 'anonymous',
      display_name: 'Anonymous',
      value: 40,
      message: 'guess who',
      is_tip: true,
      recent_tips: 0,
      recentTips: 0,
      has_tokens: false,
      is_vip: false,
      is_model: false,
      gender: null,
      background: 'pink-10',
      fontStyle: null,
      color: null,
      weight: null,
    });
    expect(await viewerSocket.waitFor(tipReceived)).toMatchObject(
      { sender_name: 'Anonymous', anonymous: true },
    );
  });

  it('names its sender on no wire, in no answer and after no return, to nobody', async () => {
    const host = await site.performer({ live: true });
    const moderator = await site.viewer({ roles: ['site_mod'] });
    const viewer = await site.viewer({ tokens: 500, username: 'secret-giver' });
    const item = (await host.call(saveTipMenu, { items: [{ title: 'Wave', price: 20 }] })).items[0];
    await host.call(makeOverlay, {});
    const sockets = [
      await host.joins(host),
      await site.socketOf(host),
      await (await site.viewer()).joins(host),
      await site.socketOf(await site.visitor({ ofAge: true }), host.username),
    ];
    await givesAnonymously(viewer, host, 40, 'hello');
    await viewer.call(sendTip, {
      username: host.username,
      amount: 20,
      type: 'menu',
      app_data: { item: item?.id ?? 0 },
      anonymous: true,
    }, key());
    await site.settle();
    for (const socket of sockets) {
      await socket.waitFor(tipReceived, ({ tokens }) => tokens === 20);
      expect(wireOf(socket)).not.toContain('secret-giver');
    }
    const late = await (await site.viewer()).joins(host);
    expect((await late.waitFor(chatHistory)).messages).toHaveLength(3);
    expect(wireOf(late)).not.toContain('secret-giver');
    const received = [
      await host.call(listReceivedTips, {}),
      await host.call(listEffects, {}),
      await host.call(getHistory, {}),
      await host.call(getTipTools, {}),
      await host.call(getRoom, { username: host.username }),
      await moderator.call(getRoom, { username: host.username }),
    ];
    expect(JSON.stringify(received)).not.toContain('secret-giver');
    expect(await host.call(listReceivedTips, { with: 'secret-giver' })).toEqual({ tips: [], next: null });
    // The sender knows who gave it.
    expect((await viewer.call(listSentTips, {})).tips).toMatchObject([
      { tokens: 20, anonymous: true, title: 'Wave' },
      { tokens: 40, anonymous: true, receiver_name: host.username },
    ]);
  });

  it('raises nothing that stands beside the sender\'s name', async () => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    const performerSocket = await host.joins(host);
    await viewer.joins(host);
    await givesAnonymously(viewer, host, 40);
    await viewer.tips(host, 5);
    await site.settle();
    const named = await performerSocket.waitFor(chatMessage, ({ username }) => username === viewer.username);
    expect(named).toMatchObject({ value: 5, recent_tips: 5 });
    for (const { users } of performerSocket.received(userList)) {
      for (const user of users) expect([0, 5]).toContain(user.recentTips);
    }
  });

  it('stays when its sender is silenced, so that nothing points at them; nobody can quote it', async () => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    const other = await site.viewer();
    const viewerSocket = await other.joins(host);
    const speaker = await viewer.joins(host);
    await givesAnonymously(viewer, host, 40);
    await site.settle();
    const tip = await viewerSocket.waitFor(chatMessage, ({ is_tip }) => is_tip);
    const said = await site.says(speaker, 'it was a pleasure');
    viewerSocket.send(sayInChat, { message: 'who?', reply_to: tip.id });
    await expect.poll(async () => {
      await site.settle();
      return viewerSocket.received(chatMessage).find(({ message }) => message === 'who?')?.reply;
    }).toBeNull();
    await host.call(moderate, { username: host.username, subject: viewer.username, action: 'silence' });
    await site.settle();
    const late = await (await site.viewer()).joins(host);
    const { messages } = await late.waitFor(chatHistory);
    expect(messages.map(({ id }) => id)).toContain(tip.id);
    expect(messages.map(({ id }) => id)).not.toContain(said.id);
    expect(viewerSocket.received(messagesRemoved)).toEqual([]);
  });

  it('is another tip than the same with a name', async () => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    const same = key();
    await viewer.call(sendTip, { username: host.username, amount: 10 }, same);
    expect(await viewer.refused(sendTip, { username: host.username, amount: 10, anonymous: true }, same))
      .toMatchObject({ errorType: 'idempotency_key_reused' });
  });
});
