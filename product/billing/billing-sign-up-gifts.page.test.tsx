import { confirmEmail, register } from '#product/accounts/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { lastMessageTo } from '#product/testkit/store/stored-people.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeBillingRules, createPromoCode, getBillingRules } from './contract/operator.ts';

const reason = 'a test of free tokens';
let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

async function signsUp(username: string, host = 'localhost'): Promise<Visitor> {
  const visitor = await site.visitor({ ofAge: true, host });
  await visitor.call(register, {
    username,
    email: `${username}@gift.example`,
    password: 'a horse of another colour',
    birth_date: '1990-05-05',
    type: 'user',
    accept_terms: true,
  });
  await visitor.opens();
  await site.settle();
  return visitor;
}
const WARNING = 'You have 25 free tokens on hold. Verify your email to unlock them.';

test('who signs up for free tokens an admin offers is warned until they verify [A-088, A-445]', async () => {
  const before = await signsUp('hold-before');
  const office = await openPage(site, admin, '/admin/products');
  await office.fill('Free tokens at sign-up', '25');
  const form = (await office.field('Free tokens at sign-up')).closest('form') as HTMLElement;
  await office.fill('Reason', reason, { in: form });
  await office.press('Save', { in: form });
  await office.sees('Saved');
  expect((await admin.call(getBillingRules, {})).sign_up_tokens).toBe(25);
  const visitor = await signsUp('hold-one');
  const page = await openPage(site, visitor, '/');
  const notice = await page.find('region', 'Free tokens on hold');
  await page.sees(WARNING, { in: notice });
  await page.press('Confirm email', { in: notice });
  const modal = await page.find('dialog', 'Confirm your email address');
  await page.sees(/We’ve sent a link to hold-one@gift\.example\./u, { in: modal });
  expect(await page.problems()).toEqual([]);
  await page.press('Close', { in: modal });
  // Confirming in another browser updates the open page.
  const mail = await site.tx((tx) => lastMessageTo(tx, 'hold-one@gift.example'));
  await (await site.visitor()).call(confirmEmail, { token: /token=(\S+)/u.exec(mail)?.[1] ?? '' });
  await page.gone('region', 'Free tokens on hold');
  expect(page.shows(WARNING)).toBe(false);
  // Neither members without a promised gift nor verified ones see the warning.
  const other = await openPage(site, before, '/');
  await other.find('main');
  expect(other.all('region', 'Free tokens on hold')).toEqual([]);
});

test('the warning of free tokens on hold stands on the vr site, which has no header [A-334]', async () => {
  await admin.call(changeBillingRules, { sign_up_tokens: 25, reason });
  const host = 'vr.lagoon.example';
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Lagoon VR',
    sitecode: 'vr',
    hosts: [host],
    isWhitelabel: false,
    mainDomainUrl: `https://${host}`,
  });
  const page = await openPage(site, await signsUp('hold-vr', host), '/girls', { host });
  await page.sees(WARNING, { in: await page.find('region', 'Free tokens on hold') });
  expect([page.all('banner'), page.all('contentinfo')]).toEqual([[], []]);
});

test('a promo code asks who has not confirmed their address to do so [A-088]', async () => {
  await site.tx((tx) => site.services.billing.configure(tx, { switches: { promos: true } }, null));
  await admin.call(changeBillingRules, { sign_up_tokens: 0, reason });
  await admin.call(createPromoCode, {
    code: 'GIFT_ME',
    tokens: 10,
    ends_at: null,
    max_uses: null,
    reason,
  });
  const visitor = await signsUp('code-one');
  const page = await openPage(site, visitor, '/account/tokens');
  await page.fill('Promo code', 'GIFT_ME');
  await page.press('Redeem');
  const modal = await page.find('dialog', 'Confirm your email address');
  await page.sees(/We’ve sent a link to code-one@gift\.example\. Open it within 7 days/u, { in: modal });
  await page.find('button', 'Resend email', { in: modal });
  expect(await page.problems()).toEqual([]);
});
