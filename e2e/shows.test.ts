import { getBalance } from '#product/ledger/contract.ts';
import { getReceipts } from '#product/shows/contract/private-running.ts';
import { checkPrivate } from '#product/shows/contract/private-show.ts';
import { saveShowSettings } from '#product/shows/contract/settings.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callsOf, expectMoving, goLive, openStage, type ProgramStage, type Visit } from './stage.ts';

const ROOM = '/demo_performer';
/** Polling interval: the meter counts seconds, and more frequent calls would be refused. */
const BY_THE_SECOND = { interval: 1_000 };

let stage: ProgramStage;
let performer: Visit;
let viewer: Visit;
beforeAll(async () => {
  stage = await openStage();
  performer = await stage.visit({ as: 'demo_performer' });
  const { call, csrf } = await callsOf(performer.context, stage.origin);
  await call(saveShowSettings, { private: { isEnabled: true, pricePerMinuteInToken: 60 } }, csrf);
  await goLive(performer.page);
  viewer = await stage.visit({ as: 'demo_viewer', path: ROOM });
  await expectMoving(viewer.page);
});
afterAll(() => stage.close());

const tokens = async (): Promise<number> => {
  const { call } = await callsOf(viewer.context, stage.origin);
  return (await call(getBalance, {})).tokens;
};

it('a ticket comes back when its show ends early, and the picture is everybody\'s again', async () => {
  const before = await tokens();
  const own = performer.page;
  await own.getByRole('button', { name: 'Ticket show' }).click();
  await own.getByLabel('What’s the show about?').fill('Fire and feathers');
  await own.getByLabel('Starts in (minutes)').fill('5');
  await own.getByLabel('Minimum tickets').fill('1');
  await own.getByRole('button', { name: 'Announce show' }).click();
  // One button is over the video, another below the chat's text field.
  await viewer.page.getByRole('button', { name: 'Buy ticket' }).first().click();
  await viewer.page.getByRole('alertdialog').or(viewer.page.getByRole('dialog'))
    .getByRole('button', { name: 'Buy ticket' }).click();
  await viewer.page.getByText('You have a ticket. The video switches here').waitFor();
  expect(await tokens()).toBeLessThan(before);
  const guest = await stage.visit({ path: ROOM });
  await own.getByRole('button', { name: 'Start show' }).click();
  await viewer.page.getByText('You’re in the ticket show.').waitFor();
  await expectMoving(viewer.page);
  await guest.page.locator('[data-stream-status="limited"]').waitFor();
  await own.getByRole('button', { name: 'End show' }).click();
  await own.getByRole('alertdialog').getByRole('button', { name: 'End show' }).click();
  const over = viewer.page.getByText('The show ended before the agreed time. Your tokens are back.').first();
  await over.waitFor();
  expect(await tokens()).toBe(before);
  for (const { page } of [viewer, guest]) await expectMoving(page);
  await guest.context.close();
});

it('a private show survives a kill of the site, and nobody pays for the gap', async () => {
  const before = await tokens();
  await viewer.page.getByRole('button', { name: 'Ask for a private show' }).first().click();
  await viewer.page.getByRole('dialog').getByRole('button', { name: 'Send request' }).click();
  await performer.page.getByRole('button', { name: 'Accept demo_viewer' }).click();
  await viewer.page.getByText('Private show with Demo Performer').first().waitFor();
  const { call } = await callsOf(viewer.context, stage.origin);
  const counted = async (): Promise<number> =>
    (await call(checkPrivate, { username: 'demo_performer' })).running?.privateStreamTimeInSecond ?? 0;
  await expect.poll(counted, BY_THE_SECOND).toBeGreaterThan(10);
  stage.killSite();
  const isReady = (): Promise<boolean> => fetch(`${stage.origin}/readyz`).then(({ ok }) => ok, () => false);
  await expect.poll(isReady, { timeout: 60_000, interval: 250 }).toBe(true);
  const resumed = await counted();
  await expect.poll(counted, BY_THE_SECOND).toBeGreaterThan(resumed);
  await expectMoving(viewer.page);
  await viewer.page.getByRole('button', { name: 'End show' }).click();
  await viewer.page.getByRole('alertdialog').getByRole('button', { name: 'End show' }).click();
  await viewer.page.getByText('You ended the private show.').first().waitFor();
  const { receipts: [receipt] } = await call(getReceipts, {});
  expect(receipt).toMatchObject({ reason_ended: 'user_ended', cost_per_minute: 60 });
  expect(receipt?.tokens).toBe(receipt?.seconds);
  expect(await tokens()).toBe(before - (receipt?.tokens ?? 0));
});
