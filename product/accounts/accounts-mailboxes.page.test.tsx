import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { register } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('sign-up says beside the address that it is of a throwaway mailbox, or of a full one', async () => {
  await site.tx((tx) => site.services.site.configure(tx, { limitMailboxes: true }, null));
  for (const at of [1, 2, 3]) {
    await (await site.visitor()).call(register, {
      username: `one-of-${at}`,
      email: `jo+${at}@people.example`,
      password: 'a horse of another colour',
      birth_date: '1990-05-05',
      type: 'user',
      accept_terms: true,
    });
  }
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/', { mayPrint: /4\d\d/u });
  await page.click(await page.find('link', 'Sign up', { in: await page.find('banner') }));
  await page.fill('Username', 'passing-by');
  await page.fill('Email', 'jo@mailinator.com');
  await page.fill('Password', 'a horse of another colour');
  for (const [part, value] of [['Year', '1990'], ['Month', 'May'], ['Day', '5']] as const) {
    await page.choose(part, value);
  }
  await page.click(await page.find('checkbox'));
  await page.press('Sign up', { in: await page.find('main') });
  const saysBeside = async (text: string) => {
    await page.sees(text);
    const field = await page.field('Email');
    const described = (field.getAttribute('aria-describedby') ?? '').split(' ')
      .map((id) => field.ownerDocument.getElementById(id)?.textContent ?? '');
    expect(described.join(' ')).toContain(text);
    expect(field.getAttribute('aria-invalid')).toBe('true');
  };
  await saysBeside('This address only lasts a short while. Use one that you keep.');
  expect(await page.problems()).toEqual([]);
  await page.fill('Email', 'jo+4@people.example');
  await page.press('Sign up', { in: await page.find('main') });
  await saysBeside('This mailbox has as many accounts as it can have. Use another address.');
});
