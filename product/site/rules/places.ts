/**
 * Places of the world with their codes: countries (ISO 3166-1 alpha-2), and the states and provinces of the
 * two countries whose regions have laws of their own (ISO 3166-2). One list for every form and every rule.
 */
export interface Place {
  readonly code: string;
  readonly name: string;
}

/** As one string, which is smaller than a list of 249. */
const COUNTRIES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV'
  + ' BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH'
  + ' ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT'
  + ' HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS'
  + ' LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG'
  + ' NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD'
  + ' SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW'
  + ' TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

/** Countries, by code. */
export const COUNTRY_CODES: readonly string[] = COUNTRIES.split(' ');

/** Some have their own laws on proof of age. */
const STATES = 'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,'
  + 'DE Delaware,DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,'
  + 'IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,'
  + 'MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,'
  + 'NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,'
  + 'PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,'
  + 'VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming';

const PROVINCES = 'AB Alberta,BC British Columbia,MB Manitoba,NB New Brunswick,NL Newfoundland and Labrador,'
  + 'NS Nova Scotia,NT Northwest Territories,NU Nunavut,ON Ontario,PE Prince Edward Island,QC Quebec,'
  + 'SK Saskatchewan,YT Yukon';

const partsOf = (country: string, lines: string): readonly Place[] =>
  lines.split(',')
    .map((line) => ({ code: `${country}-${line.slice(0, 2)}`, name: line.slice(3) }));

/** The states of the USA and its capital's district, by name. */
export const US_STATES = partsOf('US', STATES);
/** The provinces and territories of Canada, by name. */
export const CANADIAN_PROVINCES = partsOf('CA', PROVINCES);

/** The states or provinces to choose from in a country; empty for most. */
export function subdivisionsOf(country: string): readonly Place[] {
  if (country === 'US') return US_STATES;
  return country === 'CA' ? CANADIAN_PROVINCES : [];
}

/** Country names in a language, sorted for it. */
export function countriesIn(locale: string): readonly Place[] {
  const names = new Intl.DisplayNames(locale, { type: 'region' });
  return COUNTRY_CODES.map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((a, b) => a.name.localeCompare(b.name, locale));
}

const COUNTRY_SET: ReadonlySet<string> = new Set(COUNTRY_CODES);
const SUBDIVISIONS: ReadonlySet<string> = new Set(
  [...US_STATES, ...CANADIAN_PROVINCES].map(({ code }) => code),
);

/** Whether a code is in the list of countries. */
export const isCountry = (code: string): boolean => COUNTRY_SET.has(code);
/** Whether a code is in the lists of states and provinces. */
export const isSubdivision = (code: string): boolean => SUBDIVISIONS.has(code);

/** A place as an option of a list. */
export const optionOf = ({ code, name }: Place): { readonly value: string; readonly text: string } => ({
  value: code,
  text: name,
});
