import { openShop } from '#product/testkit/payments/open-shop.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import type { Member } from '#product/testkit/site.ts';
import { expect, it } from 'vitest';
import { chatHistory, chatMessage, sayInChat, type ChatMessageView } from './contract.ts';
import { sendNotice, setInvisibleMode } from './contract/controls.ts';

const shop = await openShop();
const { site } = shop;

async function memberWith(membership: 'vip' | 'super_vip', tokens = 0): Promise<Member> {
  const member = await site.viewer({ tokens });
  await shop.buys(member, `membership_${membership}`);
  return member;
}

/** A live room with a member who only reads. */
async function stage(): Promise<{ readonly performer: Member; readonly reader: TestSocket }> {
  const performer = await site.performer({ live: true });
  return { performer, reader: await site.socketOf(await site.visitor({ ofAge: true }), performer.username) };
}

/** The style of a message: background, font style, colour and weight. */
const styleOf = (
  { background, fontStyle, color, weight }: ChatMessageView,
) => [background, fontStyle, color, weight];

/** Waits until a reader receives the message with this text. */
async function receives(reader: TestSocket, words: string): Promise<ChatMessageView> {
  const fits = ({ message }: ChatMessageView): boolean => message === words;
  // The site may still be handling the message after it has settled once.
  await expect.poll(async () => {
    await site.settle();
    return reader.received(chatMessage).some(fits);
  }).toBe(true);
  return reader.waitFor(chatMessage, fits);
}
/** Waits until a reader receives the line of a tip of this many tokens. */
async function receivesTip(reader: TestSocket, tokens: number): Promise<ChatMessageView> {
  await site.settle();
  return reader.waitFor(chatMessage, ({ value }) => value === tokens);
}

it(
  'a message has the colour of its sender, and the performer of the room writes in bold [B-168, B-360]',
  async () => {
    const { performer, reader } = await stage();
    const senders = [
      [performer, 'pink', 'bold'],
      [await site.performer(), 'pink', null],
      [await memberWith('super_vip'), 'amber', null],
      [await memberWith('vip'), 'green', null],
      [await site.viewer({ tokens: 1 }), 'blue', null],
      [await site.viewer(), null, null],
    ] as const;
    for (const [sender, color, weight] of senders) {
      const words = `I am ${sender.username}`;
      await site.says(await sender.joins(performer), words);
      const line = await receives(reader, words);
      expect([line.username, ...styleOf(line)]).toEqual([sender.username, null, null, color, weight]);
    }
  },
);

it('a tip has the background of its tier, and a notice is muted italics [B-168, B-360]', async () => {
  const { performer, reader } = await stage();
  const viewer = await site.viewer({ tokens: 5_000 });
  const tips = [
    [1, 'pink-5', null],
    [14, 'pink-5', null],
    [15, 'pink-10', null],
    [99, 'pink-10', null],
    [100, 'pink-15', null],
    [499, 'pink-15', null],
    [500, 'pink-20', 'medium'],
    [999, 'pink-20', 'medium'],
    [1_000, 'pink-25', 'medium'],
  ] as const;
  for (const [amount, background, weight] of tips) {
    await viewer.tips(performer, amount);
    const line = await receivesTip(reader, amount);
    expect([line.value, line.type, ...styleOf(line)])
      .toEqual([amount, 'tip', background, null, null, weight]);
  }
  await performer.call(sendNotice, { username: performer.username, message: 'Be kind' });
  const notice = await receives(reader, 'Be kind');
  expect([notice.type, ...styleOf(notice)]).toEqual(['notice', null, 'italic', 'muted', null]);
});

it(
  'a message has every field of a chat message, the same live and in the history [B-168, B-360]',
  async () => {
    const { performer, reader } = await stage();
    const viewer = await memberWith('vip', 50);
    await viewer.call(setInvisibleMode, { level: 1 });
    await viewer.tips(performer, 15);
    await site.settle();
    const socket = await viewer.joins(performer);
    const { id: asked } = await site.says(await performer.joins(performer), 'How are you?');
    socket.send(sayInChat, { message: 'Well!', reply_to: asked });
    expect(await receives(reader, 'Well!')).toMatchObject({
      username: viewer.username,
      message: 'Well!',
      is_tip: false,
      value: 0,
      recent_tips: 15,
      subject_username: performer.username,
      is_invisible_mode: true,
      is_moderation_message: false,
      type: 'message',
      action: null,
      error: false,
      errorMessage: null,
      background: null,
      fontStyle: null,
      color: 'green',
      weight: null,
    });
    expect(await receivesTip(reader, 15)).toMatchObject({
      username: viewer.username,
      message: '',
      is_tip: true,
      value: 15,
      recent_tips: 15,
      subject_username: null,
      is_invisible_mode: true,
      is_moderation_message: false,
      type: 'tip',
      action: null,
      error: false,
      errorMessage: null,
      background: 'pink-10',
      fontStyle: null,
      color: null,
      weight: null,
    });
    const { messages } = await (await (await site.viewer()).joins(performer)).waitFor(chatHistory);
    const asSent = reader.received(chatMessage);
    expect(asSent.map(({ message }) => message)).toEqual(['', 'How are you?', 'Well!']);
    expect(messages).toEqual(asSent);
  },
);

it(
  'what moderation returns is about its sender, has the reason and reaches nobody else [B-168, B-360]',
  async () => {
    const { performer, reader } = await stage();
    const viewer = await site.viewer();
    const socket = await viewer.joins(performer);
    await performer.changesChatRules({ links: 'hold', blocked_words: ['forbidden'] });
    const style = { background: null, fontStyle: null, color: null, weight: null };
    const returned = {
      id: 0,
      error: true,
      is_tip: false,
      value: 0,
      recent_tips: 0,
      type: 'message',
      ...style,
    };
    const about = { is_moderation_message: true, subject_username: viewer.username };
    expect(await site.says(socket, 'this is forbidden')).toMatchObject({
      ...returned,
      ...about,
      username: viewer.username,
      message: 'this is forbidden',
      action: 'word',
      errorMessage: expect.stringContaining('isn’t allowed here') as string,
    });
    expect(await site.says(socket, 'look at example.com')).toMatchObject({
      ...returned,
      ...about,
      action: 'held',
      errorMessage: 'Your message is waiting for moderator approval.',
    });
    // A message that the room itself refuses names no subject.
    expect(await site.says(socket, '/dance')).toMatchObject({
      ...returned,
      is_moderation_message: false,
      subject_username: null,
      action: 'unknown_command',
      errorMessage: 'Unknown command.',
    });
    await performer.moderates('silence', viewer);
    expect(await site.says(socket, 'and now?'))
      .toMatchObject({ ...returned, ...about, action: 'silenced_lasting' });
    await site.says(await performer.joins(performer), 'all quiet');
    await receives(reader, 'all quiet');
    expect(reader.received(chatMessage).map((line) => [line.message, line.is_moderation_message]))
      .toEqual([['all quiet', false]]);
  },
);
