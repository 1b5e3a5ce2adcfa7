import { confirmEmail, register } from '#product/accounts/contract.ts';
import { changeBillingRules } from '#product/billing/contract/operator.ts';
import { redeemPromoCode } from '#product/billing/contract/promos.ts';
import { changeMoneyRules, getBalance, getMoneyRules } from '#product/ledger/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import { key } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { expect, it } from 'vitest';
import { sendTip } from './contract.ts';

/** Free tokens of many accounts do not become earnings of one performer. */

const shop = await openShop();
const { site } = shop;
const admin = await site.admin();
const reason = 'a promotion of the spring';
await admin.call(changeBillingRules, { switches: [{ name: 'promos', on: true }], reason });

/** Signs up in a separate network, confirms the address by the link in the email, and takes free tokens. */
async function farmer(nth: number): Promise<Visitor> {
  const visitor = await site.visitor({ ofAge: true, address: `2001:db8:${nth + 10}::1`, region: 'CA' });
  const email = `ring${nth}@farm.example`;
  await visitor.call(register, {
    username: `ring${nth}`,
    email,
    password: 'a horse of another colour',
    birth_date: '1990-05-05',
    type: 'user',
    accept_terms: true,
  });
  await visitor.opens();
  const mail = (await admin.call(listOutbox, {})).mails.find(({ to }) => to === email);
  await visitor.call(confirmEmail, { token: /token=(\S+)/u.exec(mail?.text ?? '')?.[1] ?? '' });
  expect((await visitor.call(redeemPromoCode, { code: 'FREE_TOKENS' })).tokens).toBe(100);
  return visitor;
}

const tips = (from: Visitor, { username }: Member, amount: number) =>
  from.call(sendTip, { username, amount }, key());

it(
  'free tokens of eleven accounts pay one performer 1,000 a day, and an operator can lower that',
  async () => {
    const { marketing_booked_cents: _booked, ...rules } = await admin.call(getMoneyRules, {});
    const [performer, other] = [await site.performer({ live: true }), await site.performer({ live: true })];
    for (let nth = 0; nth < 10; nth += 1) await tips(await farmer(nth), performer, 100);
    const last = await farmer(10);
    expect(await last.refused(sendTip, { username: performer.username, amount: 1 }, key())).toMatchObject({
      status: 429,
      errorType: 'performer_cap',
      message: 'This performer can’t take more free tokens today. Buy tokens, or try again tomorrow.',
    });
    expect((await last.call(getBalance, {})).tokens).toBe(100);
    await tips(last, other, 40);
    await admin.call(changeMoneyRules, { ...rules, performer_cap_cents: 200, reason });
    expect((await last.refused(sendTip, { username: other.username, amount: 1 }, key())).errorType)
      .toBe('performer_cap');
    await admin.call(changeMoneyRules, { ...rules, reason });
    await tips(last, other, 60);
  },
);
