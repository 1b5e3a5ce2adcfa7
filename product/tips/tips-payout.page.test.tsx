import { uuidV4 } from '#platform/data/ids.ts';
import { PAYOUT } from '#product/ledger/rules/kinds.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('tokens that are paid out show in a toast, and are gone from the balance', async () => {
  const performer = await site.performer({ tokens: 1_500 });
  const page = await openPage(site, performer, '/account/tokens');
  await page.find('heading', 'Tokens', { level: 1 });
  // The balance that arrives by the socket shows that the page is connected.
  await site.tx((tx) => site.services.ledger.grant(tx, performer.id, 7, 'a test', uuidV4()));
  // The history below still shows the earlier balance.
  const balanceIs = (amount: string): boolean =>
    page.shows(new RegExp(`^Your balance ${amount} tokens`, 'u'));
  await page.until(() => expect(balanceIs('1,507')).toBe(true));
  await site.tx((tx) =>
    site.services.ledger.post(tx, [{
      id: uuidV4(),
      kind: PAYOUT,
      memo: {},
      parameterHash: '',
      facts: [],
      spends: false,
      legs: [
        { account: { kind: 'person', personId: performer.id, book: 'tokens' }, tokens: -1_200 },
        { account: { kind: 'operator', name: 'float' }, tokens: 1_200 },
      ],
    }])
  );
  await page.sees('1,200 tokens removed for payout');
  await page.until(() => expect([balanceIs('1,507'), balanceIs('307')]).toEqual([false, true]));
});
