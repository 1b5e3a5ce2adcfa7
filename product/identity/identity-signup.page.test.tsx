import { getCurrentUser } from '#product/accounts/contract.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { asksEvidence } from '#product/testkit/people/evidence.ts';
import { applies, givesEveryStep, pictureForm, reviews } from '#product/testkit/people/identity.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getApplication } from './contract.ts';

type Page = Awaited<ReturnType<typeof openPage>>;
let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
  await asksEvidence(site);
});
afterAll(() => site.close());

const phone = { width: 390 } as const;
const fileOf = async (color: string): Promise<File> =>
  new File([new Uint8Array((await pictureForm(color)).bytes)], 'IMG_1.jpg', { type: 'image/jpeg' });
/** The header of a step, which says where it stands. */
const header = (page: Page, name: string, state: string) =>
  page.find('button', new RegExp(`^${name} ?${state}$`, 'u'));
async function chooses(page: Page, date: readonly string[]): Promise<void> {
  for (const [nth, field] of ['Day', 'Month', 'Year'].entries()) await page.choose(field, date[nth] ?? '');
}

test('the foot leads a guest to /models/signup, which signs up a performer [A-038]', async () => {
  const browser = await site.visitor({ ofAge: true });
  const page = await openPage(site, browser, '/legal');
  await page.press('Become a performer', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/models/signup'));
  await page.find('heading', 'Become a performer', { level: 1 });
  await page.fill('Username', 'from_the_foot');
  await page.fill('Email', 'from_the_foot@people.example');
  await page.fill('Password', 'correct horse battery staple');
  await page.choose('Section you appear in', 'Girls');
  await chooses(page, ['12', 'March', '1990']);
  await page.press(/^I’m at least 18/u, { role: 'checkbox' });
  await page.press('Sign up', { role: 'button', in: await page.find('main') });
  await page.find('heading', 'Your way to going live', { level: 1 });
  expect(page.path).toBe('/models/signup');
  expect((await browser.call(getCurrentUser, {})).user).toMatchObject({ type: 'model' });
});

test('a performer gives every step on a phone, leaves in between, and hands in', async () => {
  const performer = await site.performer({ cleared: false });
  const page = await openPage(site, performer, '/models/signup', phone);
  await page.sees('0 of 6 steps done');
  await header(page, 'About you', 'To do');
  await page.fill('Legal name', 'Ludmilla Fernsby-Ott');
  await chooses(page, ['15', 'January', '1996']);
  await page.choose('Country of residence', 'Germany');
  await page.fill('Every other name you use or ever used', 'Milla Sparrowhawk\n\nLudmilla Ott');
  expect(await page.problems()).toEqual([]);
  await page.press('Save and continue');
  await page.sees('1 of 6 steps done');

  await page.choose('Kind of document', 'Identity card');
  await page.choose('Issued by', 'Germany');
  await page.fill('Last 4 characters of its number', 'X7K2');
  await page.fill('Valid until', '2049-05-05');
  await page.press('Save and add pictures');
  const front = await page.find('group', 'Front of the document');
  await page.attach('Choose file', [await fileOf('#0af')], { in: front });
  await page.sees(/^Received\./u, { in: front });

  // Somebody who comes back is where they left.
  const later = await openPage(site, performer, '/models/signup', phone);
  await later.sees('1 of 6 steps done');
  const back = await later.find('group', 'Back of the document');
  expect(later.all('textbox', 'Legal name')).toEqual([]);
  await later.attach('Choose file', [await fileOf('#fa0')], { in: back });
  await later.sees('2 of 6 steps done');
  await later.attach('Choose file', [await fileOf('#0fa')], {
    in: await later.find('group', 'Your face beside the document'),
  });
  await later.sees('3 of 6 steps done');
  await later.choose('Country your payouts go to', 'Germany');
  await later.press('Save and continue');
  await later.sees('4 of 6 steps done');
  await later.fill('About you', 'I play the harp.');
  await later.choose('Language you speak in your shows', 'German');
  await later.press('Save and continue');
  await later.sees('5 of 6 steps done');
  expect((await performer.call(getApplication, {})).steps.map(({ state }) => state))
    .toEqual(['given', 'given', 'given', 'given', 'given', 'missing']);
  expect((await later.find('button', 'Send for review')).hasAttribute('disabled')).toBe(true);
  expect(await later.problems()).toEqual([]);
});

test('a camera that is not there leaves the file, and says so', async () => {
  const performer = await site.performer({ cleared: false });
  const page = await openPage(site, performer, '/models/signup', phone);
  await page.press(/^Selfie with your document/u);
  const selfie = await page.find('group', 'Your face beside the document');
  await page.press('Use camera', { in: selfie });
  await page.sees('This browser can’t use the camera here. Choose a file instead.', { in: selfie });
  await page.press('Close camera', { in: selfie });
  await page.attach('Choose file', [new File(['%PDF-1.7'], 'id.jpg', { type: 'image/jpeg' })], {
    in: selfie,
  });
  await page.find('alert', undefined, { in: selfie });
  expect((await performer.call(getApplication, {})).steps[2]).toMatchObject({ state: 'missing' });
});

test('the page shows a review, what to mend with its reason, and the way to go live', async () => {
  const performer = await site.performer({ cleared: false });
  await givesEveryStep(performer);
  const page = await openPage(site, performer, '/models/signup', phone);
  await page.sees('6 of 6 steps done');
  await page.press('Send for review');
  await page.sees('Your application is being reviewed');
  expect(page.all('button', 'Send for review')).toEqual([]);
  expect(await page.problems()).toEqual([]);

  await reviews(admin, performer, { selfie: 'face_hidden' }, 'Take off your hat.');
  const rejected = await openPage(site, performer, '/models/signup', phone);
  await rejected.sees('Something needs a change');
  await header(rejected, 'Selfie with your document', 'Change needed');
  await rejected.sees('The face isn’t fully visible.');
  await rejected.sees('Take off your hat.');
  expect(await rejected.problems()).toEqual([]);
  expect(await rejected.loose('Take off your hat.')).toEqual([]);
  await rejected.attach('Choose file', [await fileOf('#fff')], {
    in: await rejected.find('group', 'Your face beside the document'),
  });
  await rejected.press('Send for review');
  await rejected.sees('Your application is being reviewed');

  await reviews(admin, performer);
  const cleared = await openPage(site, performer, '/models/signup', phone);
  await cleared.sees('You’re cleared. You can go live.');
  await cleared.press('Go live', { role: 'link', in: await cleared.find('main') });
  await cleared.until(() => expect(cleared.path).toBe('/go-live'));
});

test('whose clearance was revoked is led to support', async () => {
  const performer = await site.performer({ cleared: false });
  await applies(performer);
  await reviews(admin, performer);
  await admin.call(decideClearance, {
    username: performer.username,
    decision: 'revoke',
    reason: 'a complaint',
  });
  const page = await openPage(site, performer, '/models/signup');
  await page.sees('You can’t go live at the moment');
  await page.find('link', 'Contact support', { in: await page.find('main') });
});
