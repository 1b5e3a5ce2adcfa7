import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { lastMessageTo } from '#product/testkit/store/stored-people.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { login } from './contract.ts';

const NEXT = 'seven blue tortoises';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Path and query of the last link sent to an address. */
const linkTo = async (address: string): Promise<string> => {
  await site.settle();
  return /https?:\/\/[^/]+(\/\S+)/u.exec(await site.tx((tx) => lastMessageTo(tx, address)))?.[1] ?? '';
};

describe('a forgotten password', () => {
  test('is reset from the modal that a guest opens in a room, by the link in an email [A-075]', async () => {
    const { person: { email, username } } = await site.viewer();
    const guest = await site.visitor({ ofAge: true });
    const page = await openRoom(site, guest, await site.performer({ live: true }));
    await page.press('Tip 25', { in: await page.find('form', /^Tip /u) });
    await page.press('Forgot your password?', { in: await page.find('dialog', 'Log in') });
    const modal = await page.find('dialog', 'Forgot your password?');
    await page.sees(
      'Enter your email address, and we’ll send you a link to choose a new password.',
      { in: modal },
    );
    await page.fill('Email', email, { in: modal });
    await page.press('Send link', { in: modal });
    await page.sees(
      'If an account has this email address, we’ve sent it a link. It’s valid for 1 hour.',
      { in: modal },
    );
    expect(await page.problems()).toEqual([]);
    await page.press('Back to log-in', { in: modal });
    await page.find('dialog', 'Log in');

    const link = await linkTo(email);
    expect(link).toMatch(/^\/reset-password\?name=viewer\d+&token=/u);
    const reset = await openPage(site, guest, link);
    await reset.find('heading', 'Choose a new password');
    await reset.fill('New password', NEXT);
    await reset.press('Set password');
    await reset.sees('Your new password is set.');
    await reset.click(await reset.find('link', 'Log in', { in: await reset.find('main') }));
    await reset.find('heading', 'Log in');
    await guest.call(login, { login: username, password: NEXT });
  });

  test('is asked for at a page too, which says the same for unknown addresses', async () => {
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/login');
    await page.click(await page.find('link', 'Forgot your password?'));
    await page.find('heading', 'Forgot your password?');
    expect(page.path).toBe('/forgot-password');
    await page.fill('Email', 'nobody@people.example');
    await page.press('Send link');
    await page.sees('If an account has this email address, we’ve sent it a link. It’s valid for 1 hour.');
    await page.click(await page.find('link', 'Back to log-in'));
    expect(page.path).toBe('/login');
    expect(await linkTo('nobody@people.example')).toBe('');
  });

  test('is not reset by a link that is over, which leads to a new one, or by a weak password', async () => {
    const guest = await site.visitor({ ofAge: true });
    const page = await openPage(site, guest, '/reset-password?name=ada&token=over');
    await page.fill('New password', NEXT);
    await page.press('Set password');
    await page.sees('This link is no longer valid. Request a new one.');
    expect(page.shows('Your new password is set.')).toBe(false);
    await page.click(await page.find('link', 'Request a new link'));
    expect(page.path).toBe('/forgot-password');

    const viewer = await site.viewer();
    await page.fill('Email', viewer.person.email);
    await page.press('Send link');
    await page.sees(/^If an account has this email address/u);
    const reset = await openPage(site, viewer, await linkTo(viewer.person.email));
    await reset.fill('New password', 'iloveyou1');
    await reset.press('Set password');
    await reset.sees(/^This password is too easy to guess\./u);
    await reset.fill('New password', NEXT);
    await reset.press('Set password');
    await reset.sees('Your new password is set.');
    await reset.find('link', 'Go to the home page');
  });

  test.each([
    [
      'en',
      'Forgot your password?',
      'Choose a new password',
      'This link is no longer valid. Request a new one.',
    ],
    [
      'de',
      'Passwort vergessen?',
      'Neues Passwort wählen',
      'Dieser Link ist nicht mehr gültig. Fordere einen neuen an.',
    ],
    [
      'es',
      '¿Olvidaste tu contraseña?',
      'Elige una contraseña nueva',
      'Este enlace ya no es válido. Pide uno nuevo.',
    ],
    [
      'fr',
      'Mot de passe oublié ?',
      'Choisissez un nouveau mot de passe',
      'Ce lien n’est plus valable. Demandez-en un nouveau.',
    ],
    [
      'it',
      'Password dimenticata?',
      'Scegli una nuova password',
      'Questo link non è più valido. Chiedine uno nuovo.',
    ],
    [
      'nl',
      'Wachtwoord vergeten?',
      'Kies een nieuw wachtwoord',
      'Deze link is niet meer geldig. Vraag een nieuwe aan.',
    ],
  ])('is reset in %s', async (locale, forgotten, chosen, refused) => {
    const visitor = await site.visitor({ ofAge: true, language: locale });
    const forgot = await openPage(site, visitor, '/forgot-password', { locale });
    await forgot.find('heading', forgotten);
    const page = await openPage(site, visitor, '/reset-password?name=ada&token=over', { locale });
    await page.find('heading', chosen);
    const main = await page.find('main');
    const field = main.querySelector<HTMLInputElement>('input[name=next]');
    await page.fill(field?.labels?.[0]?.textContent ?? '', NEXT, { in: main });
    await page.click(main.querySelector<HTMLElement>('button[type=submit]') ?? main);
    await page.sees(refused);
  });
});
