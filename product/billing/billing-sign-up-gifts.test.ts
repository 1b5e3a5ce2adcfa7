import { DAY_MS } from '#platform/time/units.ts';
import { confirmEmail, getCurrentUser, register } from '#product/accounts/contract.ts';
import { changeMoneyRules, getMoneyRules } from '#product/ledger/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { lastMessageTo } from '#product/testkit/store/stored-people.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBillingRules, getBillingRules } from './contract/operator.ts';

const reason = 'a test of free tokens';
let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
  await admin.call(changeBillingRules, { sign_up_tokens: 25, reason });
});
afterAll(() => site.close());

async function signsUp(username: string, type: 'user' | 'model' = 'user'): Promise<Visitor> {
  const visitor = await site.visitor();
  await visitor.call(register, {
    username,
    email: `${username}@gift.example`,
    password: 'a horse of another colour',
    birth_date: '1990-05-05',
    type,
    accept_terms: true,
  });
  await visitor.opens();
  await site.settle();
  return visitor;
}
const confirms = async (username: string): Promise<void> => {
  const mail = await site.tx((tx) => lastMessageTo(tx, `${username}@gift.example`));
  await (await site.visitor()).call(confirmEmail, { token: /token=(\S+)/u.exec(mail)?.[1] ?? '' });
  await site.settle();
};
const has = async (who: Visitor) => {
  const { user, tokens } = await who.call(getCurrentUser, {});
  return { held: user.free_tokens_on_hold, tokens };
};

describe('free tokens at sign-up', () => {
  it('are on hold until the address is confirmed, and given once', async () => {
    const visitor = await signsUp('gift-one');
    expect(await has(visitor)).toEqual({ held: 25, tokens: 0 });
    await confirms('gift-one');
    expect(await has(visitor)).toEqual({ held: 0, tokens: 25 });
    await confirms('gift-one');
    expect(await has(visitor)).toEqual({ held: 0, tokens: 25 });
  });

  it('are promised to no performer, and not to who signed up before', async () => {
    expect(await has(await signsUp('gift-star', 'model'))).toEqual({ held: 0, tokens: 0 });
    await admin.call(changeBillingRules, { sign_up_tokens: 0, reason });
    const before = await signsUp('gift-before');
    await admin.call(changeBillingRules, { sign_up_tokens: 25, reason });
    await confirms('gift-before');
    expect(await has(before)).toEqual({ held: 0, tokens: 0 });
  });

  it('stay what they were promised when the operator changes them', async () => {
    const visitor = await signsUp('gift-kept');
    await admin.call(changeBillingRules, { sign_up_tokens: 40, reason });
    await confirms('gift-kept');
    expect(await has(visitor)).toEqual({ held: 0, tokens: 25 });
    await admin.call(changeBillingRules, { sign_up_tokens: 25, reason });
  });

  it('wait while marketing may cost no more, and come the day after it may', async () => {
    const visitor = await signsUp('gift-late');
    const { marketing_booked_cents: booked, ...rules } = await admin.call(getMoneyRules, {});
    await admin.call(changeMoneyRules, { ...rules, marketing_cap_cents: booked, reason });
    await confirms('gift-late');
    expect(await has(visitor)).toEqual({ held: 25, tokens: 0 });
    await admin.call(changeMoneyRules, { ...rules, reason });
    await site.passes(DAY_MS);
    expect(await has(visitor)).toEqual({ held: 0, tokens: 25 });
  });

  it('are an operator\'s to set, within bounds', async () => {
    expect((await admin.call(getBillingRules, {})).sign_up_tokens).toBe(25);
    for (const wrong of [-1, 1_001, 2.5]) {
      expect((await admin.refused(changeBillingRules, { sign_up_tokens: wrong, reason })).status).toBe(422);
    }
    const viewer = await site.viewer();
    expect((await viewer.refused(changeBillingRules, { sign_up_tokens: 9, reason })).status).toBe(403);
  });
});
