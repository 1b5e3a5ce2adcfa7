import { setPreference } from '#product/notices/contract/preferences.ts';
import { changePushProvider } from '#product/notices/contract/push-provider.ts';
import { TestPushProvider } from '#product/testkit/outside/push-provider.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callsOf, openStage, type Stage } from './stage.ts';

const SCOPE = '/push/provider/';

let stage: Stage;
const provider = new TestPushProvider();
beforeAll(async () => {
  await provider.start();
  stage = await openStage();
  const admin = await stage.visit({ as: 'demo_admin' });
  const { call, csrf } = await callsOf(admin.context, stage.origin);
  await call(changePushProvider, { ...provider.settings, reason: 'a journey' }, csrf);
  await admin.context.close();
});
afterAll(async () => {
  await stage.close();
  await provider.close();
});

it(
  'push by a provider: its SDK loads when somebody turns it on, and a notice arrives by it [A-396, C-357]',
  async () => {
    const { page, context } = await stage.visit({ as: 'demo_viewer', path: '/notifications' });
    await context.grantPermissions(['notifications'], { origin: stage.origin });
    const { call, csrf } = await callsOf(context, stage.origin);
    await call(setPreference, { kind: 'accounts:notices.newDevice', channel: 'push', on: true }, csrf);
    const cdp = await context.newCDPSession(page);
    const registered = new Promise<string>((found) => {
      cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const its = registrations.find(({ scopeURL }) => scopeURL.endsWith(SCOPE));
        if (its) found(its.registrationId);
      });
    });
    await cdp.send('ServiceWorker.enable');
    await page.getByRole('link', { name: 'Choose how you’re notified' }).click();
    await page.getByText(/^Push messages are delivered by 127\.0\.0\.1:\d+, which can read them/u).waitFor();
    expect(provider.asked).toEqual([]);
    // The provider's script loads slowly: earlier calls wait for it.
    let arrives = (): void => undefined;
    provider.scriptWaits = new Promise((resolve) => {
      arrives = () => resolve();
    });
    await page.getByRole('button', { name: 'Turn on push on this device' }).click();
    await expect.poll(() => provider.asked).toEqual(['/sdk.page.js']);
    expect(await page.getByText('This device gets push messages.').count()).toBe(0);
    arrives();
    await page.getByText('This device gets push messages.').waitFor();
    await expect.poll(() => provider.asked)
      .toEqual(expect.arrayContaining(['/sdk.sw.js', `/apps/${provider.appId}/subscriptions`]));
    // A second log-in of this person causes a notice.
    await (await stage.visit({ as: 'demo_viewer' })).context.close();
    await expect.poll(() => provider.sent.length, { timeout: 20_000 }).toBe(1);
    const [sent] = provider.sent;
    expect(sent).toMatchObject({ app_id: provider.appId, headings: { en: 'New notification' } });
    // The provider itself reaches the browser through a push service of the browser's maker.
    await cdp.send('ServiceWorker.deliverPushMessage', {
      origin: stage.origin,
      registrationId: await registered,
      data: JSON.stringify({ title: sent?.headings.en, body: sent?.contents.en, url: sent?.web_url }),
    });
    const shown = () =>
      page.evaluate(async (scope) => {
        const worker = await navigator.serviceWorker.getRegistration(scope);
        return (await worker?.getNotifications() ?? []).map(({ title, body }) => ({ title, body }));
      }, SCOPE);
    await expect.poll(shown).toEqual([{ title: 'New notification', body: 'Open to see what’s new.' }]);
    await page.getByRole('button', { name: 'Turn off push on this device' }).click();
    await page.getByRole('button', { name: 'Turn on push on this device' }).waitFor();
    await context.close();
  },
  120_000,
);

it('a provider that does not load is said, and nothing else on the page breaks', async () => {
  provider.scriptIsBroken = true;
  const { page, context } = await stage.visit({ as: 'demo_performer', path: '/notifications/settings' });
  await context.grantPermissions(['notifications'], { origin: stage.origin });
  await page.getByRole('button', { name: 'Turn on push on this device' }).click();
  await page.getByText(/couldn’t be loaded\. A content blocker may have stopped it/u).waitFor();
  provider.scriptIsBroken = false;
  await page.getByRole('button', { name: 'Turn on push on this device' }).click();
  await page.getByText('This device gets push messages.').waitFor();
  await context.close();
}, 120_000);
