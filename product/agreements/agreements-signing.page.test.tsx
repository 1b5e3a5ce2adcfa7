import { DAY_MS } from '#platform/time/units.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getLegalDocument, signLegalDocument } from './contract.ts';
import { issueDocument, publishTemplate, saveTemplate, withdrawDocument } from './contract/admin.ts';

const kind = 'release';
const TEXT = 'I, {username}, agree.\n\n<b>No</b> <script>alert(1)</script> & nothing else.';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
  await admin.call(saveTemplate, { kind, language: 'en', title: 'Release', text: TEXT });
  await admin.call(publishTemplate, {
    kind,
    version: 1,
    issue_to_all: false,
    sign_days: 30,
    reason: 'counsel agreed',
  });
});
afterAll(() => site.close());

const issues = async (to: Member, days = 30): Promise<string> =>
  (await admin.call(issueDocument, { username: to.username, kind, sign_days: days })).id;

/** Types the name, ticks that the document was read, and signs. */
async function signs(page: Awaited<ReturnType<typeof openPage>>, name: string): Promise<void> {
  const form = await page.find('form', 'Sign this document');
  await page.fill('Your full name', name, { in: form });
  await page.click(await page.field('I have read this document and agree to it.', { in: form }));
  await page.press('Sign document', { in: form });
}

test('a person comes from their notification to the document, reads it and signs it [C-070]', async () => {
  const ada = await site.viewer();
  const id = await issues(ada);
  const page = await openPage(site, ada, '/notifications', { width: 390 });
  await page.press(/A document waits for your signature/u, { role: 'link', in: await page.find('main') });
  await page.find('heading', 'Release', { level: 1 });
  expect(page.path).toBe(`/legal/document/${id}`);
  // Markup in the text is text: nothing of it runs or is bold.
  const text = await page.find('region', 'Text of the document');
  expect(text.textContent).toBe(
    `I, ${ada.username}, agree.\n\n<b>No</b> <script>alert(1)</script> & nothing else.`,
  );
  expect(text.querySelector('b, script')).toBeNull();
  expect(await page.problems()).toEqual([]);
  await signs(page, 'Ada Lovelace');
  await page.find('heading', 'You’ve signed this document');
  await page.sees('Ada Lovelace', { in: await page.find('main') });
  expect(page.all('form', 'Sign this document')).toEqual([]);
  expect(await page.find('link', 'Download copy')).toHaveProperty(
    'href',
    expect.stringMatching(new RegExp(`/api/v1/legal/document/${id}/copy$`, 'u')),
  );
  expect(await page.problems()).toEqual([]);
  expect(await ada.call(getLegalDocument, { id })).toMatchObject({
    status: 'signed',
    signature: 'Ada Lovelace',
  });
});

test('nothing is signed without a name and without having read it', async () => {
  const ada = await site.viewer();
  const id = await issues(ada);
  const page = await openPage(site, ada, `/legal/document/${id}`);
  const form = await page.find('form', 'Sign this document');
  await page.press('Sign document', { in: form });
  await page.sees('Tick this once you’ve read the document.');
  await page.until(() => expect(page.focused?.getAttribute('name')).toBe('signature'));
  await signs(page, '1234');
  await page.sees('Type your first and last name as in your ID.');
  expect(page.network.sent.filter((sent) => sent.startsWith('POST') && sent.includes('legal'))).toEqual([]);
  expect(await ada.call(getLegalDocument, { id })).toMatchObject({ status: 'open' });
});

test('the screen is loading, signed, expired, or says that nothing was found or signed [C-132]', async () => {
  const [ada, bo, eve] = [await site.viewer(), await site.viewer(), await site.viewer()];
  const [first, second] = [await issues(ada, 1), await issues(bo)];
  const page = await openPage(site, bo, '/account/documents');
  const release = page.network.holds(/\/legal\/document\/\d+/u);
  page.follows(`/legal/document/${second}`);
  await page.find('status', 'Loading document');
  release();
  // Withdrawn while it is read: signing fails, and the page then shows why.
  await page.find('form', 'Sign this document');
  await admin.call(withdrawDocument, { id: Number(second), reason: 'wrong person' });
  const letsGo = page.network.holds(/\/legal\/document\/\d+/u);
  await signs(page, 'Bo Diddley');
  await page.sees(/^The document wasn’t signed\./u);
  expect(page.network.answers.some((answer) => answer.includes('"SIGN_FAILED"'))).toBe(true);
  letsGo();
  await page.find('heading', 'This document was withdrawn');

  const done = await issues(bo);
  const { secret } = await bo.call(getLegalDocument, { id: done });
  await bo.call(signLegalDocument, { secret, signature: 'Bo Diddley' });
  const signed = await openPage(site, bo, `/legal/document/${done}`);
  await signed.find('heading', 'You’ve signed this document');

  await site.passes(DAY_MS);
  const expired = await openPage(site, ada, `/legal/document/${first}`);
  await expired.find('heading', 'The time to sign has passed');
  expect(expired.all('form', 'Sign this document')).toEqual([]);
  expect(await expired.problems()).toEqual([]);
  await expired.press('Contact support', { role: 'link', in: await expired.find('main') });
  await expired.find('heading', 'Support', { level: 1 });

  const lost = await openPage(site, eve, `/legal/document/${first}`);
  await lost.find('heading', 'Document not found', { level: 1 });
  expect(lost.network.answers.some((answer) => answer.includes('"NOT_FOUND"'))).toBe(true);
  expect(await lost.problems()).toEqual([]);
  await lost.press('Your documents', { role: 'link', in: await lost.find('main') });
  await lost.sees(/^No documents yet\./u);
});

