import { cardNumberFor } from '#platform/payments/simulators/checkout/test-cards.ts';
import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import { findsErrorToast } from '#product/testkit/pages/age-modal.ts';
import {
  BIRTH,
  CARD_REGION,
  comesToForm,
  fills,
  gateOf,
  NO_CHARGE,
  OFFER,
  opensForm,
  recordsTokenBodies,
  sentCards,
  SUBMIT,
  TYPED,
  VERIFIED,
} from '#product/testkit/pages/card-form-page.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import { describe, expect, test } from 'vitest';

const { site, shop } = await openAgeCheckedSite();
const tokenized = recordsTokenBodies();

describe('the card form', () => {
  test('is a modal that proves an age by card, and leads back [C-083, C-185]', async () => {
    const at = await comesToForm(site, { at: '/tags' });
    expect(await at.page.problems()).toEqual([]);
    expect(at.form.matches('dialog[open]')).toBe(true);
    expect(await gateOf(at)).toBe('verify');
    await fills(at);
    await at.page.sees(VERIFIED);
    expect(at.page.all('dialog')).toEqual([]);
    expect(await at.page.problems()).toEqual([]);
    await at.page.press('Continue', { role: 'link' });
    await at.page.until(() => expect(at.page.path).toBe('/tags'));
    expect(await gateOf(at)).toBe('open');
  });

  test('uses the digits of the number alone, for the token service alone [C-205, C-206]', async () => {
    const at = await comesToForm(site, { width: 390 });
    const before = tokenized.length;
    await fills(at, { number: '4111 1111-1111.1111' });
    await at.page.sees(VERIFIED);
    expect(tokenized.slice(before).map(({ url }) => url))
      .toEqual([`${shop.simulators.accounts.ccbill.pages}/payment-tokens`]);
    expect(JSON.parse(tokenized.at(-1)?.body ?? '')).toMatchObject({
      cardNumber: '4111111111111111',
      cvv2: '123',
      firstName: 'Jan',
      lastName: 'van der Berg',
      expMonth: '12',
      expYear: '2030',
      country: 'US',
      state: 'TX',
      postalCode: '73301',
    });
    const [sent = ''] = sentCards(at);
    expect(JSON.parse(sent.slice(sent.indexOf('{')))).toEqual({
      address: '1 Long Road',
      birth_date: '1990-02-28',
      city: 'Austin',
      country: 'US',
      first_name: 'Jan',
      last_name: 'van der Berg',
      state: 'TX',
      zip: '73301',
      payment_token: expect.any(String),
      card: { exp_month: '12', exp_year: '30', first6: '411111', last4: '1111' },
      do_purchase: 0,
    });
    // Neither the number nor the code is in anything that this site received.
    const received = at.page.network.sent.join('\n').replaceAll(/[\s.-]/gu, '');
    expect(received).not.toContain('4111111111111111');
    expect(received).not.toMatch(/"cv[cv]2?"/u);
  });

  test('charges nothing for only verifying [C-208]', async () => {
    const at = await opensForm(site);
    await fills(at, { purchase: 'No charge, only verify' });
    await at.page.sees(VERIFIED);
    await shop.settle();
    expect(sentCards(at)[0]).toContain('"do_purchase":0');
    expect(await tokensOf(at.viewer)).toBe(0);
    expect(shop.simulators.till('ccbill').payments()).toEqual([]);
  });

  test('sells the offer of 300 tokens for 10.99 dollars with the check [C-209, C-404]', async () => {
    const at = await opensForm(site);
    await at.page.sees('300 tokens for $10.99', { in: at.form });
    await fills(at, { purchase: OFFER });
    await at.page.sees(VERIFIED);
    await shop.settle();
    expect(sentCards(at)[0]).toContain('"do_purchase":1');
    const payments = shop.simulators.till('ccbill').payments();
    expect(payments.map(({ amount }) => amount)).toEqual([{ minor: 1_099, currency: 'USD' }]);
    // With the 200 free ones that the promotion adds.
    expect(await tokensOf(at.viewer)).toBe(500);
    await at.page.sees('500 tokens are in your balance.');
  });

  test('says so when the offer is declined, and the age counts all the same', async () => {
    const at = await opensForm(site);
    await fills(at, { purchase: OFFER, number: cardNumberFor('NDECLINEDINSFUNDS') });
    await at.page.sees(/^The purchase was declined, and nothing was charged\./u);
    expect(await gateOf(at)).toBe('open');
    expect(await tokensOf(at.viewer)).toBe(0);
  });
});

describe('a card that is refused', () => {
  test('closes the modal with the server’s message, and loses nothing typed [C-379, C-382]', async () => {
    const at = await opensForm(site);
    const { page } = at;
    await fills(at, { birth: { ...BIRTH, Year: '2008', Month: 'December' } });
    await findsErrorToast(page, 'You’re too young for this site by the birth date you entered.');
    expect(page.all('dialog')).toEqual([]);
    expect(await gateOf(at)).toBe('verify');
    await page.press('Enter card details');
    const form = await page.find('dialog', 'Card details');
    for (const [label, text] of Object.entries(TYPED)) {
      expect([label, (await page.field(label, { in: form }) as HTMLInputElement).value]).toEqual([
        label,
        text,
      ]);
    }
    const dates = await page.find('group', 'Birth date', { in: form });
    await page.choose('Year', '1990', { in: dates });
    await page.press(SUBMIT, { in: form });
    await page.sees(VERIFIED);
  });

  test('without a message is called exactly so, and loads the current user [C-380, C-381]', async () => {
    const at = await opensForm(site);
    const { page } = at;
    const mends = page.network.fails(/\/age-verification$/u);
    await fills(at);
    await findsErrorToast(page, 'Verification failed');
    await page.gone('dialog');
    await page.press('Dismiss');
    await page.idle();
    const loads = () => page.network.sent.filter((sent) => sent.includes('/user/current')).length;
    const before = loads();
    const made = tokenized.length;
    await page.press('Enter card details');
    await page.press(SUBMIT, { in: await page.find('dialog', 'Card details') });
    await findsErrorToast(page, 'Verification failed');
    await page.until(() => expect(loads()).toBe(before + 1));
    mends();
    // The same payment token with the same key: whatever was charged is charged once.
    await page.press('Enter card details');
    await page.press(SUBMIT, { in: await page.find('dialog', 'Card details') });
    await page.sees(VERIFIED);
    expect(tokenized).toHaveLength(made);
  });

  test('by the token service stays in the form, at its field', async () => {
    const at = await opensForm(site);
    await fills(at, { without: ['Purchase', 'CVC'] });
    await at.page.fill('CVC', '12345', { in: at.form });
    await at.page.press(NO_CHARGE, { role: 'radio', in: at.form });
    await at.page.press(SUBMIT, { in: at.form });
    await at.page.sees(/^Enter the three digits on the back/u, { in: at.form });
    await at.page.until(() => expect(at.page.focused?.getAttribute('data-field')).toBe('cvc'));
    expect(sentCards(at)).toEqual([]);
    expect(await at.page.field('First name', { in: at.form })).toHaveProperty('value', 'Jan');
  });

  test('is for members: a guest logs in first', async () => {
    const page = await openPage(site, await site.visitor({ region: CARD_REGION }), '/verify-age/card');
    await page.until(() => expect(page.path).toMatch(/^\/login\?next=/u));
  });
});
