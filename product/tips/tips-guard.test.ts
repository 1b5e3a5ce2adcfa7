import { chatMessage, getRoom, sayInChat } from '#product/rooms/contract.ts';
import { splitOn } from '#product/testkit/payments/splits.ts';
import { key, tokensOf } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendTip } from './contract.ts';
import { saveTipMenu } from './contract/menu.ts';
import { cancelSplit, joinSplit, startSplit } from './contract/splits.ts';

let site: TestSite;
let host: Member;
let viewer: Member;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());
beforeEach(async () => {
  host = await site.performer({ live: true });
  viewer = await site.viewer({ tokens: 1_000 });
});

const tips = (more: object = {}, by = viewer) =>
  by.call(sendTip, { username: host.username, amount: 10, ...more }, key());
const refused = async (more: object = {}, by = viewer) =>
  by.refused(sendTip, { username: host.username, amount: 10, ...more }, key());

describe('a tip\'s comment passes the rules of the chat', () => {
  it('of a banned viewer is refused, and nothing is charged', async () => {
    const listener = await (await site.viewer()).joins(host);
    await host.moderates('ban', viewer);
    expect(await viewer.refused(getRoom, { username: host.username })).toMatchObject({ status: 403 });
    const problem = await refused({ comment: 'hello again' });
    expect([problem.status, problem.errorType]).toEqual([403, 'room_banned']);
    expect(await tokensOf(viewer)).toBe(1_000);
    // Tokens without words are always accepted.
    await tips();
    await site.settle();
    const shown = await listener.waitFor(chatMessage, ({ type }) => type === 'tip');
    expect(shown.message).toBe('');
    expect(listener.received(chatMessage).map(({ message }) => message)).not.toContain('hello again');
    await host.moderates('unban', viewer);
    await tips({ comment: 'hello again' });
  });

  it('of a kicked viewer is refused', async () => {
    await host.moderates('kick', viewer);
    expect((await refused({ comment: 'back' })).errorType).toBe('room_kicked');
  });

  it('of a silenced viewer is refused with the reason, anonymous or not', async () => {
    await host.moderates('silence', viewer);
    for (const more of [{}, { anonymous: true }, { vr: true, source_id: 'x' }]) {
      const problem = await refused({ comment: 'psst', ...more });
      expect(problem).toMatchObject({ status: 403, errorType: 'comment_refused' });
      expect(problem.message).toBe(
        'You’re silenced in this room. Change or remove your comment. Nothing was charged.',
      );
    }
    expect(await tokensOf(viewer)).toBe(1_000);
    await tips();
    await host.moderates('unsilence', viewer);
    await tips({ comment: 'psst' });
  });

  it.each(['silence', 'ban', 'kick'] as const)(
    'repeated with its key after a %s gets the first answer again, and is charged once',
    async (action) => {
      const again = key();
      const plain = { username: host.username, amount: 10, comment: 'hello' };
      const first = await viewer.call(sendTip, plain, again);
      await host.moderates(action, viewer);
      expect(await viewer.call(sendTip, plain, again)).toEqual(first);
      expect(await tokensOf(viewer)).toBe(990);
      // With another comment it is another tip, and cannot carry words that the chat refuses.
      const other = await viewer.refused(sendTip, { ...plain, comment: 'psst' }, again);
      expect(other.errorType).toBe('idempotency_key_reused');
      expect((await viewer.refused(sendTip, plain, key())).status).toBe(403);
      expect(await tokensOf(viewer)).toBe(990);
    },
  );

  it('with a blocked word or a link is refused as in the chat, however it is written', async () => {
    await host.changesChatRules({ preset: 'open', blocked_words: ['scam'], links: 'refuse' });
    const here = await viewer.joins(host);
    for (const text of ['a s c a m here', '5c4m', 's\u200Bcam', 'go to evil.example.com now']) {
      const problem = await refused({ comment: text });
      expect([text, problem.errorType]).toEqual([text, 'comment_refused']);
      here.send(sayInChat, { message: text });
      const returned = await here.waitFor(chatMessage, ({ error }) => error ?? false);
      expect(returned.error).toBe(true);
    }
    const problem = await refused({ comment: 'a scam' });
    expect(problem.message).toContain('contains a word that isn’t allowed here');
    expect(await tokensOf(viewer)).toBe(1_000);
    await tips({ comment: 'what a show' });
  });

  it('with a link waits for nobody: where links are held it is refused', async () => {
    await host.changesChatRules({ preset: 'open', links: 'hold' });
    expect((await refused({ comment: 'see evil.example.com' })).errorType).toBe('comment_refused');
  });

  it('is not judged for the performer\'s moderators', async () => {
    await host.changesChatRules({ preset: 'open', blocked_words: ['scam'], links: 'refuse' });
    await host.moderates('moderator', viewer);
    const { tokens } = await tips({ comment: 'this is no scam: docs.example.com' });
    expect(tokens).toBe(990);
  });

  it('is no way round by the type of the tip, which clients of the room receive', async () => {
    expect((await refused({ type: 'see evil.example.com' })).errorType).toBe('invalid_input');
    await host.changesChatRules({ preset: 'open', blocked_words: ['scam'] });
    expect((await refused({ type: 'scam' })).errorType).toBe('comment_refused');
    await tips({ type: 'wheel_of_joy' });
  });
});

describe('what writes a line in the performer\'s name', () => {
  const split = () => ({ username: host.username, amount: 40, people: 2 });

  it('is no order of a banned viewer, with or without a comment', async () => {
    const { items: [item] } = await host.call(saveTipMenu, { items: [{ title: 'Wave', price: 15 }] });
    const order = { amount: 15, type: 'menu', app_data: { item: item?.id } };
    await host.moderates('ban', viewer);
    expect((await refused(order)).errorType).toBe('room_banned');
    expect(await tokensOf(viewer)).toBe(1_000);
    await host.moderates('unban', viewer);
    await host.moderates('silence', viewer);
    await tips(order);
  });

  it.each(
    [
      ['ban', 'room_banned'],
      ['kick', 'room_kicked'],
      ['silence', 'split_silenced'],
    ] as const,
  )('is no split after a %s', async (action, errorType) => {
    const listener = await (await site.viewer()).joins(host);
    await host.moderates(action, viewer);
    const problem = await viewer.refused(startSplit, split());
    expect([problem.status, problem.errorType]).toEqual([403, errorType]);
    const other = await site.viewer({ tokens: 100 });
    await other.call(startSplit, split());
    expect((await viewer.refused(joinSplit, await splitOn(host))).errorType).toBe(errorType);
    await other.call(cancelSplit, { username: host.username });
    await listener.waitFor(chatMessage, ({ message }) => message.includes(other.username));
    const lines = listener.received(chatMessage).map(({ message }) => message);
    expect(lines.join('\n')).not.toContain(viewer.username);
    expect(await tokensOf(viewer)).toBe(1_000);
  });

  it('is no split by the chat command of a silenced viewer', async () => {
    const here = await viewer.joins(host);
    const listener = await (await site.viewer()).joins(host);
    await host.moderates('silence', viewer);
    here.send(sayInChat, { message: '/tip_split 40 2' });
    const returned = await here.waitFor(chatMessage, ({ error }) => error ?? false);
    expect(returned.errorMessage).toBe('You’re silenced in this room, so you can’t split a tip here.');
    expect(listener.received(chatMessage)).toEqual([]);
  });
});
