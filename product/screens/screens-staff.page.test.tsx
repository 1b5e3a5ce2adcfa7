import { confirmEmail, getCurrentUser, register } from '#product/accounts/contract.ts';
import { getPerson, suspendPerson } from '#product/accounts/contract/life/people.ts';
import { addPasskey, beginPasskey } from '#product/accounts/contract/passkeys.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { Authenticator } from '#product/testkit/passkey-authenticator.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const PASSWORD = 'correct horse battery';
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SAFARI = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15'
  + ' (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
let shop: Shop;
let site: TestSite;
beforeAll(async () => {
  shop = await createShop();
  ({ site } = shop);
});
afterAll(() => shop.close());

test(
  'whoever opens the link of a new site becomes its first admin by a press, and no link does it twice',
  async () => {
    const fresh = await createSite({ settings: { needsAdmin: true } });
    onTestFinished(() => fresh.close());
    const [owner, late] = [await fresh.viewer(), await fresh.viewer()];
    const token = await fresh.tx((tx) => fresh.services.accounts.firstAdminToken(tx));
    const path = `/admin/first-admin?token=${token}`;
    const page = await openPage(fresh, owner, path, { width: 390 });
    await page.sees(new RegExp(`makes @${owner.username} the first one`, 'u'));
    // Opening the dialog is not enough.
    const rolesOf = async ({ id }: Member) =>
      (await fresh.tx((tx) => fresh.services.accounts.findById(tx, id)))?.roles;
    expect(await rolesOf(owner)).toEqual([]);
    await page.press('Make me the admin');
    await page.sees('You’re an admin of this site now.');
    expect(await rolesOf(owner)).toEqual(['super_admin']);
    await page.find('link', 'Set it up');
    expect(await page.problems()).toEqual([]);
    const again = await openPage(fresh, late, path);
    await again.press('Make me the admin');
    await again.find('alert');
    expect(await rolesOf(late)).toEqual([]);
  },
);

test('an admin finds somebody by a part of their name, gives them a role and takes it again', async () => {
  const [chief, person] = [await site.viewer({ roles: ['super_admin'] }), await site.viewer()];
  const { username } = person;
  const page = await openPage(site, chief, '/admin/people', { width: 390 });
  await page.fill('Name, email or id', username.slice(0, -1));
  await page.press('Find account');
  await page.press(`@${username}`, { role: 'link', in: await page.find('list', 'Accounts found') });
  const rolesOf = async () => (await chief.call(getPerson, { username })).roles;
  for (const [verb, roles] of [['Give', ['site_mod']], ['Take', []]] as const) {
    await page.press(`${verb} role: Site moderator`);
    const dialog = await page.find('dialog', new RegExp(`^${verb} .*role.*\\?$`, 'u'));
    await page.fill('Reason', 'ticket 14', { in: dialog });
    await page.press(`${verb} role`, { in: dialog });
    await page.gone('dialog');
    await page.sees(`Roles of ${username} saved`);
    // The toast may be that of the previous role.
    await expect.poll(rolesOf).toEqual(roles);
  }
  expect(await page.problems()).toEqual([]);
});

test('a suspension says why to the admin and to the person who tries to log in, and is lifted', async () => {
  const [admin, person] = [await site.admin(), await site.viewer()];
  const { username } = person;
  const page = await openPage(site, admin, `/admin/people?username=${username}`);
  await page.press('Suspend account');
  const dialog = await page.find('dialog', `Suspend ${username}?`);
  await page.choose('What the person is told', 'It was used to mistreat others.', { in: dialog });
  await page.fill('In your words (optional)', 'See you in May.', { in: dialog });
  await page.fill('Reason', 'ticket 15', { in: dialog });
  await page.press('Suspend account', { in: dialog });
  await page.sees(`${username} is suspended`);
  await page.sees('It was used to mistreat others.');
  const browser = await openPage(site, await site.visitor({ ofAge: true }), '/login');
  await browser.fill('Username or email', username);
  await browser.fill('Password', PASSWORD);
  await browser.press('Log in', { in: await browser.find('main') });
  await browser.find('heading', 'Account suspended');
  for (const text of ['It was used to mistreat others.', 'See you in May.']) await browser.sees(text);
  // Notes that staff wrote for themselves stay with staff.
  expect(browser.shows('ticket 15')).toBe(false);
  expect(await browser.problems()).toEqual([]);
  const again = await openPage(site, admin, `/admin/people?username=${username}`);
  await again.press('Lift suspension');
  const question = await again.find('dialog', `Lift the suspension of ${username}?`);
  await again.fill('Reason', 'ticket 16', { in: question });
  await again.press('Lift suspension', { in: question });
  await again.sees(`${username} can log in again`);
  await person.opens();
  await person.logsIn();
});

