import { getEntry } from '#product/compliance/contract.ts';
import { afterAll, expect } from 'vitest';
import type { Member, TestSite } from '../site.ts';
import { takesEmail } from '../store/stored-people.ts';
import { opensAgeModal } from './age-modal.ts';
import { openPage } from './open-page.tsx';
import { sentTo } from './purchase-page.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

/** A place whose law accepts a credit card. */
export const CARD_REGION = 'US-TX';
export const NO_CHARGE = 'No charge, only verify';
export const OFFER = /^300 tokens for \$10\.99/u;
/** What the page says after a check that was passed. */
export const VERIFIED = 'Your age is verified. Welcome in.';

/** Records the bodies that pages send to the token service, for the tests of one file. */
export function recordsTokenBodies(): readonly { readonly url: string; readonly body: string }[] {
  const sent: { url: string; body: string }[] = [];
  const native = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    if (typeof input === 'string' && input.endsWith('/payment-tokens')) {
      sent.push({ url: input, body: typeof init?.body === 'string' ? init.body : '' });
    }
    return native(input, init);
  };
  afterAll(() => {
    globalThis.fetch = native;
  });
  return sent;
}

/** Somebody in front of the card form. */
export interface AtForm {
  readonly viewer: Member;
  readonly page: Page;
  readonly form: HTMLElement;
}

/** Comes from the entry gate to the card form, as a person does. */
export async function comesToForm(
  site: TestSite,
  { at = '/', ...options }: { readonly at?: string; readonly width?: number } = {},
): Promise<AtForm> {
  const viewer = await site.viewer({ region: CARD_REGION });
  const page = await openPage(site, viewer, at, options);
  const dialog = await opensAgeModal(page, 'Verify your age');
  await page.press('Credit card', { in: dialog });
  await page.until(() => expect(page.path).toBe('/verify-age/card'));
  const form = await page.find('dialog', 'Card details');
  await page.find('radio', OFFER, { in: form });
  return { viewer, page, form };
}
/** The form of somebody whose account has no email address. */
export async function opensFormWithoutEmail(site: TestSite): Promise<AtForm> {
  const viewer = await site.viewer({ region: CARD_REGION });
  await site.tx((tx) => takesEmail(tx, viewer.id));
  return opensForm(site, viewer);
}

/** Opens the form by its address. */
export async function opensForm(site: TestSite, viewer?: Member): Promise<AtForm> {
  const who = viewer ?? await site.viewer({ region: CARD_REGION });
  const page = await openPage(site, who, '/verify-age/card', { mayPrint: /Failed to fetch/u });
  const form = await page.find('dialog', 'Card details');
  await page.find('radio', OFFER, { in: form });
  return { viewer: who, page, form };
}

export const BIRTH = { Day: '28', Month: 'February', Year: '1990' } as const;
/** What is typed into each field, by its label. */
export const TYPED: Readonly<Record<string, string>> = {
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
export const SUBMIT = /^Verify card$|^Verify and buy$/u;

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
export async function fills(
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

/** The requests with a card that our server got from the page. */
export const sentCards = ({ page }: AtForm): readonly string[] =>
  sentTo(page, 'POST /api/v1/age-verification ');
export const gateOf = async ({ viewer }: AtForm): Promise<string> => (await viewer.call(getEntry, {})).gate;

/** What a field says of its content; '' for nothing. */
export const noteOf = (field: Element): string =>
  (field.getAttribute('aria-describedby') ?? '').split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim();

/** Everything that the form says is wrong, in order. */
export const messagesOf = ({ page, form }: AtForm): readonly string[] =>
  page.all('alert', undefined, { in: form }).map(({ textContent }) => textContent.trim()).filter(Boolean);
