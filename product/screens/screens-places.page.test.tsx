import { getBlockedRegions } from '#product/compliance/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

type Page = Awaited<ReturnType<typeof openPage>>;

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** The 50 states and the capital's district: ISO 3166-2:US. */
const STATES =
  'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,'
  + 'DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,'
  + 'KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,'
  + 'MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,'
  + 'NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,'
  + 'PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,'
  + 'VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming';
/** The ten provinces and three territories: ISO 3166-2:CA. */
const PROVINCES =
  'AB Alberta,BC British Columbia,MB Manitoba,NB New Brunswick,NL Newfoundland and Labrador,NS Nova Scotia,'
  + 'NT Northwest Territories,NU Nunavut,ON Ontario,PE Prince Edward Island,QC Quebec,SK Saskatchewan,'
  + 'YT Yukon';
/** ISO 3166-1 alpha-2, officially assigned. */
const COUNTRIES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV '
  + 'BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES '
  + 'ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE '
  + 'IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY '
  + 'MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU '
  + 'NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM '
  + 'SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE '
  + 'VG VI VN VU WF WS YE YT ZA ZM ZW';

/** What a list offers: value and text of each entry, except the empty choice. */
const offered = (list: HTMLElement): readonly string[] =>
  [...list.querySelectorAll('option')].filter(({ value }) => value !== '')
    .map(({ value, textContent }) => `${value} ${textContent}`);

const partsOf = (country: string, lines: string): string[] =>
  lines.split(',').map((line) => `${country}-${line}`).sort();

/** The places a performer blocks, reached from their menu. */
async function opensPlaces(): Promise<{ page: Page; blocked: () => Promise<readonly string[]> }> {
  const performer = await site.performer();
  const page = await openPage(site, performer, '/');
  await page.press(/’s account$/u);
  await page.press('How you’re listed', { role: 'menuitem' });
  await page.find('heading', 'Places you block');
  return { page, blocked: async () => (await performer.call(getBlockedRegions, {})).regions };
}

test('every country can be blocked, by its code and its name [B-179]', async () => {
  const { page, blocked } = await opensPlaces();
  const countries = offered(await page.field('Country to block'));
  expect(countries.map((country) => country.slice(0, 2)).sort()).toEqual(COUNTRIES.split(' '));
  const names = new Intl.DisplayNames('en', { type: 'region' });
  for (const one of countries) expect(one).toBe(`${one.slice(0, 2)} ${names.of(one.slice(0, 2))}`);
  await page.choose('Country to block', 'Iceland');
  await page.press('Block');
  await page.press('Save blocked places');
  await expect.poll(blocked).toEqual(['IS']);
});

test.each(
  [
    ['the USA', 'United States', 'US', STATES, 'Utah', 'US-UT'],
  ] as const,
)('each state of %s can be blocked, by its code and its name [B-177]', blocksParts);

test.each(
  [
    ['Canada', 'Canada', 'CA', PROVINCES, 'Quebec', 'CA-QC'],
  ] as const,
)('each province of %s can be blocked, by its code and its name [B-178]', blocksParts);

async function blocksParts(
  _what: string,
  country: string,
  code: string,
  parts: string,
  one: string,
  saved: string,
): Promise<void> {
  const { page, blocked } = await opensPlaces();
  await page.choose('Country to block', country);
  const list = await page.field('State or province to block');
  expect([...offered(list)].sort()).toEqual(partsOf(code, parts));
  await page.choose('State or province to block', one);
  await page.press('Block');
  await page.press('Save blocked places');
  await expect.poll(blocked).toEqual([saved]);
}
