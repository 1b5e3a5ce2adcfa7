import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getOwnBroadcast } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('the performer console', () => {
  test.each(
    [
      [
        'sound without a picture',
        { videoBitsPerSecond: 0, framesPerSecond: 0 },
        /^Viewers hear you but see no video/u,
      ],
      ['B-frames that are transcoded', { bFrames: 'transcoded' }, /^Your stream has B-frames, so we/u],
      ['B-frames that are copied', { bFrames: 'copied' }, /viewers see you several seconds late/u],
    ] as const,
  )('says what viewers get of %s, until it is mended', async (_name, health, advice) => {
    const performer = await site.performer({ live: true });
    const page = await openPage(site, performer, '/go-live');
    await page.find('heading', 'Performer console');
    expect(page.shows(advice)).toBe(false);
    const stream = site.engine.streams.at(-1)!;
    site.engine.measure(stream, health);
    await page.sees(advice);
    expect(await page.problems()).toEqual([]);
    site.engine.measure(stream);
    await page.until(() => expect(page.shows(advice)).toBe(false));
  });

  test('says that the end failed, and ends when asked again', async () => {
    const performer = await site.performer({ live: true });
    const page = await openPage(site, performer, '/go-live');
    await page.find('heading', 'Performer console');
    const mends = page.network.fails(/\/broadcast\/end$/u);
    await page.press('End broadcast');
    const question = await page.find('alertdialog', 'End this broadcast?');
    await page.press('End broadcast', { in: question });
    await page.find('alert', undefined, { in: question });
    expect((await performer.call(getOwnBroadcast, {})).state).toBe('online');
    mends();
    await page.press('End broadcast', { in: question });
    await page.find('heading', 'Go live', { level: 1 });
    expect((await performer.call(getOwnBroadcast, {})).state).toBe('offline');
  });
});
