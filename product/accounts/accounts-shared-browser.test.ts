import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { login, logout } from './contract.ts';
import { linkAccount, switchAccount } from './contract/life/linked.ts';

const PASSWORD = 'correct horse battery';
/** Failed log-ins allowed in a window. */
const OF_AN_ACCOUNT = 10;
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** How many new-device emails somebody got. */
const newDevicesOf = ({ person }: Member): Promise<number> =>
  site.tx(async (tx) =>
    (await sql`select 1 from notices.outbox where recipient = ${person.email}
    and kind = 'accounts:mails.newDevice'`.execute(tx.sql())).rows.length
  );

it.each([
  { how: 'a log-in', linked: false },
  { how: 'a switch between linked accounts', linked: true },
])('a browser that became another person’s by $how is not the first one’s any more', async ({ linked }) => {
  const [first, second] = [await site.viewer(), await site.viewer()];
  const enters = async (who: Visitor, { username }: Member): Promise<void> => {
    await who.call(login, { login: username, password: PASSWORD });
    await who.opens();
  };
  if (linked) await first.call(linkAccount, { login: second.username, password: PASSWORD });
  const browser = await site.visitor();
  await enters(browser, first);
  if (linked) await browser.call(switchAccount, { username: second.username });
  else {
    await browser.call(logout, {});
    await browser.opens();
    await enters(browser, second);
  }
  await browser.opens();
  await browser.call(logout, {});
  await browser.opens();
  for (let count = 0; count < OF_AN_ACCOUNT; count += 1) {
    const guess = { login: first.username, password: `not the right one ${count}` };
    expect((await (await site.visitor()).refused(login, guess)).errorType).toBe('bad_credentials');
  }
  expect((await browser.refused(login, { login: first.username, password: PASSWORD })).errorType)
    .toBe('login_locked');
  await site.settle();
  const mailsBefore = await newDevicesOf(second);
  await enters(browser, second);
  await site.settle();
  expect(await newDevicesOf(second)).toBe(mailsBefore);
  // The email is sent at all: an unknown browser causes one.
  await enters(await site.visitor(), second);
  await site.settle();
  expect(await newDevicesOf(second)).toBe(mailsBefore + 1);
});
