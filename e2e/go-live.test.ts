import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import {
  besideVideo,
  expectMoving,
  goLive,
  openStage,
  signUp,
  type ProgramStage,
  type Visit,
} from './stage.ts';
import { loudness, QUIETER, toneOnLeft } from './stereo.ts';

let stage: ProgramStage;
let performer: Visit;
let viewer: Visit;
beforeAll(async () => {
  stage = await openStage({ flags: [] });
  performer = await stage.visit({ as: 'demo_performer' });
  await performer.page.addInitScript(toneOnLeft);
  viewer = await stage.visit({ as: 'demo_viewer' });
});
afterAll(() => stage.close());

it('a browser goes live and a viewer sees the picture move [A-007] [C-020]', async () => {
  await goLive(performer.page);
  await viewer.page.goto('/demo_performer');
  await expectMoving(viewer.page);
});

it('a tone on the performer\'s left is on the viewer\'s left', async () => {
  expect(await viewer.page.locator('[data-via]').first().getAttribute('data-via')).toBe('webrtc');
  await viewer.page.locator('body').click({ position: { x: 2, y: 2 } });
  const [left, right] = await loudness(viewer.page);
  expect(left, `left ${left}, right ${right}`).toBeGreaterThan(right * QUIETER);
});

it('a username is the address of that person\'s chat room, with their video [B-072] [B-106]', async () => {
  const { page, context } = await stage.visit({ as: 'demo_viewer', path: '/demo_performer' });
  await page.getByLabel('Demo Performer’s live video').waitFor();
  await page.getByRole('region', { name: 'Chat' }).getByRole('textbox', { name: 'Message' }).waitFor();
  await page.goto('/luna_vale');
  await page.getByRole('heading', { name: /Luna Vale/u }).first().waitFor();
  await page.getByRole('region', { name: 'Chat' }).getByRole('textbox', { name: 'Message' }).waitFor();
  expect(await page.getByLabel('Demo Performer’s live video').count()).toBe(0);
  await context.close();
});

it('beside the video stand chat and tipping [B-107]', async () => {
  expect(await viewer.page.getByRole('region', { name: 'Chat' }).isVisible()).toBe(true);
  expect(await viewer.page.getByRole('form', { name: 'Tip Demo Performer' }).isVisible()).toBe(true);
});

it('what a viewer says is read by both [B-005]', async () => {
  await viewer.page.getByRole('textbox', { name: 'Message', exact: true }).fill('good evening');
  await viewer.page.getByRole('button', { name: 'Send' }).click();
  await viewer.page.getByRole('list', { name: 'Chat' }).getByText('good evening').waitFor();
  await performer.page.getByRole('list', { name: 'Chat' }).getByText('good evening').waitFor();
});

it('a tip starts at 25, is paid once and seen in every tab [B-006] [B-406]', async () => {
  const { page, context } = viewer;
  const second = await context.newPage();
  await second.goto('/');
  const balance = (tab: typeof page) => tab.getByRole('button', { name: /tokens.*Get tokens/u });
  expect(await balance(second).innerText()).toContain('1,000');
  const bar = page.getByRole('form', { name: 'Tip Demo Performer' });
  expect(await bar.getByLabel('Tokens', { exact: true }).inputValue()).toBe('25');
  await page.getByRole('button', { name: 'Tip menu' }).filter({ visible: true }).first().click();
  const panel = page.getByRole('dialog', { name: 'Tip Demo Performer' });
  const form = panel.getByRole('form', { name: 'Tip Demo Performer' });
  await form.getByLabel('Message (optional)').fill('for the lights');
  await form.getByRole('button', { name: 'Tip 25' }).click();
  for (const each of [viewer, performer]) {
    const line = each.page.getByRole('list', { name: 'Chat' }).getByRole('listitem')
      .filter({ hasText: 'tipped' });
    await line.filter({ hasText: 'for the lights' }).waitFor();
    expect(await line.count()).toBe(1);
  }
  await page.getByRole('button', { name: /975 tokens.*Get tokens/u }).waitFor();
  await second.getByRole('button', { name: /975 tokens.*Get tokens/u }).waitFor();
  await performer.page.getByRole('region', { name: 'Tips and orders' }).getByText('25 tokens').waitFor();
  await second.close();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
});

