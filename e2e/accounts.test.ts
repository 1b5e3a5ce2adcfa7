import { listOutbox } from '#product/notices/contract.ts';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lookProblems } from './axe.ts';
import { callsOf, openStage, signUp, type ProgramStage, type Visit } from './stage.ts';

const PASSWORD = 'harbour-lights-9';
let stage: ProgramStage;
let admin: Visit;
beforeAll(async () => {
  stage = await openStage();
  admin = await stage.visit({ as: 'demo_admin', path: '/admin/outbox' });
});
afterAll(() => stage.close());

/** Links with a path in the newest email to somebody, as admins of a site without SMTP read it. */
async function linkIn(username: string, path: string): Promise<string> {
  const { call } = await callsOf(admin.context, stage.origin);
  for (let tries = 0; tries < 50; tries += 1) {
    const { mails } = await call(listOutbox, {});
    const link = mails.filter(({ to }) => to === `${username}@people.example`)
      .flatMap(({ text }) => text.split(/\s/u)).find((word) => word.includes(path));
    if (link !== undefined) return link;
    await admin.page.waitForTimeout(200);
  }
  throw new Error(`no email to ${username} has a link to ${path}`);
}

/** A device with a screen lock that holds passkeys. */
async function authenticatorOf(
  context: BrowserContext,
  page: Page,
): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

const accountMenu = (page: Page, name: string) => page.getByRole('button', { name: `${name}’s account` });

const loggedOut = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Log in', exact: true }).or(page.getByRole('link', { name: 'Log in' }))
    .first().waitFor();

it('sign up, confirm, add a passkey, log in elsewhere by it, and log that device out', async () => {
  const { page, context, complaints } = await stage.visit({ path: '/register' });
  await signUp(page.getByRole('main'), 'harbour_lights');
  await accountMenu(page, 'harbour_lights').waitFor();
  await page.goto(await linkIn('harbour_lights', '/confirm-email'));
  await page.getByRole('main').getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('Your email address is confirmed.').waitFor();

  await page.goto('/account/settings');
  const phone = await authenticatorOf(context, page);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
  await dialog.getByLabel('Name').fill('Key of the lighthouse');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('list', { name: 'Passkeys' }).getByText('Key of the lighthouse').waitFor();
  expect(await lookProblems(page)).toEqual([]);

  // The phone's passkey is on the laptop too, as platforms sync them.
  const laptop = await stage.visit({ path: '/login', phone: true });
  const { credentials } = await phone.cdp.send('WebAuthn.getCredentials', {
    authenticatorId: phone.authenticatorId,
  });
  const shared = await authenticatorOf(laptop.context, laptop.page);
  for (const credential of credentials) {
    await shared.cdp.send('WebAuthn.addCredential', { authenticatorId: shared.authenticatorId, credential });
  }
  await laptop.page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await laptop.page.waitForURL((url) => url.pathname === '/');
  await laptop.page.getByRole('heading', { name: 'Live now', level: 1 }).waitFor();
  await laptop.page.goto('/account/settings');
  await laptop.page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();

  await page.reload();
  const devices = page.getByRole('list', { name: 'Sessions' });
  await devices.getByRole('button', { name: /^Log out/u }).first().click();
  // Its page is notified at once, over its socket.
  await loggedOut(laptop.page);
  expect([...complaints, ...laptop.complaints]).toEqual([]);
  await context.close();
  await laptop.context.close();
});

it('a forgotten password is replaced by the link of an email, and every other session ends', async () => {
  const { page, context } = await stage.visit({ path: '/register' });
  await signUp(page.getByRole('main'), 'forgetful_one');
  await accountMenu(page, 'forgetful_one').waitFor();

  const other = await stage.visit({ path: '/login' });
  await other.page.getByRole('main').getByRole('link', { name: 'Forgot your password?' }).click();
  await other.page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  await other.page.getByLabel('Email', { exact: true }).fill('forgetful_one@people.example');
  await other.page.getByRole('button', { name: 'Send link' }).click();
  await other.page.getByText('If an account has this email address').waitFor();
  await other.page.goto(await linkIn('forgetful_one', '/reset-password'));
  await other.page.getByLabel('New password', { exact: true }).fill('a-different-harbour-7');
  await other.page.getByRole('button', { name: 'Set password' }).click();
  await other.page.getByText('Your new password is set.').waitFor();
  await loggedOut(page);

  await page.goto('/login');
  const form = page.getByRole('main');
  await form.getByLabel('Username or email').fill('forgetful_one');
  await form.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await form.getByRole('button', { name: 'Log in', exact: true }).click();
  await form.getByText('Wrong name or password').waitFor();
  await form.getByLabel('Password', { exact: true }).fill('a-different-harbour-7');
  await form.getByRole('button', { name: 'Log in', exact: true }).click();
  await accountMenu(page, 'forgetful_one').waitFor();
  await context.close();
  await other.context.close();
});

