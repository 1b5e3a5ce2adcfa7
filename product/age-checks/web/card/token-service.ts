import type { OutputOf } from '#platform/contract/call.ts';
import { sendToTokenService } from '#product/billing/web/card/token-service.ts';
import type { getCardToken } from '../../contract.ts';
import { digitsOf, regionOf, type CardEntry, type CardField } from '../../rules/card-form.ts';

/** What opens the token service: its address, a bearer, and fields to send unchanged. */
export type CardToken = OutputOf<typeof getCardToken>;

/** The token service's result: a token for our server, wrong fields, or a failure. */
export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'wrong'; readonly fields: readonly CardField[] }
  | { readonly kind: 'expired' }
  | { readonly kind: 'failed' };

/** The body of the request to the token service. */
function tokenBody(
  entry: CardEntry,
  { fields, needs_email: needsEmail }: Pick<CardToken, 'fields' | 'needs_email'>,
): Record<string, string> {
  const [first, last] = [entry.first_name.trim(), entry.last_name.trim()];
  return {
    ...fields,
    cardNumber: digitsOf(entry.card_number),
    cvv2: entry.cvc.trim(),
    nameOnCard: `${first} ${last}`,
    firstName: first,
    lastName: last,
    expMonth: entry.expiration_month.trim(),
    expYear: `20${entry.expiration_year.trim()}`,
    address1: entry.address.trim(),
    city: entry.city.trim(),
    country: entry.country,
    postalCode: entry.zip.trim(),
    // The service has one field for Canada's provinces and another for other regions.
    [entry.country === 'CA' ? 'province' : 'state']: regionOf(entry),
    ...(needsEmail ? { email: entry.email.trim() } : {}),
  };
}

/** Our fields by the names that the card form of billing has for them. */
const fieldOf = (country: string) =>
  ({
    number: 'card_number',
    expiry: 'expiration_month',
    code: 'cvc',
    name: 'first_name',
    country: 'country',
    state: country === 'CA' ? 'province' : 'state',
    postalCode: 'zip',
    email: 'email',
  }) as const satisfies Readonly<Record<string, CardField>>;

/** Sends a card from this browser to the token service, and nowhere else. */
export async function sendCard(
  token: CardToken,
  entry: CardEntry,
  send: typeof fetch,
): Promise<TokenAnswer> {
  const { url, access_token: bearer } = token;
  const answer = await sendToTokenService({ url, bearer }, tokenBody(entry, token), send);
  if (answer.kind !== 'wrong') return answer;
  const names = fieldOf(entry.country);
  return { kind: 'wrong', fields: answer.fields.map((field) => names[field]) };
}
