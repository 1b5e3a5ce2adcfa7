import { cardNumberFor } from '#platform/payments/simulators/checkout/test-cards.ts';
import { getEntry } from '#product/compliance/contract.ts';
import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import { findsErrorToast, opensAgeModal } from '#product/testkit/pages/age-modal.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { sentTo } from '#product/testkit/pages/purchase-page.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { takesEmail } from '#product/testkit/store/stored-people.ts';
import { afterAll, describe, expect, test } from 'vitest';

type Page = Awaited<ReturnType<typeof openPage>>;

const { site, shop } = await openAgeCheckedSite();
const REGION = 'US-TX';
const [NO_CHARGE, OFFER] = ['No charge, only verify', /^300 tokens for \$10\.99/u] as const;

/** Requests of pages to other servers: address and body. */
const outside: { readonly url: string; readonly body: string }[] = [];
const native = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  if (typeof input === 'string') {
    outside.push({ url: input, body: typeof init?.body === 'string' ? init.body : '' });
  }
  return native(input, init);
};
afterAll(() => {
  globalThis.fetch = native;
});

interface AtForm {
  readonly viewer: Member;
  readonly page: Page;
  readonly form: HTMLElement;
}

/** Comes from the entry gate to the card form, as a person does. */
async function comesToForm(
  viewer: Member,
  { at = '/', ...options }: { at?: string; width?: number; locale?: string } = {},
): Promise<AtForm> {
  const page = await openPage(site, viewer, at, options);
  const dialog = await opensAgeModal(page, 'Verify your age');
  await page.press('Credit card', { in: dialog });
  await page.until(() => expect(page.path).toBe('/verify-age/card'));
  const form = await page.find('dialog', 'Card details');
  await page.find('radio', OFFER, { in: form });
  return { viewer, page, form };
}
const atForm = async (options?: Parameters<typeof comesToForm>[1]): Promise<AtForm> =>
  comesToForm(await site.viewer({ region: REGION }), options);
async function formWithoutEmail(): Promise<AtForm> {
  const viewer = await site.viewer({ region: REGION });
  await site.tx((tx) => takesEmail(tx, viewer.id));
  return opensForm(viewer);
}

/** Opens the form by its address. */
async function opensForm(viewer?: Member): Promise<AtForm> {
  const who = viewer ?? await site.viewer({ region: REGION });
  const page = await openPage(site, who, '/verify-age/card', { mayPrint: /Failed to fetch/u });
  const form = await page.find('dialog', 'Card details');
  await page.find('radio', OFFER, { in: form });
  return { viewer: who, page, form };
}

const BIRTH = { Day: '28', Month: 'February', Year: '1990' } as const;
/** What is typed into each field, by its label. */
const TYPED: Readonly<Record<string, string>> = {
  'Credit card number': '4111 1111-1111.1111',
  'Month (MM)': '12',
  'Year (YY)': '30',
  CVC: '123',
  'First name': 'Jan',
  'Last name': 'van der Berg',
  Address: '1 Long Road',
  City: 'Austin',
  'Postal code': '73301',
};
const SUBMIT = /^Verify card$|^Verify and buy$/u;

interface Filling {
  /** Labels of fields that stay empty. */
  readonly without?: readonly string[];
  readonly country?: string;
  /** The state, or the province. */
  readonly region?: string;
  readonly birth?: Readonly<Record<string, string>>;
  readonly number?: string;
  readonly purchase?: string | RegExp;
}

/** Fills the form in, and sends it. */
async function fills(
  { page, form }: AtForm,
  {
    without = [],
    country = 'United States',
    region = 'Texas',
    birth = BIRTH,
    number = TYPED['Credit card number'] ?? '',
    purchase = NO_CHARGE,
  }: Filling = {},
): Promise<void> {
  const typed = { ...TYPED, 'Credit card number': number };
  for (const [label, text] of Object.entries(typed)) {
    if (!without.includes(label)) await page.fill(label, text, { in: form });
  }
  await page.choose('Country', without.includes('Country') ? 'Choose' : country, { in: form });
  const list = country === 'Canada' ? 'Province' : 'State';
  if (!without.includes(list) && !without.includes('Country')) {
    if (country === 'United States' || country === 'Canada') await page.choose(list, region, { in: form });
    else await page.fill(list, region, { in: form });
  }
  if (!without.includes('Birth date')) {
    const dates = await page.find('group', 'Birth date', { in: form });
    for (const [part, value] of Object.entries(birth)) await page.choose(part, value, { in: dates });
  }
  if (!without.includes('Purchase')) await page.press(purchase, { role: 'radio', in: form });
  await page.press(SUBMIT, { in: form });
}