it('an account is deleted, logged out everywhere, and comes back by a log-in within 30 days', async () => {
  const { page, context, complaints } = await stage.visit({ path: '/register' });
  await signUp(page.getByRole('main'), 'second_thoughts');
  await accountMenu(page, 'second_thoughts').waitFor();
  const logsIn = async (where: Page): Promise<void> => {
    const form = where.getByRole('main');
    await form.getByLabel('Username or email').fill('second_thoughts');
    await form.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await form.getByRole('button', { name: 'Log in', exact: true }).click();
  };
  const phone = await stage.visit({ path: '/login', phone: true });
  await logsIn(phone.page);
  await phone.page.waitForURL((url) => url.pathname === '/');

  await page.goto('/account/settings#delete');
  await page.getByRole('button', { name: 'Delete account', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await dialog.getByLabel('Type second_thoughts to confirm').fill('second_thoughts');
  await dialog.getByLabel('Current password').fill(PASSWORD);
  expect(await lookProblems(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
  const gone = page.getByRole('heading', { name: 'Your account is being deleted', level: 1 });
  await gone.waitFor();
  await page.getByText(/^It’s hidden now, and will be erased on /u).waitFor();
  // The other device is notified at once, over its socket.
  await loggedOut(phone.page);
  expect(await linkIn('second_thoughts', '/login')).toContain('/login');

  await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Log in', level: 1 }).waitFor();
  await logsIn(page);
  await page.getByRole('button', { name: 'Keep my account' }).click();
  await accountMenu(page, 'second_thoughts').waitFor();
  await page.goto('/account/settings');
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  expect([...complaints, ...phone.complaints].filter((said) => !/\b403\b/u.test(said))).toEqual([]);
  await context.close();
  await phone.context.close();
});

it('another language keeps the page, its address and what was typed before it', async () => {
  const { page, context, complaints } = await stage.visit({ path: '/search?q=piano' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('button', { name: /^Language/u }).first().click();
  await page.getByText('Deutsch', { exact: true }).click();
  await page.locator('html[lang=de]').waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/search?q=piano');
  await page.reload();
  await page.locator('html[lang=de]').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('a push message becomes a notification that leads to its page', async () => {
  const { page, context } = await stage.visit({ as: 'demo_viewer' });
  await context.grantPermissions(['notifications'], { origin: stage.origin });
  const cdp = await context.newCDPSession(page);
  const registered = new Promise<string>((found) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.endsWith('/push/'));
      if (own) found(own.registrationId);
    });
  });
  await cdp.send('ServiceWorker.enable');
  await page.evaluate(async () => {
    const worker = await navigator.serviceWorker.register('/push-worker.js', { scope: '/push/' });
    await new Promise<void>((ready) => {
      const soon = setInterval(() => {
        if (worker.active?.state !== 'activated') return;
        clearInterval(soon);
        ready();
      }, 50);
    });
  });
  const shown = () =>
    page.evaluate(async () => {
      const worker = await navigator.serviceWorker.getRegistration('/push/');
      return (await worker?.getNotifications() ?? []).map(({ title, body, data }) => ({ title, body, data }));
    });
  await cdp.send('ServiceWorker.deliverPushMessage', {
    origin: stage.origin,
    registrationId: await registered,
    data: JSON.stringify({ title: 'Luna is live', body: 'Piano tonight', link: '/luna_vale' }),
  });
  for (let tries = 0; (await shown()).length === 0 && tries < 50; tries += 1) await page.waitForTimeout(100);
  expect(await shown()).toMatchObject([{ title: 'Luna is live', body: 'Piano tonight' }]);
  await context.close();
});
