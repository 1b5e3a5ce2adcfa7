import { uuidV4 } from '#platform/data/ids.ts';
import { getPurchaseLink } from '#product/billing/contract.ts';
import { changeBillingRules } from '#product/billing/contract/operator.ts';
import { refundPayment } from '#product/billing/contract/payments.ts';
import { endGroupGoal, giveToGroupGoal, startGroupGoal } from '#product/shows/contract/group-goal.ts';
import { endSharecam } from '#product/shows/contract/sharecam.ts';
import { startSpying } from '#product/shows/contract/spying.ts';
import { endTicketShow } from '#product/shows/contract/ticket-show.ts';
import { textOf } from '#product/testkit/pages/look/read-text.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import {
  cameraPasses,
  connectsSharecam,
  sharecamPerformer,
  startsSharecam,
} from '#product/testkit/shows/sharecam.ts';
import { spiedShow, stopsSpying } from '#product/testkit/shows/spying.ts';
import {
  endsRecorded,
  runsRecorded,
  sellsRecordings,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import type { Member } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.close());

type Page = Awaited<ReturnType<typeof openPage>>;

async function rowsOf(page: Page): Promise<HTMLElement[]> {
  const table = await page.find('table', 'All changes');
  return page.all('row', undefined, { in: table }).slice(1);
}
/** Description, tokens and balance of a row, without its time and the parts behind it. */
const cellsOf = (row: HTMLElement): string[] =>
  [...row.children].map((cell) => {
    const copy = cell.cloneNode(true) as HTMLElement;
    for (const one of copy.querySelectorAll('details, time')) one.remove();
    for (const one of copy.querySelectorAll('span')) one.append(' ');
    return textOf(copy);
  });

test('the token history has one line for each show, with its parts behind it', async () => {
  const { site } = shop;
  const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
  const { username } = performer;
  const viewer = await site.viewer();
  await shop.buys(viewer, '1_550');
  await startsPrivate(viewer, performer);
  await watches(viewer, performer);
  await mediaPasses(site, performer, 25);
  await endsPrivate(viewer, performer);
  await viewer.tips(performer, 30);
  await performer.call(startGroupGoal, { title: 'A song', tokens: 1_000, minutes: 20 });
  await viewer.call(giveToGroupGoal, { username, tokens: 40 }, { idempotencyKey: uuidV4() });
  await performer.call(endGroupGoal, {});
  await site.settle();
  const page = await openPage(site, viewer, '/account/tokens/history');
  const rows = await rowsOf(page);
  expect(rows.map(cellsOf)).toEqual([
    [`Group goal with ${username} Everything was returned to you`, '0 tokens', '495 tokens'],
    [`Tip to ${username}`, '−30 tokens $3.00', '495 tokens'],
    [`Private show with ${username}`, '−25 tokens $2.50', '525 tokens'],
    // Money as it was paid, which is less than the value shown for that many tokens.
    ['Purchase', '+550 tokens $49.99', '550 tokens'],
  ]);
  const [goal, tip, show, purchase] = rows;
  for (const [row, words, lines] of [
    [goal, '2 parts', [
      ['Group goal: tokens returned', '+40 tokens'],
      ['Set aside for a group goal', '−40 tokens'],
    ]],
    [show, '2 parts', [
      ['Private show Returned to you', '+35 tokens'],
      ['Set aside for a private show', '−60 tokens'],
    ]],
  ] as const) {
    expect(page.all('listitem', undefined, { in: row })).toEqual([]);
    await page.click(await page.sees(words, { in: row! }));
    expect(page.all('listitem', undefined, { in: row }).map(cellsOf)).toEqual(lines);
  }
  for (const row of [tip, purchase]) expect(row?.querySelector('details')).toBe(null);
  expect(await page.problems()).toEqual([]);
  for (const row of [goal, tip, show]) {
    await page.press(username, { in: row! });
    const card = await page.find('dialog');
    await page.sees(`@${username}`, { in: card });
    await page.press('Close', { in: card });
    await page.gone('dialog');
  }
  expect(page.all('button', undefined, { in: purchase! })).toEqual([]);
  await page.choose('Type', 'Private show');
  await page.until(async () =>
    expect((await rowsOf(page)).map(cellsOf))
      .toEqual([[`Private show with ${username}`, '−25 tokens $2.50', '525 tokens']])
  );
});

test('the token history says what a hold gave back whole, and a refund of what', async () => {
  const { site } = shop;
  const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
  const viewer = await site.viewer();
  const { orderId: id } = await shop.buys(viewer, '1_100');
  await startsPrivate(viewer, performer);
  await endsPrivate(viewer, performer);
  await site.settle();
  const admin = await site.admin();
  await admin.call(refundPayment, { id, reason: 'asked for it' });
  await shop.settle();
  const page = await openPage(site, viewer, '/account/tokens/history');
  expect((await rowsOf(page)).map(cellsOf)).toEqual([
    ['Refund Purchase', '−100 tokens -$10.00', '0 tokens'],
    [`Private show with ${performer.username} Everything was returned to you`, '0 tokens', '100 tokens'],
    ['Purchase', '+100 tokens $10.00', '100 tokens'],
  ]);
});

/** Spies for 40 seconds, of which ten are the preview. */
async function spiesFor40(viewer: Member): Promise<string> {
  const { performer } = await spiedShow(shop.site);
  await viewer.call(startSpying, { username: performer.username });
  await shop.site.settle();
  await watches(viewer, performer);
  await mediaPasses(shop.site, performer, 40);
  await stopsSpying(viewer, performer);
  return performer.username;
}