test('what waits for a signature stands above the settings, and everything in a list', async () => {
  const ada = await site.viewer();
  const nothing = await openPage(site, ada, '/account/settings');
  await nothing.find('link', 'Your documents');
  expect(nothing.all('heading', 'Documents to sign')).toEqual([]);
  const id = await issues(ada);
  const page = await openPage(site, ada, '/account/settings');
  await page.find('heading', 'Documents to sign');
  const list = await page.find('list', 'Documents to sign');
  await page.press(/Release/u, { role: 'link', in: list });
  await signs(page, 'Ada Lovelace');
  await page.find('heading', 'You’ve signed this document');
  await page.goto('/account/documents');
  await page.press(/Release.*Signed/u, { role: 'link', in: await page.find('list', 'Your documents') });
  expect(page.path).toBe(`/legal/document/${id}`);
});

test('a guest logs in first, and a signature and a title from right to left stand isolated', async () => {
  const ada = await site.viewer();
  const id = await issues(ada);
  const guest = await openPage(site, await site.visitor({ ofAge: true }), `/legal/document/${id}`);
  await guest.find('heading', 'Log in', { level: 1 });
  const { secret } = await ada.call(getLegalDocument, { id });
  await ada.call(signLegalDocument, { secret, signature: 'ليلى العربي' });
  const page = await openPage(site, ada, `/legal/document/${id}`);
  await page.sees('ليلى العربي');
  expect(await page.loose('ليلى العربي')).toEqual([]);
});

test('an admin writes a template, publishes it to its people, and withdraws a document', async () => {
  const [ada, bo] = [await site.viewer(), await site.viewer()];
  for (const person of [ada, bo]) {
    const { secret } = await person.call(getLegalDocument, { id: await issues(person) });
    await person.call(signLegalDocument, { secret, signature: 'Somebody Else' });
  }
  const page = await openPage(site, admin, '/');
  await page.press(/’s account$/u, { in: await page.find('banner') });
  await page.press('Back office', { role: 'menuitem' });
  await page.press('Agreements', { role: 'link', in: await page.find('navigation', 'Back office') });
  await page.press('Edit Release');
  const editor = await page.find('dialog', 'Edit Release');
  await page.sees('Begins with the text of version 1.', { in: editor });
  await page.fill('Text', 'I, {user}, agree again.', { in: editor });
  await page.press('Save draft', { in: editor });
  await page.sees(/^\{user\} isn’t a placeholder\./u, { in: editor });
  await page.fill('Text', 'I, {username}, agree again.', { in: editor });
  await page.press('Save draft', { in: editor });
  await page.sees('The draft is saved.');
  expect(await page.problems()).toEqual([]);
  await page.press('Close', { in: editor });
  await page.press('Publish Release');
  const asks = await page.find('dialog', 'Publish version 2?');
  await page.click(await page.field('Issue it now to everyone who must have it', { in: asks }));
  await page.fill('Reason', 'a new law', { in: asks });
  await page.press('Publish', { in: asks });
  await page.sees('Version 2 is published.');
  await site.settle();
  await page.goto('/admin/agreements');
  await page.fill('Person', ada.username);
  await page.choose('Status', 'To sign');
  await page.press('Filter');
  await page.press(/^Open document \d+$/u);
  const detail = await page.find('dialog', /^Document \d+$/u);
  await page.sees('Issued', { in: detail });
  expect(await page.problems()).toEqual([]);
  await page.press('Withdraw', { in: detail });
  const form = await page.find('form', 'Withdraw this document?');
  await page.fill('Reason', 'left the site', { in: form });
  await page.press('Withdraw', { in: form });
  await page.sees('The document is withdrawn.');
  await page.sees('left the site', { in: detail });
});