test('the cause of a suspension is changed by a button, and the person reads the new one', async () => {
  const [admin, person] = [await site.admin(), await site.viewer()];
  const { username } = person;
  await admin.call(suspendPerson, {
    username,
    suspended: true,
    cause: 'conduct',
    message: 'See you in May.',
    reason: 'ticket 17',
  });
  const { suspended_at: day } = await admin.call(getPerson, { username });
  const page = await openPage(site, admin, `/admin/people?username=${username}`, { width: 390 });
  await page.press('Change what they are told');
  const dialog = await page.find('dialog', `Change what ${username} is told?`);
  // The current text is there to be edited.
  expect((await page.field('In your words (optional)', { in: dialog })).textContent).toBe('See you in May.');
  await page.choose('What the person is told', 'There’s a problem with a payment.', { in: dialog });
  await page.fill('In your words (optional)', 'Write to us.', { in: dialog });
  await page.fill('Reason', 'ticket 18', { in: dialog });
  await page.press('Change what they are told', { in: dialog });
  await page.sees(`What ${username} is told has changed`);
  await page.sees('There’s a problem with a payment.');
  expect(await page.problems()).toEqual([]);
  page.leave();
  expect(await admin.call(getPerson, { username })).toMatchObject({
    suspended_at: day,
    suspension_cause: 'payment',
    suspension_message: 'Write to us.',
  });
  const browser = await openPage(site, await site.visitor({ ofAge: true }), '/login');
  await browser.fill('Username or email', username);
  await browser.fill('Password', PASSWORD);
  await browser.press('Log in', { in: await browser.find('main') });
  await browser.find('heading', 'Account suspended');
  for (const text of ['There’s a problem with a payment.', 'Write to us.']) await browser.sees(text);
  for (const text of ['It was used to mistreat others.', 'See you in May.', 'ticket 18']) {
    expect(browser.shows(text)).toBe(false);
  }
});

test('a change of what a suspended person reads suspends nobody once it was lifted', async () => {
  const [admin, other, person] = [await site.admin(), await site.admin(), await site.viewer()];
  const { username } = person;
  await admin.call(suspendPerson, { username, suspended: true, cause: 'conduct', reason: 'ticket 17' });
  const page = await openPage(site, admin, `/admin/people?username=${username}`);
  await page.press('Change what they are told');
  const dialog = await page.find('dialog', `Change what ${username} is told?`);
  await other.call(suspendPerson, { username, suspended: false, reason: 'ticket 18' });
  await page.choose('What the person is told', 'There’s a problem with a payment.', { in: dialog });
  await page.fill('Reason', 'ticket 19', { in: dialog });
  await page.press('Change what they are told', { in: dialog });
  await page.sees('The suspension was lifted meanwhile. Look the account up again.');
  expect((await admin.call(getPerson, { username })).suspended_at).toBeNull();
});

