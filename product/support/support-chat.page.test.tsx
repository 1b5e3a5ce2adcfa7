import { changeOperatorRules, getOperatorRules } from '#product/site/contract/operator-rules.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answerConversation,
  getChatState,
  listConversations,
  markChatRead,
  sendChat,
} from './contract/chat.ts';

const SCRIPT = 'https://chat.example/widget.js';
const API = 'https://api.chat.example';
const policyOf = (document: { readonly headers: Readonly<Record<string, unknown>> }): string =>
  String(document.headers['content-security-policy']);

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  admin = await site.admin();
});
afterAll(() => site.close());

const answers = async (text: string): Promise<void> => {
  const { conversations: [newest] } = await admin.call(listConversations, {});
  await admin.call(answerConversation, { id: newest?.id ?? 0, text });
};

describe('the way to the chat with support', () => {
  test('stands in the menu and at the foot of pages, with how many answers are unread', async () => {
    const performer = await site.performer();
    await performer.call(sendChat, { text: 'Is my payout on its way?' });
    const page = await openPage(site, performer, '/legal');
    const foot = await page.find('contentinfo');
    await page.find('link', 'Chat with support', { in: foot });
    await answers('It is.');
    await answers('It arrives on Monday.');
    await page.find('link', 'Chat with support (2 new)', { in: foot });
    await page.press(/’s account$/u, { in: await page.find('banner') });
    expect(await page.problems()).toEqual([]);
    await page.press('Chat with support (2 new)', { role: 'menuitem' });
    await page.until(() => expect(page.path).toBe('/support/chat'));
    await page.sees('It arrives on Monday.', { in: await page.find('log', 'Messages') });
    await page.find('link', 'Chat with support', { in: foot });
    expect(await performer.call(getChatState, {})).toEqual({ show: true, unread: 0, provider: null });
    // An answer that arrives on the open page counts as read.
    await answers('Anything else?');
    await page.sees('Anything else?', { in: await page.find('log', 'Messages') });
    await page.until(async () => expect((await performer.call(getChatState, {})).unread).toBe(0));
    expect(await page.problems()).toEqual([]);
  });

  test('is not there for whom chat is closed to, who read and mark nothing [A-327]', async () => {
    const [viewer, guest] = [await site.viewer(), await site.visitor({ ofAge: true })];
    for (const who of [viewer, guest]) {
      expect(await who.call(getChatState, {})).toEqual({ show: false, unread: 0, provider: null });
      expect((await who.refused(markChatRead, { up_to: 1 })).errorType).toBe('chat_closed');
      const page = await openPage(site, who, '/legal');
      await page.gone('link', /^Chat with support/u);
    }
    const page = await openPage(site, viewer, '/support/chat');
    await page.sees(/^Chat with support isn’t open for your account/u);
    await page.press('Write to support', { role: 'link', in: await page.find('main') });
    await page.field('Your message');
  });

  test('counts only the own conversation, and marking reaches no further than what was sent', async () => {
    const [performer, other] = [await site.performer(), await site.performer()];
    await performer.call(sendChat, { text: 'Hello?' });
    await answers('Hello.');
    expect(await other.call(getChatState, {})).toMatchObject({ unread: 0 });
    expect(await other.call(markChatRead, { up_to: 1_000_000 })).toEqual({ unread: 0 });
    expect(await performer.call(getChatState, {})).toMatchObject({ unread: 1 });
    expect(await performer.call(markChatRead, { up_to: 1_000_000_000 })).toEqual({ unread: 0 });
    await answers('Still there?');
    expect(await performer.call(getChatState, {})).toMatchObject({ unread: 1 });
  });
});

describe('the chat of a provider', () => {
  test('is allowed on the page of the chat alone, and for nobody whom chat is closed to', async () => {
    const performer = await site.performer();
    const documentOf = async (who: Visitor, url: string): Promise<string> =>
      policyOf(await who.request({ url, headers: { accept: 'text/html' } }));
    expect(await documentOf(performer, '/support/chat')).not.toContain('example');
    await admin.call(changeOperatorRules, {
      support_script: SCRIPT,
      support_script_origins: [API],
      reason: 'seen in a test',
    });
    const policy = await documentOf(performer, '/support/chat');
    for (const directive of ['script-src', 'connect-src', 'frame-src', 'img-src']) {
      const [sources] = new RegExp(`${directive} [^;]*`, 'u').exec(policy) ?? [''];
      expect(sources).toContain(' https://chat.example https://api.chat.example');
    }
    expect(policy).toContain(' wss://chat.example wss://api.chat.example');
    for (const url of ['/', '/support', '/account/card', '/legal']) {
      expect(await documentOf(performer, url), url).not.toContain('example');
    }
    expect(await documentOf(await site.visitor({ ofAge: true }), '/support/chat')).not.toContain('example');
  });

  test('is configured in the back office, by TLS alone', async () => {
    const back = await openPage(site, admin, '/admin/site');
    const form = await back.find('region', 'Rules');
    await back.fill('Reason', 'we chat by a provider', { in: form });
    await back.fill('Script of a support chat provider', 'http://chat.example/widget.js', { in: form });
    await back.press('Save', { in: form });
    await back.sees('Enter an https address, such as https://chat.example/widget.js.', { in: form });
    await back.fill('Script of a support chat provider', SCRIPT, { in: form });
    await back.fill('Other origins of this script', `${API}/path`, { in: form });
    await back.press('Save', { in: form });
    await back.sees(/^Enter origins without a path/u, { in: form });
    // The site refuses it; the form is busy until then.
    await back.idle();
    await back.fill('Other origins of this script', API, { in: form });
    await back.press('Save', { in: form });
    await back.sees('Saved');
    expect(await admin.call(getOperatorRules, {})).toMatchObject({
      support_script: SCRIPT,
      support_script_origins: [API],
    });
  });

  test('is loaded when the person opens it and not before, and the own chat stays beside it', async () => {
    await admin.call(changeOperatorRules, { support_script: SCRIPT, reason: 'seen in a test' });
    const performer = await site.performer();
    const page = await openPage(site, performer, '/support');
    await page.press('Start chat', { role: 'link' });
    await page.until(() => expect(page.path).toBe('/support/chat'));
    const scripts = () => [...document.querySelectorAll('script')].filter(({ src }) => src === SCRIPT);
    await page.sees(/^This chat is run by chat\.example\. It loads only when you open it/u);
    expect(scripts()).toEqual([]);
    expect(await page.problems()).toEqual([]);
    await page.press('Write here instead');
    await page.field('Your message to support');
    expect(scripts()).toEqual([]);
    await page.press('Open chat');
    await page.sees('The chat of chat.example is open on this page.');
    expect(scripts()).toHaveLength(1);
    expect(await page.problems()).toEqual([]);
  });
});
