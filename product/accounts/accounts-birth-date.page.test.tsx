import { DAY_MS } from '#platform/time/units.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { getCurrentUser } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Opens the sign-up of members from the header, or that of performers, and finds its date picker. */
async function opensPicker(path: '/register' | '/models/signup', where = site) {
  const visitor = await where.visitor({ ofAge: true });
  const page = await openPage(where, visitor, path === '/register' ? '/' : path);
  if (path === '/register') {
    await page.click(await page.find('link', 'Sign up', { in: await page.find('banner') }));
  }
  const picker = await page.find('group', 'Birth date');
  expect(page.path).toBe(path);
  const list = async (name: string) => await page.field(name, { in: picker }) as HTMLSelectElement;
  const values = async (name: string) =>
    [...(await list(name)).options].map(({ value }) => value).filter((value) => value !== '');
  const chooses = (name: string, option: string) => page.choose(name, option, { in: picker });
  return { page, visitor, picker, list, values, chooses };
}

describe.each(['/register', '/models/signup'] as const)('the birth date picker of %s', (path) => {
  test('offers years from 99 years ago to 18 years ago [A-290, A-456]', async () => {
    const later = await createSite();
    onTestFinished(() => later.close());
    await later.passes(365 * DAY_MS);
    // The clock of a test site starts in January 2026.
    for (const [where, first, last] of [[site, 1927, 2008], [later, 1928, 2009]] as const) {
      const { page, values } = await opensPicker(path, where);
      const years = (await values('Year')).map(Number);
      expect([Math.min(...years), Math.max(...years), years.length]).toEqual([first, last, 82]);
      expect(new Set(years).size).toBe(years.length);
      expect(await page.problems()).toEqual([]);
    }
  });

  test('offers as many days as the month has, in February by the year [A-291, A-292]', async () => {
    const { values, chooses, list } = await opensPicker(path);
    const days = async () => (await values('Day')).length;
    for (const [month, count] of [
      ['January', 31],
      ['March', 31],
      ['April', 30],
      ['May', 31],
      ['June', 30],
      ['July', 31],
      ['August', 31],
      ['September', 30],
      ['October', 31],
      ['November', 30],
      ['December', 31],
    ] as const) {
      await chooses('Month', month);
      expect([month, await days(), (await values('Day')).at(-1)]).toEqual([month, count, String(count)]);
    }
    await chooses('Month', 'February');
    for (const year of await values('Year')) {
      await chooses('Year', year);
      expect([year, await days()]).toEqual([year, Number(year) % 4 === 0 ? 29 : 28]);
    }
    // A day that the month lacks is deselected.
    await chooses('Month', 'January');
    await chooses('Day', '31');
    await chooses('Month', 'April');
    expect((await list('Day')).value).toBe('');
  });

  test('has a value only once day, month and year are all chosen [A-293]', async () => {
    const { picker, chooses } = await opensPicker(path);
    const value = () => (picker.querySelector('input[name="birth_date"]') as HTMLInputElement).value;
    const parts = [['Day', '28'], ['Month', 'February'], ['Year', '1990']] as const;
    expect(value()).toBe('');
    for (const left of parts) {
      // The first entry of a list is its label, which chooses nothing.
      for (const [name, option] of parts) await chooses(name, name === left[0] ? name : option);
      expect([left[0], value()]).toEqual([left[0], '']);
    }
    for (const [name, option] of parts) await chooses(name, option);
    expect(value()).toBe('1990-02-28');
    // A day that the month lacks is deselected.
    for (const [name, option] of [['Month', 'January'], ['Day', '31'], ['Month', 'April']] as const) {
      await chooses(name, option);
    }
    expect(value()).toBe('');
  });
});

test('a sign-up is sent only with a whole birth date, which the account then has', async () => {
  const { page, visitor, chooses } = await opensPicker('/register');
  await page.fill('Username', 'born-lately');
  await page.fill('Email', 'born@mail.example');
  await page.fill('Password', 'a horse of another colour');
  await page.press(/^I’m at least 18 years old/u, { role: 'checkbox' });
  await chooses('Day', '9');
  await chooses('Year', '1991');
  const asked = () => page.network.sent.filter((sent) => /\/auth\/register/u.test(sent)).length;
  const submit = async () => page.press('Sign up', { in: await page.find('main') });
  await submit();
  expect(asked()).toBe(0);
  await chooses('Month', 'March');
  await submit();
  await page.find('button', 'born-lately’s account');
  await visitor.opens();
  expect((await visitor.call(getCurrentUser, {})).user.birth_date).toBe('1991-03-09');
});
