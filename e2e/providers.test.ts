import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callsOf, openStage, type Stage, type Visit } from './stage.ts';

/** A provider's server at another origin: its script draws a widget and fetches more from that server. */
const WIDGET = `
  const origin = new URL(document.currentScript.src).origin;
  fetch(origin + '/hello').then((answer) => answer.text()).then((text) => {
    const style = document.createElement('style');
    style.textContent = '.widget { position: fixed; right: 8px; bottom: 8px }';
    const widget = document.createElement('p');
    widget.className = 'widget';
    widget.textContent = text;
    document.head.append(style);
    document.body.append(widget);
  });`;

let stage: Stage;
let provider: Server;
let origin: string;
/** Paths requested from the provider. */
const asked: string[] = [];
let isBroken = false;
let performer: Visit;
beforeAll(async () => {
  provider = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('access-control-allow-origin', '*');
    if (isBroken) return void response.writeHead(503).end();
    const isScript = request.url?.endsWith('.js') ?? false;
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/plain');
    response.end(isScript ? WIDGET : 'The widget says hello');
  });
  await new Promise<void>((open) => {
    provider.listen(0, '127.0.0.1', () => open());
  });
  origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  stage = await openStage();
  const admin = await stage.visit({ as: 'demo_admin' });
  const { call, csrf } = await callsOf(admin.context, stage.origin);
  await call(changeOperatorRules, { support_script: `${origin}/widget.js`, reason: 'a journey' }, csrf);
  performer = await stage.visit({ as: 'demo_performer' });
});
afterAll(async () => {
  await stage.close();
  await new Promise((closed) => {
    provider.close(closed);
  });
});

it('a provider’s support chat runs when it is opened, and is asked for nothing before [A-393]', async () => {
  const { page } = performer;
  await page.goto('/support');
  await page.getByRole('link', { name: 'Start chat' }).click();
  await page.getByRole('button', { name: 'Open chat' }).waitFor();
  expect(asked).toEqual([]);
  await page.getByRole('button', { name: 'Open chat' }).click();
  await page.getByText(/^The chat of 127\.0\.0\.1:\d+ is open on this page\.$/u).waitFor();
  await page.getByText('The widget says hello').waitFor();
  expect(await page.locator('.widget').evaluate((item) => getComputedStyle(item).position)).toBe('fixed');
  expect(asked).toEqual(['/widget.js', '/hello']);
  // Any other page of the site forbids it.
  await page.goto('/support');
  const runs = await page.evaluate((address) =>
    new Promise((done) => {
      const script = document.createElement('script');
      script.src = address;
      script.addEventListener('load', () => done(true));
      script.addEventListener('error', () => done(false));
      document.head.append(script);
    }), `${origin}/widget.js`);
  expect([runs, asked.length]).toEqual([false, 2]);
}, 120_000);

it('a provider that fails, or that a blocker holds back, is replaced by the chat of the site', async () => {
  const { page } = performer;
  isBroken = true;
  await page.goto('/support/chat');
  await page.getByRole('button', { name: 'Open chat' }).click();
  await page.getByText(/couldn’t be loaded\. A content blocker may have stopped it/u).waitFor();
  await page.getByLabel('Your message to support').fill('Is anybody there?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('log', { name: 'Messages' }).getByText('Is anybody there?').waitFor();
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The widget says hello').waitFor();
  await page.route(`${origin}/**`, (route) => route.abort('blockedbyclient'));
  await page.goto('/support/chat');
  await page.getByRole('button', { name: 'Open chat' }).click();
  await page.getByText(/couldn’t be loaded\. A content blocker may have stopped it/u).waitFor();
  await page.getByLabel('Your message to support').waitFor();
}, 120_000);
