import { getCurrentUser } from '#product/accounts/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { applies } from '#product/testkit/people/identity.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getIdentityRules } from './contract/review.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

const statusOf = async (who: Member) => (await who.call(getCurrentUser, {})).user.compliance_status;
/** A reviewer comes from the back office’s navigation, and opens somebody’s application. */
async function opens(reviewer: Member, { username }: Member) {
  const page = await openPage(site, reviewer, '/admin');
  await page.press('Identity review', { role: 'link', in: await page.find('navigation', 'Back office') });
  await page.find('heading', 'Identity review', { level: 1 });
  await page.press(`Open @${username}`);
  const dialog = await page.find('dialog', `Open the application of @${username}?`);
  await page.press('Open', { in: dialog });
  // Nothing opens without a reason.
  await page.until(() => expect(page.all('alert', undefined, { in: dialog }).length).toBeGreaterThan(0));
  expect(page.network.sent.filter((sent) => sent.includes('/open'))).toEqual([]);
  await page.choose('Reason', 'Review', { in: dialog });
  await page.press('Open', { in: dialog });
  await page.find('heading', `Application of @${username}`, { level: 1 });
  return page;
}

test('a reviewer sees facts and pictures side by side, and accepts', async () => {
  const performer = await site.performer({ cleared: false });
  await applies(performer);
  const page = await opens(admin, performer);
  const facts = await page.find('region', 'Stated facts');
  for (const text of ['Ludmilla Fernsby-Ott', '1996-01-15', 'Milla Sparrowhawk', 'X7K2', '2049-05-05']) {
    await page.sees(text, { in: facts });
  }
  await page.sees(/30 years old today/u, { in: facts });
  const pictures = await page.find('region', 'Pictures');
  const shown = page.all('img', undefined, { in: pictures }).map((img) => img.getAttribute('alt'));
  expect(shown).toEqual(['Front of the document', 'Back of the document', 'Your face beside the document']);
  for (const img of page.all('img', undefined, { in: pictures })) {
    const answer = await admin.request({ method: 'GET', url: img.getAttribute('src') ?? '' });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'image/webp']);
  }
  expect(await page.problems()).toEqual([]);
  expect(await page.loose('Milla Sparrowhawk')).toEqual([]);
  await page.press('Accept application');
  await page.sees('Accepted. The performer can go live.');
  await page.sees('No applications are waiting for a review.');
  expect(await statusOf(performer)).toBe('cleared');
});

test('a rejection takes a reason of the step’s list, and “Other” a note', async () => {
  const performer = await site.performer({ cleared: false });
  await applies(performer);
  const page = await opens(admin, performer);
  await page.choose('Selfie with your document', 'Reject: other, see note');
  await page.press('Reject 1 step');
  await page.sees(/^Decide on every step\. A rejected step needs a reason/u);
  expect(await statusOf(performer)).toBe('pending');
  await page.fill('Note to the performer: Selfie with your document', 'Smile less.');
  await page.press('Reject 1 step');
  await page.sees('Rejected. The performer gets an email with the reasons.');
  expect(await statusOf(performer)).toBe('rejected');
});

test('a second person sees what the first one said, and decides', async () => {
  const performer = await site.performer({ cleared: false });
  await applies(performer);
  const page = await opens(admin, performer);
  await page.fill('Internal note', 'Is it really them?');
  await page.press('Ask a second person');
  await page.sees('A second person decides now.');
  await page.sees('Decided by you');
  const other = await opens(await site.admin(), performer);
  await other.sees('Is it really them?', { in: await other.find('region', 'Decisions so far') });
  await other.press('Accept application');
  await other.sees('Accepted. The performer can go live.');
  expect(await statusOf(performer)).toBe('cleared');
});

test('an admin finds a performer by an alias, and saves what performers need', async () => {
  const performer = await site.performer({ cleared: false });
  await applies(performer);
  const page = await openPage(site, admin, '/admin/identity');
  const find = await page.find('region', 'Find a performer');
  await page.fill('Any of their names', 'milla sparrowhawk', { in: find });
  await page.choose('Reason', 'Inspection by an authority', { in: find });
  await page.press('Find', { in: find });
  await page.find('button', `Open @${performer.username}`, { in: find });
  const rules = await page.find('region', 'What performers need');
  await page.press('Nobody goes live without reviewed documents', { role: 'checkbox', in: rules });
  await page.choose('People who must accept', '2', { in: rules });
  await page.fill('Minimum age', '21', { in: rules });
  await page.fill('Reason for the change', 'advice of counsel', { in: rules });
  await page.press('Save rules', { in: rules });
  await page.sees('Rules saved');
  expect(await admin.call(getIdentityRules, {}))
    .toEqual({ requires_evidence: true, reviewers: 2, minimum_age: 21 });
  expect(await page.problems()).toEqual([]);
});
