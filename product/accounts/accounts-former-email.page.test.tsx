import { DAY_MS } from '#platform/time/units.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { lastMessageTo } from '#product/testkit/store/stored-people.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confirmEmail, getAuthState, login } from './contract.ts';
import { changeEmail } from './contract/life/email.ts';
import { restoreEmail } from './contract/life/former-email.ts';

const NEXT = 'eleven blue tortoises';
const HAS_USED = 'This link was used already, or the link to an earlier address was.';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Path and query of the link in the newest email to an address. */
const linkTo = async (address: string): Promise<string> =>
  /https?:\/\/[^/]+(\/\S+)/u.exec(await site.tx((tx) => lastMessageTo(tx, address)))?.[1] ?? '';
/** Somebody whose address an intruder in the account has changed and confirmed. */
async function robbed(): Promise<{ owner: Member; intruder: Member; link: string }> {
  const owner = await site.viewer();
  const intruder = await site.memberOf(owner.username);
  const email = `evil-${owner.id}@mail.example`;
  await intruder.call(changeEmail, { email });
  const token = /token=(\S+)/u.exec(await linkTo(email))?.[1] ?? '';
  await intruder.call(confirmEmail, { token });
  return { owner, intruder, link: await linkTo(owner.person.email) };
}

describe('the link in the mail about a changed address', () => {
  test('puts it back with a press, and the next mail leads to a new password', async () => {
    const { owner: { username, person: { email } }, intruder, link } = await robbed();
    expect(link).toMatch(/^\/restore-email\?token=/u);
    const guest = await site.visitor({ ofAge: true });
    const page = await openPage(site, guest, link, { width: 390 });
    await page.find('heading', 'Put your email address back');
    await page.sees(`v•••@p••• becomes the address of the account ${username} again.`);
    await page.sees(/^Everyone who’s logged in to it is logged out, and its password no longer works\./u);
    expect(await page.problems()).toEqual([]);
    expect((await intruder.call(getAuthState, {})).authenticated).toBe(true);
    await page.press('Put this address back');
    await page.sees(new RegExp(`^v•••@p••• is the address of the account ${username} again\\.`, 'u'));
    expect(page.shows(/^Another account has confirmed this address/u)).toBe(false);
    expect(await page.problems()).toEqual([]);
    expect((await intruder.call(getAuthState, {})).authenticated).toBe(false);

    const reset = await openPage(site, guest, await linkTo(email));
    await reset.fill('New password', NEXT);
    await reset.press('Set password');
    await reset.sees('Your new password is set.');
    await guest.call(login, { login: email, password: NEXT });
  });

  test('says that it was used or is over, and leads to a new password all the same', async () => {
    const { link } = await robbed();
    const guest = await site.visitor({ ofAge: true });
    const page = await openPage(site, guest, link);
    await page.find('button', 'Put this address back');
    // The link is used in another tab, or on another device.
    await guest.call(restoreEmail, { token: /token=(\S+)/u.exec(link)?.[1] ?? '' });
    await page.press('Put this address back');
    await page.sees(HAS_USED);
    const used = await openPage(site, guest, link);
    await used.sees(HAS_USED);
    expect(used.all('button', 'Put this address back')).toEqual([]);
    await used.click(await used.find('link', 'Request a new link'));
    await used.until(() => expect(used.path).toBe('/forgot-password'));

    const { link: old } = await robbed();
    site.clock.advance(30 * DAY_MS);
    const over = await openPage(site, await site.visitor({ ofAge: true }), old);
    await over.sees('This link is no longer valid. It works for 30 days after the change.');
    expect(over.all('button', 'Put this address back')).toEqual([]);
  });

  test('says that another account has the address meanwhile', async () => {
    const { owner: { person: { email } }, link } = await robbed();
    const other = await site.viewer();
    await other.call(changeEmail, { email });
    const token = /token=(\S+)/u.exec(await linkTo(email))?.[1] ?? '';
    await other.call(confirmEmail, { token });
    const page = await openPage(site, await site.visitor({ ofAge: true }), link);
    await page.press('Put this address back');
    await page.sees(/^Another account has confirmed this address meanwhile\./u);
  });

  test.each([
    [
      'de',
      'E-Mail-Adresse wieder einsetzen',
      'Diese Adresse wieder einsetzen',
      /ist wieder die Adresse des Kontos/u,
    ],
    [
      'es',
      'Recupera tu dirección de correo',
      'Recuperar esta dirección',
      /vuelve a ser la dirección de la cuenta/u,
    ],
    ['fr', 'Rétablir votre adresse e-mail', 'Rétablir cette adresse', /est de nouveau l’adresse du compte/u],
    [
      'it',
      'Ripristina il tuo indirizzo e-mail',
      'Ripristina questo indirizzo',
      /è di nuovo l’indirizzo dell’account/u,
    ],
    ['nl', 'Zet je e-mailadres terug', 'Dit adres terugzetten', /is weer het adres van het account/u],
  ])('is followed in %s', async (locale, title, button, done) => {
    const { link } = await robbed();
    const visitor = await site.visitor({ ofAge: true, language: locale });
    const page = await openPage(site, visitor, link, { locale });
    await page.find('heading', title);
    await page.press(button);
    await page.sees(done);
  });
});