/** The bodies that our server got, and the token service, since the form was opened. */
const sentCards = ({ page }: AtForm) => sentTo(page, 'POST /api/v1/age-verification ');
const tokenized = () => outside.filter(({ url }) => url.endsWith('/payment-tokens'));
const gateOf = async ({ viewer }: AtForm): Promise<string> => (await viewer.call(getEntry, {})).gate;

/** What a field says of its content; '' for nothing. */
const noteOf = (field: Element): string =>
  (field.getAttribute('aria-describedby') ?? '').split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim();

/** Everything that the form says is wrong, in order. */
const messagesOf = ({ page, form }: AtForm): readonly string[] =>
  page.all('alert', undefined, { in: form }).map(({ textContent }) => textContent.trim()).filter(Boolean);

describe('the card form', () => {
  test('is a modal that proves an age by card, and leads back [C-083]', async () => {
    const at = await atForm({ at: '/tags' });
    expect(await at.page.problems()).toEqual([]);
    expect(at.form.matches('dialog[open]')).toBe(true);
    expect(await gateOf(at)).toBe('verify');
    await fills(at);
    await at.page.sees('Your age is verified. Welcome in.');
    expect(at.page.all('dialog')).toEqual([]);
    expect(await at.page.problems()).toEqual([]);
    await at.page.press('Continue', { role: 'link' });
    await at.page.until(() => expect(at.page.path).toBe('/tags'));
    expect(await gateOf(at)).toBe('open');
  });

  test('has the fields of the specification, by country and by what is on file [C-104, C-204]', async () => {
    const at = await formWithoutEmail();
    const { page, form } = at;
    const shown = () =>
      [...form.querySelectorAll('[data-field]')].map((field) => field.getAttribute('data-field'));
    const always = [
      'card_number',
      'expiration_month',
      'expiration_year',
      'cvc',
      'first_name',
      'last_name',
      'birth_date',
      'email',
      'country',
      'address',
      'city',
    ];
    await page.choose('Country', 'United States', { in: form });
    expect(shown()).toEqual([...always, 'state', 'zip']);
    await page.choose('Country', 'Canada', { in: form });
    expect(shown()).toEqual([...always, 'province', 'zip']);
    // do_purchase
    expect(page.all('radio', undefined, { in: form })).toHaveLength(2);
    const other = await opensForm();
    expect([...other.form.querySelectorAll('[data-field="email"]')]).toEqual([]);
  });

  test('refuses an empty form, field by field, and says why [C-178]', async () => {
    const at = await formWithoutEmail();
    const { page, form } = at;
    const before = tokenized().length;
    const start = [
      'Credit card number is required',
      'Expiration date is required',
      'CVC is required',
      'First name is required',
      'Last name is required',
      'Birth date is required',
      'Email is required',
    ];
    const end = ['Postal code is required', 'Choose whether to buy the offer'];
    await page.choose('Country', 'Choose', { in: form });
    await page.press(SUBMIT, { in: form });
    const places = ['Address is required', 'City is required'];
    await page.until(() =>
      expect(messagesOf(at)).toEqual([
        ...start,
        'Country is required',
        ...places,
        'State is required',
        ...end,
      ])
    );
    await page.until(() => expect(page.focused?.getAttribute('data-field')).toBe('card_number'));
    expect(await page.problems()).toEqual([]);
    await page.choose('Country', 'Canada', { in: form });
    await page.press(SUBMIT, { in: form });
    await page.until(() =>
      expect(messagesOf(at)).toEqual([...start, ...places, 'Province is required', ...end])
    );
    expect([sentCards(at), tokenized().length]).toEqual([[], before]);
  });

  test.each([
    ['C-180', 'Credit card number', 'Credit card number is required', '4111111111111111'],
    ['C-181', 'First name', 'First name is required', 'Jan'],
    ['C-182', 'Last name', 'Last name is required', 'Berg'],
    ['C-184', 'CVC', 'CVC is required', '123'],
    ['C-185', 'Email', 'Email is required', 'jan@people.example'],
    ['C-186', 'Address', 'Address is required', '1 Road'],
    ['C-187', 'City', 'City is required', 'Austin'],
    ['C-191', 'Postal code', 'Postal code is required', '73301'],
  ])('refuses to do without a field [%s]: %s', async (_id, label, message, text) => {
    const at = await formWithoutEmail();
    const { page, form } = at;
    // Spaces are nothing.
    await page.fill(label, ' ', { in: form });
    await page.press(SUBMIT, { in: form });
    const field = await page.field(label, { in: form });
    await page.until(() =>
      expect([noteOf(field), field.ariaInvalid ?? field.getAttribute('aria-invalid')])
        .toEqual([message, 'true'])
    );
    await page.fill(label, text, { in: form });
    await page.press(SUBMIT, { in: form });
    await page.until(() => expect(noteOf(field)).toBe(''));
    expect(page.shows(message, { in: form })).toBe(false);
    expect(sentCards(at)).toEqual([]);
  });

  test('refuses to do without the month or the year of expiry [C-183]', async () => {
    const at = await opensForm();
    const { page, form } = at;
    const [month, year] = [
      await page.field('Month (MM)', { in: form }),
      await page.field('Year (YY)', { in: form }),
    ];
    const message = 'Expiration date is required';
    await page.fill('Month (MM)', '12', { in: form });
    await page.press(SUBMIT, { in: form });
    await page.until(() => expect([noteOf(month), noteOf(year)]).toEqual(['', message]));
    await page.fill('Year (YY)', '30', { in: form });
    await page.fill('Month (MM)', '', { in: form });
    await page.press(SUBMIT, { in: form });
    await page.until(() => expect(noteOf(month)).toBe(message));
    await page.fill('Month (MM)', '12', { in: form });
    await page.press(SUBMIT, { in: form });
    await page.until(() => expect([noteOf(month), noteOf(year)]).toEqual(['', '']));
    expect(sentCards(at)).toEqual([]);
  });

  test.each([
    ['C-188', 'United States', 'State', 'State is required', 'Texas'],
    ['C-188', 'Germany', 'State', 'State is required', null],
    ['C-189', 'Canada', 'Province', 'Province is required', 'Ontario'],
  ])('refuses to do without the region [%s]: %s', async (_id, country, label, message, option) => {
    const { page, form } = await opensForm();
    await page.choose('Country', country, { in: form });
    await page.press(SUBMIT, { in: form });
    const field = await page.field(label, { in: form });
    await page.until(() => expect(noteOf(field)).toBe(message));
    if (option === null) await page.fill(label, 'Bayern', { in: form });
    else await page.choose(label, option, { in: form });
    await page.press(SUBMIT, { in: form });
    await page.until(() => expect(page.shows(message, { in: form })).toBe(false));
  });

  test('refuses to do without a country [C-190]', async () => {
    const { page, form } = await opensForm();
    await page.choose('Country', 'Choose', { in: form });
    await page.press(SUBMIT, { in: form });
    const field = await page.field('Country', { in: form });
    await page.until(() => expect(noteOf(field)).toBe('Country is required'));
    await page.choose('Country', 'Germany', { in: form });
    await page.press(SUBMIT, { in: form });
    await page.until(() => expect(page.shows('Country is required', { in: form })).toBe(false));
  });

  test('refuses a birth date that was not chosen, or not wholly [C-179]', async () => {
    const at = await opensForm();
    const { page, form } = at;
    await fills(at, { without: ['Birth date'] });
    const dates = await page.find('group', 'Birth date', { in: form });
    await page.until(() => expect(noteOf(dates)).toBe('Birth date is required'));
    await page.until(() => expect(page.focused?.getAttribute('data-field')).toBe('birth_date'));
    await page.choose('Year', '1990', { in: dates });
    await page.choose('Month', 'February', { in: dates });
    await page.press(SUBMIT, { in: form });
    await page.until(() => expect(noteOf(dates)).toBe('Birth date is required'));
    expect(sentCards(at)).toEqual([]);
    await page.choose('Day', '28', { in: dates });
    await page.press(SUBMIT, { in: form });
    await page.sees('Your age is verified. Welcome in.');
    expect(sentCards(at)[0]).toContain('"birth_date":"1990-02-28"');
    // The placeholder is refused by the server too, whoever sends it.
    const [sent = ''] = sentCards(at);
    const other = await site.viewer({ region: REGION });
    const answer = await other.request({
      method: 'POST',
      url: '/api/v1/age-verification',
      payload: { ...JSON.parse(sent.slice(sent.indexOf('{'))) as object, birth_date: '0000-00-00' },
    });
    expect(answer.statusCode).toBe(422);
  });

  test.each([
    ['C-192', 'Credit card number', 50],
    ['C-193', 'First name', 50],
    ['C-194', 'Last name', 50],
    ['C-195', 'Address', 50],
    ['C-196', 'City', 50],
    ['C-197', 'Postal code', 50],
    ['C-198', 'Month (MM)', 2],
    ['C-199', 'Year (YY)', 2],
    ['C-200', 'CVC', 5],
  ])('takes so many characters and no more [%s]: %s', async (_id, label, most) => {
    const { page, form } = await opensForm();
    await page.fill(label, '7'.repeat(most + 3), { in: form });
    expect(await page.field(label, { in: form })).toHaveProperty('value', '7'.repeat(most));
  });

  test('accepts names and addresses of the full length', async () => {
    const at = await opensForm();
    await fills(at, { without: ['First name', 'Last name', 'Address', 'City', 'Postal code'] });
    for (const label of ['First name', 'Last name', 'Address', 'City', 'Postal code']) {
      await at.page.fill(label, 'a'.repeat(50), { in: at.form });
    }
    await at.page.press(SUBMIT, { in: at.form });
    await at.page.sees('Your age is verified. Welcome in.');
    expect(JSON.parse(sentCards(at)[0]?.replace(/^[^{]*/u, '') ?? '{}')).toMatchObject({
      first_name: 'a'.repeat(50),
      zip: 'a'.repeat(50),
    });
  });

  test('has a list of states in the USA [C-201]', async () => {
    const { page, form } = await opensForm();
    await page.choose('Country', 'United States', { in: form });
    const list = await page.find('combobox', 'State', { in: form }) as HTMLSelectElement;
    expect(list.tagName).toBe('SELECT');
    const names = [...list.options].map(({ text }) => text);
    expect(names).toHaveLength(52);
    expect(names).toEqual(
      expect.arrayContaining(['Choose', 'California', 'District of Columbia', 'Wyoming']),
    );
  });

  test('has a list of provinces in Canada [C-202]', async () => {
    const { page, form } = await opensForm();
    await page.choose('Country', 'Canada', { in: form });
    const list = await page.find('combobox', 'Province', { in: form }) as HTMLSelectElement;
    expect(list.tagName).toBe('SELECT');
    const names = [...list.options].map(({ text }) => text);
    expect(names).toHaveLength(14);
    expect(names).toEqual(expect.arrayContaining(['Choose', 'Ontario', 'Quebec', 'Yukon']));
  });

  test('takes any text for the state of other countries [C-203]', async () => {
    const at = await opensForm();
    for (const country of ['Germany', 'Mexico', 'Australia']) {
      await at.page.choose('Country', country, { in: at.form });
      const field = await at.page.find('textbox', 'State', { in: at.form });
      expect(field.tagName).toBe('INPUT');
    }
    await fills(at, { country: 'Germany', region: 'Freistaat Bayern' });
    await at.page.sees('Your age is verified. Welcome in.');
    expect(sentCards(at)[0]).toContain('"state":"Freistaat Bayern"');
  });

  test('uses the digits of the number alone, for the token service alone [C-205, C-206]', async () => {
    const at = await atForm({ width: 390 });
    const before = tokenized().length;
    await fills(at, { number: '4111 1111-1111.1111' });
    await at.page.sees('Your age is verified. Welcome in.');
    expect(tokenized().slice(before).map(({ url }) => url))
      .toEqual([`${shop.simulators.accounts.ccbill.pages}/payment-tokens`]);
    expect(JSON.parse(tokenized().at(-1)?.body ?? '')).toMatchObject({
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

  test('requires the choice whether to buy [C-207]', async () => {
    const at = await opensForm();
    const radios = at.page.all('radio', undefined, { in: at.form }) as HTMLInputElement[];
    expect(radios.map(({ value, checked }) => [value, checked])).toEqual([['0', false], ['1', false]]);
    await fills(at, { without: ['Purchase'] });
    await at.page.sees('Choose whether to buy the offer', { in: at.form });
    expect(sentCards(at)).toEqual([]);
    await at.page.press(NO_CHARGE, { role: 'radio', in: at.form });
    await at.page.press(SUBMIT, { in: at.form });
    await at.page.sees('Your age is verified. Welcome in.');
    expect(sentCards(at)[0]).toContain('"do_purchase":0');
  });

  test('charges nothing for only verifying [C-208]', async () => {
    const at = await opensForm();
    await fills(at, { purchase: 'No charge, only verify' });
    await at.page.sees('Your age is verified. Welcome in.');
    await shop.settle();
    expect(sentCards(at)[0]).toContain('"do_purchase":0');
    expect(await tokensOf(at.viewer)).toBe(0);
    expect(shop.simulators.till('ccbill').payments()).toEqual([]);
  });

  test('sells the offer of 300 tokens for 10.99 dollars with the check [C-209, C-404]', async () => {
    const at = await opensForm();
    await at.page.sees('300 tokens for $10.99', { in: at.form });
    await fills(at, { purchase: OFFER });
    await at.page.sees('Your age is verified. Welcome in.');
    await shop.settle();
    expect(sentCards(at)[0]).toContain('"do_purchase":1');
    const payments = shop.simulators.till('ccbill').payments();
    expect(payments.map(({ amount }) => amount)).toEqual([{ minor: 1_099, currency: 'USD' }]);
    // With the 200 free ones that the promotion adds.
    expect(await tokensOf(at.viewer)).toBe(500);
    await at.page.sees('500 tokens are in your balance.');
  });

  test('says so when the offer is declined, and the age counts all the same', async () => {
    const at = await opensForm();
    await fills(at, { purchase: OFFER, number: cardNumberFor('NDECLINEDINSFUNDS') });
    await at.page.sees(/^The purchase was declined, and nothing was charged\./u);
    expect(await gateOf(at)).toBe('open');
    expect(await tokensOf(at.viewer)).toBe(0);
  });
});

describe('a card that is refused', () => {
  test('closes the modal with the message of the server, and nothing typed is lost [C-379, C-382]', async () => {
    const at = await opensForm();
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
    await page.sees('Your age is verified. Welcome in.');
  });

  test('without a message is called exactly so, and loads the current user [C-380, C-381]', async () => {
    const at = await opensForm();
    const { page } = at;
    const mends = page.network.fails(/\/age-verification$/u);
    await fills(at);
    await findsErrorToast(page, 'Verification failed');
    await page.gone('dialog');
    await page.press('Dismiss');
    await page.idle();
    const loads = () => page.network.sent.filter((sent) => sent.includes('/user/current')).length;
    const before = loads();
    const made = tokenized().length;
    await page.press('Enter card details');
    await page.press(SUBMIT, { in: await page.find('dialog', 'Card details') });
    await findsErrorToast(page, 'Verification failed');
    await page.until(() => expect(loads()).toBe(before + 1));
    mends();
    // The same payment token with the same key: whatever was charged is charged once.
    await page.press('Enter card details');
    await page.press(SUBMIT, { in: await page.find('dialog', 'Card details') });
    await page.sees('Your age is verified. Welcome in.');
    expect(tokenized()).toHaveLength(made);
  });

  test('by the token service stays in the form, at its field', async () => {
    const at = await opensForm();
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
    const page = await openPage(site, await site.visitor({ region: REGION }), '/verify-age/card');
    await page.until(() => expect(page.path).toMatch(/^\/login\?next=/u));
  });
});