test('an admin finds a buyer by part of a name, sees what is theirs alone, and refunds it', async () => {
  const [admin, buyer, other] = [await site.admin(), await site.viewer(), await site.viewer()];
  const performer = await site.performer({ live: true });
  await shop.buys(buyer, '1_100');
  await shop.buys(other, '1_50');
  await buyer.tips(performer, 25);
  await site.anotherTabOf(buyer, { userAgent: FIREFOX });
  await site.anotherTabOf(admin, { userAgent: SAFARI });
  const page = await openPage(site, admin, '/admin/people');
  await page.fill('Name, email or id', buyer.username.slice(0, -1));
  await page.press('Find account');
  await page.press(`@${buyer.username}`, { role: 'link', in: await page.find('list', 'Accounts found') });
  const table = await page.find('table', 'Payments');
  const rows = page.all('row', undefined, { in: table }).slice(1).map(({ textContent }) => textContent);
  expect(rows).toEqual([expect.stringMatching(new RegExp(`@${buyer.username}.*\\$10\\.00`, 'u'))]);
  const had = await page.find('region', 'Tokens');
  await page.until(() => expect(had.textContent).toContain('75 tokens'));
  expect(had.textContent).not.toContain('Earned');
  const done = await page.find('list', 'Operations');
  expect(page.all('heading', undefined, { in: done, level: 3 }).map(({ textContent }) => textContent))
    .toEqual(['Tip', 'Purchase']);
  const tip = page.all('listitem', undefined, { in: done })[0];
  expect(tip?.textContent).toContain(`@${performer.username}`);
  const sessions = await page.find('list', 'Sessions');
  expect(page.all('listitem', undefined, { in: sessions }).map(({ textContent }) => textContent))
    .toEqual([expect.stringContaining('Firefox'), expect.not.stringMatching(/Firefox|Safari/u)]);
  expect(page.shows(`@${other.username}`)).toBe(false);
  expect(await page.problems()).toEqual([]);
  await page.press(/Open order/u, { role: 'link', in: table });
  await page.press('Refund payment');
  const dialog = await page.find('dialog', `Refund $10.00 to ${buyer.username}?`);
  await page.fill('Reason', 'asked for it', { in: dialog });
  await page.press('Refund payment', { in: dialog });
  await page.sees('Payment refunded');
  const after = await openPage(site, admin, `/admin/people?username=${buyer.username}`);
  await after.sees('Refunded', { in: await after.find('table', 'Payments') });
  const earner = await openPage(site, admin, `/admin/people?username=${performer.username}`);
  const earned = await earner.find('region', 'Tokens');
  await earner.until(() => expect(earned.textContent).toMatch(/Earned.*25 tokens/u));
});

test('a payment is refunded after a question that names its biller and its tokens', async () => {
  const [admin, buyer] = [await site.admin(), await site.viewer()];
  const { orderId } = await shop.buys(buyer, '1_100');
  const page = await openPage(site, admin, `/admin/payments?order=${orderId}`);
  await page.press('Refund payment');
  const dialog = await page.find('dialog', `Refund $10.00 to ${buyer.username}?`);
  await page.sees(/^Return the money at .+ first: transaction \S+\.$/u, { in: dialog });
  await page.sees(/^Then 100 tokens are taken back here/u, { in: dialog });
  await page.fill('Reason', 'asked for it', { in: dialog });
  await page.press('Refund payment', { in: dialog });
  await page.sees('Payment refunded');
  expect((await buyer.call(getBalance, {})).tokens).toBe(0);
  await page.until(() => expect(page.all('button', 'Refund payment')).toEqual([]));
  expect(await page.problems()).toEqual([]);
});

test('a member becomes a performer under the name and with the tokens they have', async () => {
  const member = await site.viewer({ tokens: 300 });
  const page = await openPage(site, member, '/models/signup', { width: 390 });
  await page.sees(new RegExp(`become a performer as @${member.username}`, 'u'));
  await page.choose('Section you appear in', 'Men');
  await page.click(await page.field(/terms/iu));
  await page.press('Become a performer', { in: await page.find('main') });
  await page.until(async () => expect((await member.call(getCurrentUser, {})).user.type).toBe('model'));
  expect(await member.call(getCurrentUser, {})).toMatchObject({ user: { gender: 'm' }, tokens: 300 });
  expect(await page.problems()).toEqual([]);
});

