import { getCurrentUser } from '#product/accounts/contract.ts';
import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import {
  answerConversation,
  closeConversation,
  listConversations,
  readChat,
  readConversation,
  sendChat,
  showLiveHelp,
} from '#product/support/contract/chat.ts';
import { getSupportPhone, setShowsPhone } from '#product/support/contract/phone.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import type { Member } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const NUMBER = '+44 20 7946 0000';
let shop: Shop;
let admin: Member;
beforeAll(async () => {
  shop = await createShop();
  admin = await shop.site.admin();
});
afterAll(() => shop.close());

/** Opens support as people do: by the link at the foot of the page. */
async function opensSupport(visitor: Visitor) {
  const page = await openPage(shop.site, visitor, '/');
  await page.press('Support', { role: 'link', in: await page.find('contentinfo') });
  await page.find('heading', 'Support', { level: 1 });
  return page;
}

async function withCard(): Promise<Member> {
  const viewer = await shop.site.viewer();
  await shop.keeps(viewer);
  return viewer;
}

const shows = async (visitor: Visitor): Promise<boolean> => (await visitor.call(showLiveHelp, {})).show;

describe('chat with support', () => {
  test('is for who is logged in and has a card, and for performers [A-327, A-356]', async () => {
    const [guest, viewer] = [await shop.site.visitor({ ofAge: true }), await shop.site.viewer()];
    for (const who of [guest, viewer]) {
      const asked = await who.request({ url: '/api/v1/billing/show-live-help' });
      expect([asked.statusCode, asked.json()]).toEqual([200, { show: false }]);
      expect((await who.refused(readChat, {})).errorType).toBe('chat_closed');
      expect((await who.refused(sendChat, { text: 'Hello?' })).errorType).toBe('chat_closed');
      const page = await opensSupport(who);
      await page.field('Your message');
      await page.gone('button', 'Start chat');
    }
    await shop.keeps(viewer);
    for (const who of [viewer, await shop.site.performer()]) {
      const asked = await who.request({ url: '/api/v1/billing/show-live-help' });
      expect([asked.statusCode, asked.json()]).toEqual([200, { show: true }]);
      const page = await opensSupport(who);
      await page.press('Start chat');
      const text = `Hello from ${who.username}`;
      await page.fill('Your message to support', text);
      await page.press('Send');
      await page.sees(text, { in: await page.find('log', 'Messages') });
      expect((await who.call(readChat, {})).messages.map((message) => message.text)).toEqual([text]);
      expect(await page.problems()).toEqual([]);
    }
  });

  test('is open to everyone while the test flag is on, guests included [A-330]', async () => {
    const guest = await shop.site.visitor({ ofAge: true });
    const back = await openPage(shop.site, admin, '/admin/site');
    const form = await back.find('region', 'Rules');
    await back.press('Test: chat with support is open to everyone', { role: 'checkbox', in: form });
    await back.fill('Reason', 'trying the chat', { in: form });
    await back.press('Save', { in: form });
    await back.sees('Saved');
    expect([await shows(guest), await shows(await shop.site.viewer())]).toEqual([true, true]);
    const page = await opensSupport(guest);
    await page.press('Start chat');
    await page.fill('Your message to support', 'Is anybody there?');
    await page.press('Send');
    await page.sees('Is anybody there?', { in: await page.find('log', 'Messages') });
    const other = await shop.site.visitor({ ofAge: true });
    expect(await other.call(readChat, {})).toEqual({ messages: [] });
    const { conversations } = await admin.call(listConversations, {});
    expect(conversations[0]).toMatchObject({
      username: expect.stringMatching(/^guest_/u),
      is_waiting: true,
      last_text: 'Is anybody there?',
    });
    await admin.call(answerConversation, { id: conversations[0]?.id ?? 0, text: 'We are.' });
    await page.sees('We are.', { in: await page.find('log', 'Messages') });
    await admin.call(changeOperatorRules, { support_chat_for_all: false, reason: 'tried' });
    expect(await shows(guest)).toBe(false);
    expect((await guest.refused(readChat, {})).errorType).toBe('chat_closed');
  });

  test('is a conversation with admins that both sides see at once', async () => {
    const viewer = await withCard();
    await viewer.call(sendChat, { text: 'My tokens have not come.' });
    const back = await openPage(shop.site, admin, '/admin');
    await back.press('Support', { role: 'link', in: await back.find('navigation', 'Back office') });
    const chats = await back.find('region', 'Conversations');
    await back.sees('My tokens have not come.', { in: chats });
    await back.press(`Chat with ${viewer.username}`, { in: chats });
    expect(await back.problems()).toEqual([]);
    await viewer.call(sendChat, { text: 'It was an hour ago.' });
    await back.sees('It was an hour ago.', { in: await back.find('log', 'Messages') });
    await back.fill(`Answer to ${viewer.username}`, 'They are there now.');
    await back.press('Send', { in: chats });
    await back.sees('They are there now.', { in: await back.find('log', 'Messages') });
    const { messages } = await viewer.call(readChat, {});
    expect(messages.map(({ text, from_support }) => [text, from_support])).toEqual([
      ['My tokens have not come.', false],
      ['It was an hour ago.', false],
      ['They are there now.', true],
    ]);
    const page = await opensSupport(viewer);
    await page.press('Start chat');
    const log = await page.find('log', 'Messages');
    await page.sees('They are there now.', { in: log });
    const [open] = (await admin.call(listConversations, {})).conversations;
    await admin.call(answerConversation, { id: open?.id ?? 0, text: 'Anything else?' });
    await page.sees('Anything else?', { in: log });
    expect(await page.problems()).toEqual([]);
    await admin.call(closeConversation, { id: open?.id ?? 0 });
    expect((await admin.call(listConversations, { closed: true })).conversations.map(({ id }) => id))
      .toContain(open?.id);
    await viewer.call(sendChat, { text: 'Yes, one more.' });
    expect((await admin.call(listConversations, {})).conversations[0]).toMatchObject({
      id: open?.id,
      is_waiting: true,
      closed_at: null,
    });
  });

  test('keeps the newest hundred messages, and is erased half a year after it was closed', async () => {
    const viewer = await withCard();
    await viewer.call(sendChat, { text: 'message 0' });
    const id = (await admin.call(listConversations, {})).conversations[0]?.id ?? 0;
    for (let sent = 1; sent <= 100; sent += 1) {
      if (sent % 20 === 0) await shop.site.passes(60_000);
      await (sent % 2 === 0
        ? viewer.call(sendChat, { text: `message ${sent}` })
        : admin.call(answerConversation, { id, text: `message ${sent}` }));
    }
    const texts = (await viewer.call(readChat, {})).messages.map(({ text }) => text);
    expect([texts.length, texts[0], texts.at(-1)]).toEqual([100, 'message 1', 'message 100']);
    await admin.call(closeConversation, { id });
    await shop.site.passes(181 * 86_400_000);
    const [later, other] = [await shop.site.admin(), await shop.site.performer()];
    await other.call(sendChat, { text: 'A new one' });
    expect((await later.refused(readConversation, { id })).errorType).toBe('no_such_conversation');
    admin = later;
  });

  test('is read and answered by nobody else', async () => {
    const viewer = await withCard();
    await viewer.call(sendChat, { text: 'Only for support' });
    const id = (await admin.call(listConversations, {})).conversations[0]?.id ?? 0;
    const other = await withCard();
    expect(await other.call(readChat, {})).toEqual({ messages: [] });
    const strangers = [
      await shop.site.visitor({ ofAge: true }),
      other,
      viewer,
      await shop.site.performer(),
      await shop.site.viewer({ roles: ['site_mod'] }),
    ];
    for (const who of strangers) {
      const status = who === strangers[0] ? 401 : 403;
      for (const refused of [
        await who.refused(listConversations, {}),
        await who.refused(readConversation, { id }),
        await who.refused(answerConversation, { id, text: 'I am support' }),
        await who.refused(closeConversation, { id }),
        await who.refused(setShowsPhone, { username: viewer.username, is_shown: true }),
      ]) expect(refused.status).toBe(status);
    }
    await shop.site.tx((tx) =>
      shop.site.services.accounts.suspend(tx, viewer.id, {
        suspended: true,
        actorId: null,
        reason: 'fraud',
      })
    );
    expect((await viewer.refused(sendChat, { text: 'Let me in' })).status).toBeGreaterThanOrEqual(401);
    expect((await admin.call(readConversation, { id })).messages).toHaveLength(1);
    expect((await admin.refused(readConversation, { id: 1_000_000 })).errorType).toBe('no_such_conversation');
  });
});

