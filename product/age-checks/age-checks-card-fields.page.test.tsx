import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import {
  CARD_REGION,
  fills,
  messagesOf,
  NO_CHARGE,
  noteOf,
  opensForm,
  opensFormWithoutEmail,
  recordsTokenBodies,
  sentCards,
  SUBMIT,
  VERIFIED,
} from '#product/testkit/pages/card-form-page.ts';
import { describe, expect, test } from 'vitest';

const { site } = await openAgeCheckedSite();
const tokenized = recordsTokenBodies();

describe('the fields of the card form', () => {
  test('has the fields of the specification, by country and by what is on file [C-104, C-204]', async () => {
    const at = await opensFormWithoutEmail(site);
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
    const other = await opensForm(site);
    expect([...other.form.querySelectorAll('[data-field="email"]')]).toEqual([]);
  });

  test('refuses an empty form, field by field, and says why [C-178]', async () => {
    const at = await opensFormWithoutEmail(site);
    const { page, form } = at;
    const before = tokenized.length;
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
    expect([sentCards(at), tokenized.length]).toEqual([[], before]);
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
    const at = await opensFormWithoutEmail(site);
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
    const at = await opensForm(site);
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

  test('refuses a month and a year of one digit [C-198, C-199]', async () => {
    const at = await opensForm(site);
    const { page, form } = at;
    const wrong = 'Enter a future month and year, such as 04 and 29.';
    for (const [month, year] of [['12', '5'], ['1', '30']] as const) {
      await page.fill('Month (MM)', month, { in: form });
      await page.fill('Year (YY)', year, { in: form });
      await page.press(SUBMIT, { in: form });
      const fields = [
        await page.field('Month (MM)', { in: form }),
        await page.field('Year (YY)', { in: form }),
      ];
      await page.until(() => expect(fields.map(noteOf)).toContain(wrong));
    }
    expect(sentCards(at)).toEqual([]);
  });

  test.each([
    ['C-188', 'United States', 'State', 'State is required', 'Texas'],
    ['C-188', 'Germany', 'State', 'State is required', null],
    ['C-189', 'Canada', 'Province', 'Province is required', 'Ontario'],
  ])('refuses to do without the region [%s]: %s', async (_id, country, label, message, option) => {
    const { page, form } = await opensForm(site);
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
    const { page, form } = await opensForm(site);
    await page.choose('Country', 'Choose', { in: form });
    await page.press(SUBMIT, { in: form });
    const field = await page.field('Country', { in: form });
    await page.until(() => expect(noteOf(field)).toBe('Country is required'));
    await page.choose('Country', 'Germany', { in: form });
    await page.press(SUBMIT, { in: form });
    await page.until(() => expect(page.shows('Country is required', { in: form })).toBe(false));
  });

  test('refuses a birth date that was not chosen, or not wholly [C-179]', async () => {
    const at = await opensForm(site);
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
    await page.sees(VERIFIED);
    expect(sentCards(at)[0]).toContain('"birth_date":"1990-02-28"');
    // The placeholder is refused by the server too, whoever sends it.
    const [sent = ''] = sentCards(at);
    const other = await site.viewer({ region: CARD_REGION });
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
    const { page, form } = await opensForm(site);
    await page.fill(label, '7'.repeat(most + 3), { in: form });
    expect(await page.field(label, { in: form })).toHaveProperty('value', '7'.repeat(most));
  });

  test('accepts names and addresses of the full length', async () => {
    const at = await opensForm(site);
    await fills(at, { without: ['First name', 'Last name', 'Address', 'City', 'Postal code'] });
    for (const label of ['First name', 'Last name', 'Address', 'City', 'Postal code']) {
      await at.page.fill(label, 'a'.repeat(50), { in: at.form });
    }
    await at.page.press(SUBMIT, { in: at.form });
    await at.page.sees(VERIFIED);
    expect(JSON.parse(sentCards(at)[0]?.replace(/^[^{]*/u, '') ?? '{}')).toMatchObject({
      first_name: 'a'.repeat(50),
      zip: 'a'.repeat(50),
    });
  });

  test('has a list of states in the USA [C-201]', async () => {
    const { page, form } = await opensForm(site);
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
    const { page, form } = await opensForm(site);
    await page.choose('Country', 'Canada', { in: form });
    const list = await page.find('combobox', 'Province', { in: form }) as HTMLSelectElement;
    expect(list.tagName).toBe('SELECT');
    const names = [...list.options].map(({ text }) => text);
    expect(names).toHaveLength(14);
    expect(names).toEqual(expect.arrayContaining(['Choose', 'Ontario', 'Quebec', 'Yukon']));
  });

  test('takes any text for the state of other countries [C-203]', async () => {
    const at = await opensForm(site);
    for (const country of ['Germany', 'Mexico', 'Australia']) {
      await at.page.choose('Country', country, { in: at.form });
      const field = await at.page.find('textbox', 'State', { in: at.form });
      expect(field.tagName).toBe('INPUT');
    }
    await fills(at, { country: 'Germany', region: 'Freistaat Bayern' });
    await at.page.sees(VERIFIED);
    expect(sentCards(at)[0]).toContain('"state":"Freistaat Bayern"');
  });

  test('requires the choice whether to buy [C-207]', async () => {
    const at = await opensForm(site);
    const radios = at.page.all('radio', undefined, { in: at.form }) as HTMLInputElement[];
    expect(radios.map(({ value, checked }) => [value, checked])).toEqual([['0', false], ['1', false]]);
    await fills(at, { without: ['Purchase'] });
    await at.page.sees('Choose whether to buy the offer', { in: at.form });
    expect(sentCards(at)).toEqual([]);
    await at.page.press(NO_CHARGE, { role: 'radio', in: at.form });
    await at.page.press(SUBMIT, { in: at.form });
    await at.page.sees(VERIFIED);
    expect(sentCards(at)[0]).toContain('"do_purchase":0');
  });
});
