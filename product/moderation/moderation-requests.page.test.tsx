import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendReport } from './contract.ts';
import { decideCase, listCases } from './contract/cases.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
async function fills(page: Page, who: RegExp | string, address: string): Promise<void> {
  await page.choose(who, 'It’s me who is shown or concerned');
  await page.fill('Addresses of the content', `https://localhost/${address}`);
  await page.fill(
    'What is shown, and why it’s without your consent',
    'A video of me, which I never agreed to.',
  );
  await page.fill('Full name', 'Jo Example');
  await page.fill('Email', 'jo@example.com');
  await page.press(/I believe in good faith/u, { role: 'checkbox' });
  await page.press(/What I state is accurate/u, { role: 'checkbox' });
  await page.fill('Signature', 'Jo Example');
}

test('somebody without an account asks for a take-down in front of the gate, and follows it', async () => {
  const performer = await site.performer();
  const page = await openPage(site, await site.visitor(), '/login', { width: 390 });
  await page.press('Report content', { role: 'link' });
  await page.find('heading', 'Report content');
  expect(await page.problems()).toEqual([]);
  await page.press('Ask for a take-down', { role: 'link' });
  await page.find('heading', 'Take down images of me');
  // What the law asks for has to be there.
  await page.press('Send request');
  await page.until(() => expect(page.focused?.getAttribute('name')).toBe('relation'));
  await fills(page, 'Who are you?', performer.username);
  expect(await page.problems()).toEqual([]);
  await page.press('Send request');
  await page.find('heading', 'We’ve received your request');
  // On a phone the form is long; what comes next stands above it.
  await page.until(() => expect(page.focused?.textContent).toBe('We’ve received your request'));
  await page.sees('We decide within 48 hours, and write to you.');
  await page.press('Follow the request', { role: 'link' });
  await page.find('heading', /^Number [2-9A-Z]{10}$/u);
  await page.sees('We’re looking at it.');
  expect(await page.problems()).toEqual([]);
  expect(page.path).toMatch(/^\/report\/[2-9A-Z]{10}/u);
});

test('whoever asked for a decision reads it, and appeals without logging in', async () => {
  const performer = await site.performer();
  const sender = await openPage(site, await site.visitor(), '/report/take-down');
  await fills(sender, 'Who are you?', performer.username);
  await sender.press('Send request');
  await sender.press('Follow the request', { role: 'link' });
  await sender.sees('We’re looking at it.');
  const admin = await site.admin();
  const { cases } = await admin.call(listCases, {});
  const id = cases.findLast(({ username }) => username === performer.username)?.id ?? 0;
  // Nothing was found: whoever is shown may appeal.
  await admin.call(decideCase, { id, policy: 'consent', removes: false, warns: false, note: 'Looked at it' });
  await site.passes(HOUR_MS);
  const { path } = sender;
  const reader = await openPage(site, await site.visitor(), path, { width: 390 });
  await reader.sees('No violation was found.');
  await reader.fill('Why the decision is wrong', 'It is me, look at the tattoo.');
  await reader.fill('Full name', 'Jo Example');
  await reader.press(/What I state is accurate/u, { role: 'checkbox' });
  await reader.fill('Signature', 'Jo Example');
  expect(await reader.problems()).toEqual([]);
  await reader.press('Send appeal');
  await reader.sees(/We’re looking at the appeal/u);
});

test('a link without its key says so, and one with a wrong key has nothing', async () => {
  const page = await openPage(site, await site.visitor(), '/report/ABCDEFGHJK');
  await page.sees(/The link isn’t complete/u);
  const wrong = await openPage(site, await site.visitor(), `/report/ABCDEFGHJK?key=${'A'.repeat(22)}`, {
    mayPrint: /./u,
  });
  await wrong.sees(/We have nothing with this number and link/u);
});

test('a moderator works through a case, and an admin reverses it', async () => {
  const subject = await site.viewer();
  await (await site.viewer()).call(sendReport, {
    kind: 'person',
    username: subject.username,
    reason: 'harassment',
    details: 'Writes to everybody',
  });
  const moderator = await site.viewer({ roles: ['site_mod'] });
  const page = await openPage(site, moderator, '/admin/cases');
  await page.press('Show Everything else');
  await page.sees(/@/u, { in: await page.find('list', 'Cases') });
  expect(await page.problems()).toEqual([]);
  await page.press(/^Open case \d+$/u, { role: 'link' });
  await page.find('heading', /^Case \d+$/u);
  await page.sees('Writes to everybody');
  await page.press('Claim case');
  await page.find('button', 'Release case');
  await page.press('Add note');
  const noting = await page.find('dialog', /^Add a note/u);
  await page.fill('Note', 'Seen it too', { in: noting });
  await page.press('Add note', { in: noting });
  await page.sees('Seen it too');
  await page.press('Decide case');
  const deciding = await page.find('dialog', /^Decide case/u);
  await page.choose('Policy', 'Harassment or hate', { in: deciding });
  await page.press('Suspend the account', { role: 'checkbox', in: deciding });
  await page.fill('Hours (optional)', '24', { in: deciding });
  await page.fill('Note', 'Second time', { in: deciding });
  expect(await page.problems()).toEqual([]);
  await page.press('Decide case', { in: deciding });
  await page.sees(/The account was suspended\./u);
  // A moderator decides; only an admin reverses.
  expect(page.all('button', 'Reverse decision')).toEqual([]);
  const admin = await openPage(site, await site.admin(), page.path);
  await admin.press('Reverse decision');
  const reversing = await admin.find('dialog', /^Reverse the decision/u);
  await admin.fill('Note', 'A mistake', { in: reversing });
  await admin.press('Reverse decision', { in: reversing });
  await admin.sees('A mistake');
  expect(await admin.problems()).toEqual([]);
  await site.passes(DAY_MS);
});
