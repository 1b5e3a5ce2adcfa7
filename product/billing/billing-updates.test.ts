import { tokenUpdate } from '#product/ledger/contract.ts';
import { PAYOUT } from '#product/ledger/rules/kinds.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import { of, operation, operatorLeg, tokensOf } from '#product/testkit/payments/wallet.ts';
import { expect, it } from 'vitest';

const shop = await openShop();
const { site } = shop;

it('says a purchase with name, balance, change, membership and type [C-328, C-340]', async () => {
  const member = await site.viewer();
  const tab = await site.socketOf(member);
  await shop.buys(member, 'membership_vip');
  const bought = await tab.waitFor(tokenUpdate, ({ membership }) => membership === 'vip');
  expect(bought).toMatchObject({ username: member.username, membership: 'vip' });
  const before = await tokensOf(member);
  await shop.buys(member, '1_200');
  await tab.waitFor(tokenUpdate, ({ token_change: change }) => change === 200);
  expect(tab.events.filter(({ name }) => name === 'v3.token.update').at(-1)?.payload).toMatchObject({
    username: member.username,
    tokens: before + 200,
    token_change: 200,
    membership: 'vip',
    type: 'purchase_tokens',
  });
});

it('a change of the balance is sent to every socket of its person, with its type [C-328]', async () => {
  const performer = await site.performer({ live: true });
  const member = await site.viewer();
  const tabs = [
    await site.socketOf(member),
    await site.socketOf(await site.anotherTabOf(member)),
    await member.joins(performer),
  ];
  const stranger = await site.socketOf(await site.viewer());
  await shop.buys(member, '1_200');
  await member.tips(performer, 40);
  await shop.settle();
  const same = { username: member.username, membership: null, pmIsEnabled: true };
  for (const tab of tabs) {
    await tab.waitFor(tokenUpdate, ({ type }) => type === 'tip');
    const updates = tab.events.filter(({ name }) => name === 'v3.token.update');
    expect(updates.map(({ payload }) => payload)).toEqual([
      { ...same, tokens: 200, token_change: 200, type: 'purchase_tokens' },
      { ...same, tokens: 160, token_change: -40, type: 'tip' },
    ]);
  }
  expect(stranger.received(tokenUpdate)).toEqual([]);
});

it('tokens that are paid out have a type of their own', async () => {
  const member = await site.viewer({ tokens: 200 });
  const tab = await site.socketOf(member);
  await site.tx((tx) =>
    site.services.ledger.post(tx, [operation(PAYOUT, [
      of(member.id, 'tokens', -40),
      operatorLeg('float', 40),
    ], { spends: false })])
  );
  await shop.settle();
  expect(await tab.waitFor(tokenUpdate, ({ type }) => type === 'payout')).toEqual({
    username: member.username,
    membership: null,
    tokens: 160,
    token_change: -40,
    type: 'payout',
    pmIsEnabled: true,
  });
});