test('a cleared performer prepares a broadcast once their address is confirmed, and not before', async () => {
  const [chief, performer] = [await site.admin(), await site.visitor({ ofAge: true })];
  await performer.call(register, {
    username: 'not_yet_proven',
    email: 'not_yet@people.example',
    password: 'velvet lantern 42',
    birth_date: '1990-01-31',
    type: 'model',
    gender: 'f',
    accept_terms: true,
  });
  await performer.opens();
  await site.settle();
  await chief.call(decideClearance, {
    username: 'not_yet_proven',
    decision: 'clear',
    reason: 'passport and release examined',
  });
  const page = await openPage(site, performer, '/go-live', { width: 390 });
  const main = await page.find('main');
  await page.find('heading', 'Go live', { level: 1 });
  await page.sees(/^Confirm your email address before you go live\./u, { in: main });
  await page.find('button', 'Confirm email', { in: main });
  expect(page.all('button', undefined, { in: main }).map(({ textContent }) => textContent))
    .toEqual(['Confirm email']);
  expect(page.all('textbox', undefined, { in: main })).toEqual([]);
  expect(await page.problems()).toEqual([]);
  await page.press('Confirm email', { in: main });
  await page.press('Resend email', { in: await page.find('dialog') });
  await page.sees('Verification email resent.');
  await site.settle();
  const { mails } = await chief.call(listOutbox, {});
  const mail = mails.find(({ to }) => to === 'not_yet@people.example');
  const token = /confirm-email\?token=(\S+)/u.exec(mail?.text ?? '')?.[1] ?? '';
  await performer.call(confirmEmail, { token });
  page.leave();
  const proven = await openPage(site, performer, '/go-live', { width: 390 });
  await proven.find('button', 'Turn on camera and microphone');
  expect(proven.shows(/^Confirm your email address/u)).toBe(false);
});

test(
  'whoever of the staff logs in without their passkey is led to a log-in with it, not to another passkey',
  async () => {
    const strict = await createSite({ settings: { staffNeedsSecondStep: true } });
    onTestFinished(() => strict.close());
    const admin = await strict.admin();
    const { ticket, options } = await admin.call(beginPasskey, { password: PASSWORD });
    const credential = new Authenticator().makes(options, 'http://localhost');
    await admin.call(addPasskey, { ticket, name: 'A key', credential });
    const page = await openPage(strict, await strict.anotherTabOf(admin), '/admin/people');
    await page.find('heading', 'Two-step log-in is required');
    await page.sees(/You logged in without your second step/u);
    await page.until(() => expect(page.all('button', 'Log in again').length).toBeGreaterThan(0));
    expect(page.all('link', 'Set it up')).toEqual([]);
  },
);

test('an admin resets the second step of staff who have lost it, with a reason', async () => {
  const [chief, owner] = [await site.viewer({ roles: ['super_admin'] }), await site.admin()];
  for (const one of [chief, owner]) {
    const { ticket, options } = await one.call(beginPasskey, { password: PASSWORD });
    const credential = new Authenticator().makes(options, 'http://localhost');
    await one.call(addPasskey, { ticket, name: 'A key', credential });
  }
  const { username } = owner;
  const own = await openPage(site, chief, `/admin/people?username=${chief.username}`);
  await own.sees(`@${chief.username}`);
  await own.idle();
  expect(own.all('button', 'Reset second step')).toEqual([]);
  const page = await openPage(site, chief, `/admin/people?username=${username}`, { width: 390 });
  await page.press('Reset second step');
  const dialog = await page.find('dialog', `Reset the second step of ${username}?`);
  await page.fill('Reason', 'ticket 18', { in: dialog });
  expect(await page.problems()).toEqual([]);
  await page.press('Reset second step', { in: dialog });
  await page.sees(`Second step of ${username} reset`);
  await page.until(() => expect(page.all('button', 'Reset second step')).toEqual([]));
  expect((await chief.call(getPerson, { username })).step_to_reset).toBeNull();
  expect(await page.problems()).toEqual([]);
});
