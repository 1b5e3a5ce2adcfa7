import { afterAll, beforeAll, expect, it } from 'vitest';
import { goLive, openStage, type ProgramStage } from './stage.ts';

let stage: ProgramStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it('a recording survives the kill of the whole site, and plays up to where it broke off', async () => {
  const { page } = await stage.visit({ as: 'demo_performer' });
  await goLive(page);
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  await page.getByRole('checkbox', { name: 'I agree to this recording. Only' }).check();
  await page.getByRole('button', { name: 'Start recording' }).click();
  await page.getByRole('button', { name: 'Stop recording' }).waitFor();
  // Two fragments are certainly on disk when the page counts six seconds.
  await page.getByText(/0:0[6-9]/u).first().waitFor();
  stage.killSite();
  const isReady = (): Promise<boolean> => fetch(`${stage.origin}/readyz`).then(({ ok }) => ok, () => false);
  await expect.poll(isReady, { timeout: 60_000, interval: 250 }).toBe(true);

  await page.goto('/account/recordings');
  await page.getByText('Interrupted').first().waitFor();
  await page.getByRole('button', { name: /^Play/u }).first().click();
  const video = page.locator('video').first();
  await video.evaluate((element) =>
    new Promise<void>((done) => {
      const film = element as HTMLVideoElement;
      const look = (): void => {
        if (film.currentTime > 1) done();
        else requestAnimationFrame(look);
      };
      look();
    })
  );
  expect(await video.evaluate((element) => (element as HTMLVideoElement).videoWidth)).toBeGreaterThan(0);
});
