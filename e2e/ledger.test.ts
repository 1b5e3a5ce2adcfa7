import { sendTip } from '#product/tips/contract.ts';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findings } from './axe.ts';
import { Client } from './client.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it('a budget is set, holds, and the history and the admin page show what was spent', async () => {
  const { page, context, complaints } = await stage.visit({
    as: 'demo_viewer',
    path: '/account/tokens/history',
  });
  await page.getByLabel('Per day').fill('12');
  await page.getByRole('button', { name: 'Save budgets' }).click();
  await page.getByRole('meter', { name: 'Per day' }).getByText('0 of 12 tokens spent').waitFor();

  // Another tab of the same person tips: this page gets the event.
  const viewer = await Client.logIn(stage.origin, 'demo_viewer');
  const comment = '=1+1 for the song';
  await viewer.call(sendTip, { username: 'luna_vale', amount: 10, comment }, randomUUID());
  await page.getByRole('row', { name: /^Tip to luna_vale/u }).getByText(comment).waitFor();
  await page.getByRole('meter', { name: 'Per day' }).getByText('10 of 12 tokens spent').waitFor();
  expect(complaints).toEqual([]);

  await page.goto('/luna_vale');
  const tip = page.getByRole('form', { name: 'Tip Luna Vale' });
  await tip.getByLabel('Tokens').fill('3');
  await tip.getByRole('button', { name: /^Tip /u }).click();
  await tip.getByText('You’ve reached your daily budget.').waitFor();

  await page.goto('/account/tokens/history');
  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Save as CSV' }).click();
  const file = readFileSync(await (await saved).path(), 'utf8');
  expect(file.split('\r\n')[2]).toMatch(/,tip,-10,-1,\d+,"to: luna_vale, comment: =1\+1 for the song",,$/u);
  const operation = /([0-9a-f-]{36}),tip,-10/u.exec(file)?.[1] ?? '';
  await context.close();

  const admin = await stage.visit({ as: 'demo_admin', path: '/admin/ledger' });
  await admin.page.getByLabel('Search by').selectOption('operation');
  await admin.page.getByLabel('Search text').fill(operation);
  await admin.page.getByRole('button', { name: 'Find operations' }).click();
  await admin.page.getByText(operation, { exact: true }).waitFor();
  await admin.page.getByRole('region', { name: 'Postings' }).getByText('@demo_viewer').waitFor();
  await admin.page.getByRole('button', { name: 'Reverse' }).click();
  const dialog = admin.page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('wrong room');
  await dialog.getByRole('button', { name: 'Reverse' }).click();
  await admin.page.getByText('Reversed', { exact: true }).waitFor();
  await admin.page.getByRole('button', { name: 'Check ledger' }).click();
  await admin.page.getByRole('status').filter({ hasText: 'The ledger balances.' }).waitFor();
  expect(admin.complaints).toEqual([]);
  await admin.context.close();
});

it('staff read how spending stands and close it, and set how much may be tipped in a day', async () => {
  const admin = await stage.visit({ as: 'demo_admin', path: '/admin/ledger' });
  const dialog = admin.page.getByRole('dialog');
  // Two searches, one after the other.
  await admin.page.getByLabel('Search text').fill('luna_vale');
  await admin.page.getByRole('button', { name: 'Find operations' }).click();
  await admin.page.getByRole('button', { name: 'Spending for luna_vale' }).waitFor();
  await admin.page.getByLabel('Search by').selectOption('username');
  await admin.page.getByLabel('Search text').fill('demo_viewer');
  await admin.page.getByRole('button', { name: 'Find operations' }).click();
  const spending = admin.page.getByRole('button', { name: 'Spending for demo_viewer' });
  await spending.click();
  await dialog.getByRole('definition').getByText('Allowed', { exact: true }).waitFor();
  expect(await findings(admin.page)).toEqual([]);
  await dialog.getByLabel('Reason').fill('asked by phone');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await admin.page.getByText('Spending is blocked for demo_viewer.').waitFor();
  await spending.click();
  await dialog.getByText('Blocked by an admin').waitFor();
  await dialog.getByText('asked by phone').waitFor();
  expect(await dialog.getByLabel('Change').inputValue()).toBe('open');
  await admin.page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await admin.page.getByLabel('Tokens per day').fill('500');
  await admin.page.getByRole('button', { name: 'Save limit' }).click();
  await admin.page.getByText('Limit saved.').waitFor();
  expect(await findings(admin.page)).toEqual([]);
  expect(admin.complaints).toEqual([]);
  await admin.context.close();

  const own = await stage.visit({ as: 'demo_viewer', path: '/account/tokens' });
  const meter = own.page.getByRole('meter', { name: 'Daily tip limit' });
  await meter.getByText('0 of 500 tokens tipped today').waitFor();
  expect(await findings(own.page)).toEqual([]);
  await own.context.close();
});