test('turns of spying on one show are one line, and those on another show another', async () => {
  const { site } = shop;
  const viewer = await site.viewer({ tokens: 300 });
  const { performer } = await spiedShow(site);
  for (const seconds of [40, 35]) {
    await viewer.call(startSpying, { username: performer.username });
    await site.settle();
    await watches(viewer, performer);
    await mediaPasses(site, performer, seconds);
    await stopsSpying(viewer, performer);
  }
  const elsewhere = await spiesFor40(viewer);
  const page = await openPage(site, viewer, '/account/tokens/history');
  const rows = await rowsOf(page);
  expect(rows.map((row) => cellsOf(row)[0])).toEqual([
    `Spying on a private show with ${elsewhere}`,
    `Spying on a private show with ${performer.username}`,
    expect.not.stringContaining('Spying'),
  ]);
  const row = rows[1];
  if (!row) throw new Error('two shows were spied on');
  const [summary] = row.querySelectorAll('summary');
  if (summary) await page.click(summary);
  expect([cellsOf(row).slice(1), page.all('listitem', undefined, { in: row }).map(cellsOf)]).toEqual([
    ['−13 tokens $1.30', '287 tokens'],
    [
      ['Spying on a private show Returned to you', '+5 tokens'],
      ['Set aside for spying on a show', '−12 tokens'],
      ['Spying: tokens returned', '+6 tokens'],
      ['Set aside for spying on a show', '−12 tokens'],
    ],
  ]);
});

/** Shares a camera for 40 seconds at 30 tokens a minute. */
async function sharesFor40(viewer: Member): Promise<string> {
  const performer = await sharecamPerformer(shop.site);
  await startsSharecam(viewer, performer);
  const { stream } = await connectsSharecam(viewer, performer);
  await cameraPasses(shop.site, stream, 40);
  await viewer.call(endSharecam, { username: performer.username });
  return performer.username;
}

/** Holds a ticket and its recording, of a show that runs as agreed or ends at once. */
async function holdsTicket(viewer: Member, isPaid: boolean): Promise<string> {
  const performer = await ticketPerformer(shop.site);
  const { stream } = await runsRecorded(shop.site, performer, viewer);
  await sellsRecordings(performer, viewer);
  if (isPaid) await endsRecorded(shop.site, performer, stream);
  else await performer.call(endTicketShow, {});
  await shop.site.settle();
  return performer.username;
}

test('spying, a shared camera, and a ticket and its recording are one line each', async () => {
  const { site } = shop;
  const viewer = await site.viewer();
  await shop.buys(viewer, '1_550');
  const [spied, camera] = [await spiesFor40(viewer), await sharesFor40(viewer)];
  const [paid, returned] = [await holdsTicket(viewer, true), await holdsTicket(viewer, false)];
  const page = await openPage(site, viewer, '/account/tokens/history');
  const rows = await rowsOf(page);
  const shown: unknown[] = [];
  for (const row of rows) {
    const [summary] = row.querySelectorAll('summary');
    if (summary) await page.click(summary);
    shown.push([...cellsOf(row), page.all('listitem', undefined, { in: row }).map(cellsOf)]);
  }
  const all = 'Everything was returned to you';
  expect(shown).toEqual([
    [`Recording of a ticket show with ${returned} ${all}`, '0 tokens', '374 tokens', [
      ['Recording: tokens returned', '+50 tokens'],
      ['Set aside for a recording', '−50 tokens'],
    ]],
    [`Ticket show with ${returned} ${all}`, '0 tokens', '324 tokens', [
      ['Ticket show: tokens returned', '+100 tokens'],
      ['Set aside for a ticket show', '−100 tokens'],
    ]],
    // The hold was exactly the cost, so the entry has no parts.
    [`Recording of a ticket show with ${paid}`, '−50 tokens $5.00', '374 tokens', []],
    [`Ticket show with ${paid}`, '−100 tokens $10.00', '424 tokens', []],
    [`Shared camera with ${camera}`, '−20 tokens $2.00', '524 tokens', [
      ['Shared camera: tokens returned', '+10 tokens'],
      ['Set aside for a shared camera', '−30 tokens'],
    ]],
    [`Spying on a private show with ${spied}`, '−6 tokens $0.60', '544 tokens', [
      ['Spying: tokens returned', '+6 tokens'],
      ['Set aside for spying on a show', '−12 tokens'],
    ]],
    ['Purchase', '+550 tokens $49.99', '550 tokens', []],
  ]);
});

test('the statement of a month says what was paid, each currency by itself', async () => {
  const { site } = shop;
  const admin = await site.admin();
  await admin.call(changeBillingRules, {
    switches: [{ name: 'vouchers', on: true }],
    reason: 'a test of statements',
  });
  const viewer = await site.viewer({ region: 'DE' });
  const { purchase_link: link } = await viewer.call(getPurchaseLink, {
    internal_id: 'voucher_de_25',
    method: 'voucher',
  });
  await shop.types(link);
  await shop.settle();
  const month = site.clock.now().toISOString().slice(0, 7);
  const page = await openPage(site, viewer, `/account/tokens/statement/${month}`);
  await page.sees('You bought 270 tokens for €25.00.');
  await page.find('table', 'All changes');
  expect(textOf(await page.find('main'))).not.toContain('$');
  await shop.buys(viewer, '1_50');
  await page.goto(`/account/tokens/statement/${month}`);
  await page.sees('You bought 320 tokens for €25.00 and $5.00.');
});

test('nothing went wrong on the server', () => expect(shop.site.log).toEqual([]));