it('the last tip stays chosen, and too large a tip opens getting tokens [A-230] [A-400]', async () => {
  const { page } = viewer;
  const form = page.getByRole('form', { name: 'Tip Demo Performer' });
  await form.getByLabel('Tokens', { exact: true }).fill('10');
  await form.getByRole('button', { name: 'Tip 10' }).click();
  await page.getByRole('button', { name: /965 tokens.*Get tokens/u }).waitFor();
  await page.reload();
  await expect.poll(() => form.getByLabel('Tokens', { exact: true }).inputValue()).toBe('10');
  await form.getByLabel('Tokens', { exact: true }).fill('5000');
  await form.getByRole('button', { name: 'Tip 5,000' }).click();
  await page.getByRole('dialog', { name: 'Not enough tokens' }).waitFor();
  await page.keyboard.press('Escape');
});

it('a tab whose socket comes after a tip shows the balance of then', async () => {
  const { page, context } = viewer;
  const late = await context.newPage();
  onTestFinished(() => late.close());
  // After ten seconds the page would report that it cannot reach the sockets, in a log that must stay clean.
  await late.route(/\/log\/frontend-ws-fail$/u, (route) => route.fulfill({ json: { status: 1 } }));
  // The page may open its socket more than once meanwhile.
  const tips = new EventEmitter();
  const tipped = once(tips, 'tip');
  await late.routeWebSocket(/./u, async (socket) => {
    await tipped;
    socket.connectToServer();
  });
  await late.goto('/');
  await late.getByRole('button', { name: /965 tokens.*Get tokens/u }).waitFor();
  const form = page.getByRole('form', { name: 'Tip Demo Performer' });
  await form.getByLabel('Tokens', { exact: true }).fill('15');
  await form.getByRole('button', { name: 'Tip 15' }).click();
  await page.getByRole('button', { name: /950 tokens.*Get tokens/u }).waitFor();
  tips.emit('tip');
  await late.getByRole('button', { name: /950 tokens.*Get tokens/u }).waitFor();
});

it('a guest who tips is asked to log in, and nothing is sent [A-227]', async () => {
  const guest = await stage.visit({ path: '/demo_performer' });
  const sent: string[] = [];
  guest.page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/tip/')) sent.push(request.url());
  });
  const form = guest.page.getByRole('form', { name: 'Tip Demo Performer' });
  await form.getByRole('button', { name: /^Tip \d/u }).click();
  const prompt = guest.page.getByRole('dialog', { name: 'Log in' });
  await prompt.getByText('Log in to tip. You stay in this room.').waitFor();
  expect(sent).toEqual([]);
  await guest.context.close();
});

it('the sign up modal offers what the page does, and one stays in the room [A-032] [A-074]', async () => {
  const { page, context } = await stage.visit({ path: '/demo_performer' });
  await page.getByRole('button', { name: 'Log in to chat' }).click();
  await page.getByRole('dialog', { name: 'Log in' }).getByRole('button', { name: 'Sign up' }).click();
  const form = page.getByRole('dialog', { name: 'Sign up' });
  await signUp(form, 'walked_in');
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/demo_performer');
  await context.close();
});

it('a stranger browses who is live, opens a room and watches', async () => {
  const { page, context } = await stage.visit({ path: '/girls' });
  await page.getByRole('main').getByRole('link', { name: /Luna Vale/u }).click();
  await page.getByRole('region', { name: 'Chat' }).waitFor();
  await expectMoving(page);
  await context.close();
});

it('ending closes the room for everybody', async () => {
  const { page } = performer;
  await page.getByRole('button', { name: 'End broadcast', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'End broadcast', exact: true }).click();
  await viewer.page.getByText('Demo Performer is offline').waitFor();
  await page.getByRole('heading', { name: 'Go live', exact: true }).waitFor();
});

it('nobody was complained to', () => {
  // Expected in this journey: a tip beyond the balance and, on a slow machine, a player that asks once more
  // for a stream that has just ended, before the room says so.
  const complaints = besideVideo([...performer.complaints, ...viewer.complaints])
    .filter((text) => !text.includes('status of 402'));
  expect(complaints).toEqual([]);
  expect(stage.output.split('\n').filter((line) => /"error":|unexpected error|"level":[456]0/u.test(line)))
    .toEqual([]);
});
