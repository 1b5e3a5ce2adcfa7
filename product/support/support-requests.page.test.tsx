import { DAY_MS } from '#platform/time/units.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeRequest, contactSupport, listRequests } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test(
  'a guest finds support at the foot of the page, and an admin reads and closes what was asked [A-043]',
  async () => {
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/');
    await page.press('Support', { role: 'link', in: await page.find('contentinfo') });
    const form = await page.find('main');
    await page.find('heading', 'Support', { level: 1 });
    expect([page.path, await page.problems()]).toEqual(['/support', []]);
    await page.choose('What is it about?', 'A payment or tokens', { in: form });
    await page.fill('Your message', 'Paid twice\nfor one package', { in: form });
    await page.press('Send message', { in: form });
    // The address is missing, and what was typed stays.
    await page.until(() => expect(page.focused?.getAttribute('name')).toBe('email'));
    expect(await page.field('Your message')).toHaveProperty('value', 'Paid twice\nfor one package');
    await page.fill('Email address', 'guest@people.example', { in: form });
    await page.press('Send message', { in: form });
    await page.sees('Your message is with support. We’ll answer by email.');
    const back = await openPage(site, await site.admin(), '/admin/support');
    await back.sees(/^Guest · A payment or tokens$/u);
    await back.sees(/^Paid twice\s+for one package$/u);
    expect(await back.find('link', 'Answer by email')).toHaveProperty(
      'href',
      expect.stringMatching(/^mailto:guest(?:@|%40)people\.example$/u),
    );
    expect(await back.problems()).toEqual([]);
    await back.press(/^Close request \d+$/u);
    await back.sees('No requests are waiting for an answer.');
  },
);

test('a member is answered at the address of the account, and has five open requests at most', async () => {
  const viewer = await site.viewer();
  const other = await site.viewer();
  const admin = await site.admin();
  const message = 'I would like another name.';
  const asked = { topic: 'account', message, email: 'else@where.example' } as const;
  const ids: number[] = [];
  for (let sent = 0; sent < 5; sent += 1) {
    const tab = await site.anotherTabOf(viewer, { address: `127.9.0.${sent + 1}` });
    ids.push((await tab.call(contactSupport, asked)).id);
  }
  const full = await site.anotherTabOf(viewer, { address: '127.9.0.9' });
  expect((await full.refused(contactSupport, asked)).errorType).toBe('too_many_requests');
  const { requests } = await admin.call(listRequests, {});
  expect(requests.filter(({ username }) => username === viewer.username)).toHaveLength(5);
  expect(requests[0]).toMatchObject({ username: viewer.username, topic: 'account', closed_at: null });
  expect(requests[0]?.email).not.toBe('else@where.example');
  for (const visitor of [await site.visitor({ ofAge: true }), other, await site.performer()]) {
    const list = await visitor.request({ url: '/api/v1/admin/support' });
    const url = `/api/v1/admin/support/${ids[0] ?? 0}/close`;
    const close = await visitor.request({ method: 'POST', url });
    expect([list.statusCode, close.statusCode].every((status) => [401, 403].includes(status))).toBe(true);
  }
  const [first = 0] = ids;
  const closed = await admin.call(closeRequest, { id: first });
  expect(closed.closed_at).not.toBeNull();
  expect((await admin.call(listRequests, { closed: true })).requests.map(({ id }) => id)).toContain(first);
  expect((await admin.refused(closeRequest, { id: 1_000_000 })).errorType).toBe('no_such_request');
  await site.passes(181 * 86_400_000);
  await (await site.viewer()).call(contactSupport, asked);
  expect((await (await site.admin()).call(listRequests, { closed: true })).requests).toEqual([]);
});

test('a guest who names no address is refused, and so is a sixth request of one address', async () => {
  const guest = await site.visitor({ ofAge: true, address: '127.9.1.7' });
  const asked = { topic: 'other', message: 'Is anybody there?' } as const;
  expect((await guest.refused(contactSupport, asked)).errorType).toBe('email_missing');
  for (let sent = 0; sent < 4; sent += 1) {
    await guest.call(contactSupport, { ...asked, email: 'guest@people.example' });
  }
  const { statusCode } = await guest.request({
    method: 'POST',
    url: '/api/v1/support/requests',
    payload: { ...asked, email: 'guest@people.example' },
  });
  expect(statusCode).toBe(429);
});

test('a suspended account leads to its page with the day and support [A-053, A-444]', async () => {
  const viewer = await site.viewer();
  const office = await openPage(site, await site.admin(), '/admin');
  await office.press('Accounts', { role: 'link', in: await office.find('navigation', 'Back office') });
  await office.fill('Name, email or id', viewer.username.slice(1));
  await office.press('Find account');
  await office.press(`@${viewer.username}`, { role: 'link' });
  await office.press('Suspend account');
  const dialog = await office.find('dialog', `Suspend ${viewer.username}?`);
  await office.choose('What the person is told', 'There’s a problem with a payment.', { in: dialog });
  await office.fill(/^In your words/u, 'Pay at https://pay.example first.', { in: dialog });
  await office.fill('Reason', 'Chargebacks, ticket 12', { in: dialog });
  expect(await office.problems()).toEqual([]);
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })
    .format(site.clock.now());
  await office.press('Suspend account', { in: dialog });
  await office.sees(`${viewer.username} is suspended`);
  await office.find('button', 'Lift suspension');
  // The page must show the day of the suspension, not the current one.
  await site.passes(40 * DAY_MS);
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/login');
  const form = await page.find('main');
  await page.fill('Username or email', viewer.username, { in: form });
  await page.fill('Password', 'not-the-password', { in: form });
  await page.press('Log in', { in: form });
  await page.sees('Wrong name or password. Try again.');
  await page.fill('Password', 'correct horse battery', { in: form });
  await page.press('Log in', { in: form });
  await page.find('heading', 'Account suspended', { level: 1 });
  expect(page.path).toBe('/account/suspended');
  await page.sees(`Your account has been suspended since ${day}.`);
  // The cause, and the message that staff typed, never as a link. The reason is only in the audit log.
  await page.sees('There’s a problem with a payment.');
  await page.sees('Pay at https://pay.example first.');
  expect([page.all('link', /pay\.example/u), page.shows(/ticket 12/u)]).toEqual([[], false]);
  expect(await page.problems()).toEqual([]);
  await page.press('Contact support', { role: 'link' });
  await page.find('heading', 'Support', { level: 1 });
});
