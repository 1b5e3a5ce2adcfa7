import { DAY_MS } from '#platform/time/units.ts';
import { confirmEmail, register } from '#product/accounts/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import { key } from '#product/testkit/payments/wallet.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { changeBillingRules, getBillingRules } from './contract/operator.ts';
import { redeemPromoCode, spin } from './contract/promos.ts';

/** Accounts are free, so they must not be a way to collect free tokens. */

const shop = await openShop();
const { site } = shop;
const admin = await site.admin();
const reason = 'a promotion of the spring';
await admin.call(changeBillingRules, {
  switches: [{ name: 'promos', on: true }, { name: 'wheel', on: true }],
  reason,
});

const code = 'FREE_TOKENS';
const outcome = (visitor: Visitor) =>
  visitor.call(redeemPromoCode, { code })
    .then(({ tokens }) => tokens, ({ problem }: { problem: { errorType: string } }) => problem.errorType);

/** Signs up, and confirms the address by the link in the email. */
async function signsUp(username: string, { address, confirms = true }: {
  address?: string;
  confirms?: boolean;
} = {}): Promise<Visitor> {
  const visitor = await site.visitor({
    ofAge: true,
    ...(address === undefined ? {} : { address, region: 'CA' }),
  });
  const email = `${username}@farm.example`;
  await visitor.call(register, {
    username,
    email,
    password: 'a horse of another colour',
    birth_date: '1990-05-05',
    type: 'user',
    accept_terms: true,
  });
  await visitor.opens();
  if (!confirms) return visitor;
  const mail = (await admin.call(listOutbox, {})).mails.find(({ to }) => to === email);
  const token = /token=(\S+)/u.exec(mail?.text ?? '')?.[1] ?? '';
  await visitor.call(confirmEmail, { token });
  return visitor;
}

afterEach(async () => {
  await shop.passes(DAY_MS);
  await admin.logsIn();
});

describe('free tokens', () => {
  it('are refused to nineteen accounts that confirmed no address, by code and by wheel', async () => {
    for (let count = 0; count < 19; count += 1) {
      const farmer = await signsUp(`unproven${count}`, { confirms: false });
      expect(await outcome(farmer)).toBe('email_unconfirmed');
      expect((await farmer.refused(spin, {}, key())).errorType).toBe('email_unconfirmed');
      expect((await farmer.call(getBalance, {})).tokens).toBe(0);
    }
  });

  it('reach five of nineteen confirmed accounts in one IPv6 /64', async () => {
    const addressOf = (network: number, count: number): string =>
      `2001:db8:0:${network.toString(16)}::${(count + 1).toString(16)}`;
    const answers = [];
    for (let count = 0; count < 19; count += 1) {
      answers.push(await outcome(await signsUp(`farmer${count}`, { address: addressOf(1, count) })));
    }
    expect(answers).toEqual([...Array<number>(5).fill(100), ...Array<string>(14).fill('gift_limit')]);
    expect(await outcome(await signsUp('neighbour', { address: addressOf(2, 1) }))).toBe(100);
  });

  it('reach two accounts in one browser, whatever address it comes from', async () => {
    const first = await signsUp('browser0');
    expect(await outcome(first)).toBe(100);
    const device = first.cookie('promo_device') ?? '';
    expect(device).toMatch(/^[\w-]{16,}$/u);
    for (const [count, expected] of [[1, 100], [2, 'gift_limit'], [3, 'gift_limit']] as const) {
      const next = await signsUp(`browser${count}`);
      next.setCookie('promo_device', device);
      expect(await outcome(next)).toBe(expected);
    }
  });

  it('do not count a person twice: the code, and then the wheel', async () => {
    await admin.call(changeBillingRules, { gifts_per_address: 1, gifts_per_device: 1, reason });
    expect(await admin.call(getBillingRules, {}))
      .toMatchObject({ gifts_per_address: 1, gifts_per_device: 1 });
    const person = await signsUp('single');
    expect(await outcome(person)).toBe(100);
    expect((await person.call(spin, {}, key())).status).toBe(1);
    await admin.call(changeBillingRules, { gifts_per_address: 5, gifts_per_device: 2, reason });
  });
});
