import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getEntry } from './contract.ts';
import { listPolicies } from './contract/policies.ts';

let site: TestSite;
let counsel: Member;
let second: Member;
beforeAll(async () => {
  site = await createSite();
  counsel = await site.admin();
  second = await site.admin();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const gateIn = async (region: string) => (await (await site.visitor({ region })).call(getEntry, {})).gate;
const opens = (who: Member, tab: string, width = 1440): Promise<Page> =>
  openPage(site, who, `/admin/regions?tab=${tab}`, { width });

test('an admin proposes a policy, sees what it changes, and a second admin puts it in force', async () => {
  const page = await opens(counsel, 'in_force');
  await page.find('heading', 'Regions');
  expect(await page.problems()).toEqual([]);
  await page.press('Propose a policy');
  const dialog = await page.find('dialog', 'Propose a policy');
  await page.choose('Country', 'Norway');
  await page.fill('First day', '2026-01-15');
  await page.choose('Rule', 'Verify age');
  await page.press('digital ID', { role: 'checkbox' });
  await page.fill('Law or guidance', 'Lov om aldersgrense, § 3');
  await page.press('Counsel has confirmed this policy', { role: 'checkbox' });
  await page.find('list', 'Changes');
  expect(dialog.textContent).toContain('Declare age → Verify age');
  expect(await page.problems()).toEqual([]);
  await page.press('Propose', { in: dialog });
  await page.sees('The policy for Norway is waiting for a second admin');
  await page.press('Waiting (1)', { role: 'tab' });
  await page.sees('You proposed this. Somebody else has to decide.');
  expect(page.all('button', 'Approve')).toEqual([]);
  expect(await gateIn('NO')).toBe('declare');

  const other = await opens(second, 'waiting', 390);
  await other.sees('Lov om aldersgrense, § 3');
  expect(await other.problems()).toEqual([]);
  await other.press('Approve');
  const decision = await other.find('dialog', 'Approve the policy for Norway?');
  await other.fill('Reason', 'read with counsel');
  expect(await other.problems()).toEqual([]);
  await other.press('Approve', { in: decision });
  await other.sees('The policy for Norway is approved');
  await other.sees('Nothing is waiting for a decision.');
  expect(await gateIn('NO')).toBe('verify');
  await other.press('In force', { role: 'tab' });
  await other.fill('Search by place or law', 'norw');
  await other.sees(`Proposed by ${counsel.username}, decided by ${second.username}`);
  await other.sees('Confirmed by counsel');
  await other.fill('Search by place or law', 'atlantis');
  await other.sees('No policy matches.');
});

test('a proposal that cannot be is refused at the field that is wrong', async () => {
  const page = await opens(counsel, 'in_force');
  await page.press('Change France');
  const dialog = await page.find('dialog', 'Propose a policy');
  await page.fill('First day', '2026-01-10');
  await page.choose('Rule', 'Declare age');
  await page.fill('Law or guidance', 'A law that a test has made up');
  await page.press('Propose', { in: dialog });
  await page.sees(/can’t begin before today/u);
  expect((await page.field('First day')).getAttribute('aria-invalid')).toBe('true');
  await page.choose('Rule', 'Verify age');
  for (const method of ['facial age estimation', 'digital ID']) {
    await page.press(method, { role: 'checkbox' });
  }
  await page.fill('First day', '2026-02-01');
  await page.press('Propose', { in: dialog });
  await page.sees(/Choose at least one method/u);
  expect(await page.problems()).toEqual([]);
  expect((await counsel.call(listPolicies, {})).waiting).toEqual([]);
});

test('an admin sees what a visitor from a place meets on a day, and the history of a place', async () => {
  const page = await opens(second, 'preview', 390);
  await page.sees('Choose a place to see what its visitors meet.');
  await page.choose('Country', 'United States');
  await page.sees('Visitors from United States have to prove that they’re 18 or older.');
  await page.choose('State or province', 'Florida');
  await page.sees('The place has a policy of its own.');
  await page.sees('Florida HB 3 of 2024: anonymous (third party) or standard method.');
  await page.sees('Not confirmed by counsel');
  await page.fill('On this day', '2024-12-31');
  await page.sees('Visitors from Florida declare that they’re 18 or older.');
  expect(await page.problems()).toEqual([]);
  await page.press('In force', { role: 'tab' });
  await page.press('History France');
  const dialog = await page.find('dialog', 'History of France');
  await page.until(() =>
    expect(dialog.textContent).toContain('ARCOM referential of October 2024, card in the transition only.')
  );
  expect(await page.problems()).toEqual([]);
});