describe('the telephone number of support', () => {
  /** The admin sets the number in the back office. */
  async function setsNumber(): Promise<void> {
    const back = await openPage(shop.site, admin, '/admin/site');
    const form = await back.find('region', 'Rules');
    await back.fill('Support phone', NUMBER, { in: form });
    await back.fill('Reason', 'the line is open', { in: form });
    await back.press('Save', { in: form });
    await back.sees('Saved');
  }

  /** Whether the support page shows the number to a person. */
  async function isShownTo(member: Member): Promise<void> {
    const page = await opensSupport(member);
    const link = await page.find('link', NUMBER);
    expect(link.getAttribute('href')).toBe('tel:+442079460000');
    expect(await page.problems()).toEqual([]);
  }

  test('is shown to super_vip members, and sent to nobody else [A-331]', async () => {
    await setsNumber();
    const member = await shop.site.viewer();
    await shop.buys(member, 'membership_super_vip');
    await isShownTo(member);
    const [premium, vip] = [await shop.site.viewer(), await shop.site.viewer()];
    await shop.buys(premium, 'membership_premium');
    await shop.buys(vip, 'membership_vip');
    for (const who of [premium, vip, await withCard(), await shop.site.performer(), admin]) {
      expect(await who.call(getSupportPhone, {})).toEqual({ phone: null });
      const page = await opensSupport(who);
      await page.gone('link', NUMBER);
      expect(JSON.stringify(await who.call(getCurrentUser, {}))).not.toContain('7946');
    }
    const guest = await shop.site.visitor({ ofAge: true });
    expect((await guest.refused(getSupportPhone, {})).status).toBe(401);
  });

  test('is shown to whom an admin shows it, for as long as that stands [A-332]', async () => {
    await setsNumber();
    const viewer = await shop.site.viewer();
    expect((await viewer.call(getCurrentUser, {})).user.showSupportPhone).toBe(false);
    const back = await openPage(shop.site, admin, '/admin/support');
    const form = await back.find('region', 'Support phone');
    await back.fill('Username', 'nobody_at_all', { in: form });
    await back.press('Save', { in: form });
    await back.sees('Nobody has this username. Check its spelling.');
    await back.fill('Username', viewer.username, { in: form });
    await back.press('Save', { in: form });
    await back.sees(`${viewer.username} sees the number now`);
    expect((await viewer.call(getCurrentUser, {})).user.showSupportPhone).toBe(true);
    await isShownTo(viewer);
    // Only this person gets it, and only admins grant it.
    const other = await shop.site.viewer();
    expect((await other.call(getCurrentUser, {})).user.showSupportPhone).toBe(false);
    expect(await other.call(getSupportPhone, {})).toEqual({ phone: null });
    await (await opensSupport(other)).gone('link', NUMBER);
    const itself = { username: other.username, is_shown: true };
    for (const who of [other, await shop.site.performer()]) {
      expect((await who.refused(setShowsPhone, itself)).status).toBe(403);
    }
    await admin.call(setShowsPhone, { username: viewer.username, is_shown: false });
    expect((await viewer.call(getCurrentUser, {})).user.showSupportPhone).toBe(false);
    expect(await viewer.call(getSupportPhone, {})).toEqual({ phone: null });
  });
});
