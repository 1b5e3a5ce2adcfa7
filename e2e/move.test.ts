import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { expectMoving, goLive, type Visit } from './stage.ts';

let demoSite: DemoSite;
let performer: Visit;
let viewers: Visit[];
let performerId: number;

beforeAll(async () => {
  demoSite = await openDemoSite();
  performerId = await demoSite.idOf('demo_performer');
  performer = await demoSite.visit({ as: 'demo_performer' });
  await goLive(performer.page);
  viewers = [
    await demoSite.visit({ as: 'demo_viewer', path: '/demo_performer' }),
    await demoSite.visit({ path: '/demo_performer' }),
  ];
  for (const { page } of viewers) await expectMoving(page);
});
afterAll(() => demoSite.close());

it('a private show takes the picture from all in the room, and nobody gets it by asking', async () => {
  const asked = viewers.map(({ page }) => {
    const addresses: string[] = [];
    page.on('response', (response) => {
      if (/\/(?:whep|hls)\//u.test(response.url()) && response.ok()) addresses.push(response.url());
    });
    return addresses;
  });
  const moved = await demoSite.services.broadcast.move(DEFAULT_SCOPE, performerId, 'private');
  for (const { page } of viewers) {
    await page.getByText('in a private show').first().waitFor();
    const answer = await page.evaluate(async () =>
      (await fetch('/api/v1/video/playback/demo_performer')).status
    );
    expect(answer).toBe(404);
    const html = await page.content();
    expect(html).not.toContain(moved?.stream);
  }
  expect(asked.flat()).toEqual([]);
});

it('the publisher goes on through it, and the performer herself sees her private picture', async () => {
  const other = await demoSite.visit({ as: 'demo_performer', path: '/demo_performer' });
  await expectMoving(other.page);
  await other.context.close();
  await performer.page.getByRole('heading', { name: 'Performer console' }).waitFor();
});

it('when the show is over everybody sees the picture again, unaided', async () => {
  await demoSite.services.broadcast.move(DEFAULT_SCOPE, performerId, 'public');
  for (const { page } of viewers) await expectMoving(page);
});
