import { getEntry } from '#product/compliance/contract.ts';
import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { describe, expect, test } from 'vitest';
import { askSupport, getAgeVerification, listSupportChecks } from './contract.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

const { site } = await openAgeCheckedSite();
const MESSAGE = 'My camera is broken; I can show a passport in a call.';

/** An admin decides about somebody on their page. */
async function decides(page: Page, username: string, decision: string): Promise<void> {
  const row = (await page.sees(username)).closest('tr, li') as HTMLElement;
  await page.press('Decide', { in: row });
  const dialog = await page.find('dialog', `Is ${username} at least 18?`);
  await page.choose('Answer', decision, { in: dialog });
  await page.fill('Reason', 'Passport seen in a call.', { in: dialog });
  expect(await page.problems()).toEqual([]);
  await page.press('Decide', { in: dialog });
  await page.sees(`The decision about ${username} is saved`);
}

describe('the page of people who asked support', () => {
  test.each([390, 1280])('shows what they wrote, and lets an admin verify them: %i px', async (width) => {
    const member = await site.viewer({ region: 'GB' });
    await member.call(askSupport, { message: MESSAGE });
    const page = await openPage(site, await site.admin(), '/admin/age-checks', { width });
    await page.find('heading', 'Age checks', { level: 1 });
    await page.sees(MESSAGE);
    expect(await page.loose(MESSAGE)).toEqual([]);
    expect(await page.loose(member.username)).toEqual([]);
    expect(await page.problems()).toEqual([]);
    await decides(page, member.username, 'Verify their age');
    await page.until(() => expect(page.shows(MESSAGE)).toBe(false));
    await page.press('Decided', { role: 'tab' });
    await page.sees('Verified');
    // The link of the email opens the page, which opens the gate.
    const own = await openPage(site, member, '/verify-age');
    await own.sees('Your age is verified. Welcome in.');
    expect((await member.call(getEntry, {})).gate).toBe('open');
  });

  test('lets an admin refuse them, who may then choose another way', async () => {
    const member = await site.viewer({ region: 'GB' });
    await member.call(askSupport, { message: MESSAGE });
    const page = await openPage(site, await site.admin(), '/admin/age-checks');
    await decides(page, member.username, 'Refuse');
    expect(await member.call(getAgeVerification, {})).toMatchObject({ gate: 'verify', pending: null });
    const own = await openPage(site, member, '/verify-age');
    await own.press('Verify your age', { in: await own.find('main') });
    await own.find('button', 'Credit card', { in: await own.find('dialog', 'Verify your age') });
  });

  test('keeps the decision to others, and the page to admins', async () => {
    const admin = await site.admin({ region: 'GB' });
    await admin.call(askSupport, { message: MESSAGE });
    const page = await openPage(site, admin, '/admin/age-checks');
    const row = (await page.sees(admin.username)).closest('tr, li') as HTMLElement;
    await page.press('Decide', { in: row });
    const dialog = await page.find('dialog', `Is ${admin.username} at least 18?`);
    await page.choose('Answer', 'Verify their age', { in: dialog });
    await page.fill('Reason', 'It is me.', { in: dialog });
    await page.press('Decide', { in: dialog });
    await page.sees('You can’t decide about your own age.', { in: dialog });
    const viewer = await site.viewer();
    expect((await viewer.refused(listSupportChecks, {})).status).toBe(403);
    const closed = await openPage(site, viewer, '/admin/age-checks');
    expect(closed.shows(MESSAGE)).toBe(false);
  });
});
