/**
 * How smoothly 1,000 tiles scroll in Chromium with its processor slowed down four times, beside a plain grid
 * of the same pictures: frames dropped a second, as a ratio, in a wide window and on a phone. The listing is
 * the site's own page with an answer of 1,000 performers, and the picture of each is the demo's.
 */
import { openStage, type Stage } from '#e2e/stage.ts';
import type { CDPSession, Page } from 'playwright-core';
import { gridBox, loadPictures, plainGrid, scrollThrough, type Frames } from '../scrolling/scrolling.ts';

const smoke = process.argv.includes('--smoke');
const TILES = smoke ? 200 : 1_000;
const SECONDS = smoke ? 2 : 12;
const ROUNDS = smoke ? 1 : 3;
const SLOWDOWN = 4;
/** Where the plain grid is; the site has nothing there. */
const PLAIN_PATH = '/plain-grid';
/** Until somebody of the demo is live. */
const LIVE_MS = 60_000;

/** The listing's own answer with its performers repeated; each has a number of its own. */
async function serveMany(page: Page): Promise<void> {
  await page.route(/\/browse\/react\/(?:v2\/)?girls(?:\?|$)/u, async (route) => {
    const answer = await (await route.fetch()).json() as { userList: { id: number; username: string }[] };
    const { userList } = answer;
    if (userList.length === 0) throw new Error('nobody is live');
    const many = Array.from({ length: TILES }, (_, at) => {
      const one = userList[at % userList.length];
      return { ...one, id: 1_000_000 + at, username: `${one?.username}_${at}` };
    });
    await route.fulfill({ json: { ...answer, userList: many, totalCount: TILES, perPageCount: TILES } });
  });
}

/** The tiles, and what the plain grid needs of them. */
async function openTiles(page: Page): Promise<readonly string[]> {
  await serveMany(page);
  // Within the site, so that the browser asks for the listing and not the server.
  await page.goto('/tags');
  await page.locator('a[href="/girls"]').first().evaluate((link) => (link as HTMLElement).click());
  await page.locator('[data-tile]').nth(TILES - 1).waitFor({ state: 'attached' });
  return page.locator('[data-tile] img').evaluateAll((images) =>
    images.map((image) => image.getAttribute('src') ?? '')
  );
}

interface Row extends Frames {
  readonly what: string;
}

async function measure(page: Page, cdp: CDPSession, what: string): Promise<Row> {
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  const frames = await scrollThrough(page, SECONDS);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return { what, ...frames };
}

async function compareAt(stage: Stage, what: string, phone: boolean): Promise<Row[]> {
  const { page, context } = await stage.visit({ phone });
  // The demo begins with nobody live; the listing is read again by itself.
  await page.goto('/girls');
  await page.locator('[data-tile]').first().waitFor({ timeout: LIVE_MS });
  const plain = await context.newPage();
  const pictures = await openTiles(page);
  // An empty document of the same origin, whose policy lets the pictures in.
  await plain.route(
    `**${PLAIN_PATH}`,
    (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  );
  await plain.goto(PLAIN_PATH);
  await plainGrid(plain, pictures, await gridBox(page, 'ul:has([data-tile])'));
  await loadPictures(plain, 'img');
  await page.bringToFront();
  await loadPictures(page, '[data-tile] img');
  const rows: Row[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, of] of [['plain grid', plain], ['tiles', page]] as const) {
      await of.bringToFront();
      rows.push(await measure(of, await context.newCDPSession(of), `${what}, ${name}`));
    }
  }
  await context.close();
  return rows;
}

const sum = (rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((all, row) => all + of(row), 0);

const stage = await openStage();
try {
  const rows = [
    ...(await compareAt(stage, '1440 px', false)),
    ...(await compareAt(stage, '390 px', true)),
  ];
  console.log(
    `${TILES} tiles scroll for ${SECONDS} s, ${ROUNDS} times in turns, `
      + `processor slowed ${SLOWDOWN}×\n`,
  );
  console.table([...new Set(rows.map(({ what }) => what))].map((what) => {
    const [own, base] = [what, what.replace('tiles', 'plain grid')].map((name) =>
      rows.filter((row) => row.what === name)
    ) as [Row[], Row[]];
    const dropped = (of: readonly Row[]): number => sum(of, (row) => row.dropped);
    return {
      '': what,
      'frames': sum(own, (row) => row.shown),
      'dropped': dropped(own),
      'dropped, % of frames': (dropped(own) / (dropped(own) + sum(own, (row) => row.shown)) * 100).toFixed(1),
      'of the plain grid': (dropped(own) / Math.max(1, dropped(base))).toFixed(2),
      'longest ms': Math.round(Math.max(...own.map((row) => row.longestMs))),
    };
  }));
} finally {
  await stage.close();
}
