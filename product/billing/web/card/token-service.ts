import type { OutputOf } from '#platform/contract/call.ts';
import type { openCardForm } from '../../contract/cards.ts';
import { cardDigits, cardExpiry } from '../../rules/payments/card-number.ts';

export type CardForm = OutputOf<typeof openCardForm>;

/** A typed card and its billing address. It stays in this page and is sent only to the token service. */
export interface TypedCard {
  readonly number: string;
  readonly expiry: string;
  readonly code: string;
  readonly name: string;
  readonly country: string;
  readonly state: string;
  readonly postalCode: string;
  /** Only where the account has no email address. */
  readonly email: string | null;
}

export type CardField = keyof TypedCard;

/** The token service's result: a token for our server, wrong fields, or a failure. */
export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'wrong'; readonly fields: readonly CardField[] }
  | { readonly kind: 'expired' }
  | { readonly kind: 'failed' };

/** The service's names of the fields a person can correct. */
const FIELD_OF: Readonly<Record<string, CardField>> = {
  cardNumber: 'number',
  expMonth: 'expiry',
  expYear: 'expiry',
  cvv2: 'code',
  nameOnCard: 'name',
  firstName: 'name',
  lastName: 'name',
  country: 'country',
  state: 'state',
  postalCode: 'postalCode',
  email: 'email',
};

/** The body of the request to the biller's token service. */
export function tokenBody(card: TypedCard, fields: CardForm['fields']): Record<string, string> {
  const expiry = cardExpiry(card.expiry);
  const name = card.name.trim();
  const space = name.lastIndexOf(' ');
  return {
    ...fields,
    cardNumber: cardDigits(card.number),
    cvv2: card.code.trim(),
    nameOnCard: name,
    firstName: space < 0 ? name : name.slice(0, space),
    lastName: space < 0 ? name : name.slice(space + 1),
    expMonth: String(expiry?.month ?? '').padStart(2, '0'),
    expYear: String(expiry?.year ?? ''),
    country: card.country,
    postalCode: card.postalCode.trim(),
    // The service has one field for Canada's provinces and another for other regions. An empty region is
    // left out.
    ...(card.state.trim() === '' ? {} : {
      [
        card.country === 'CA'
          ? 'province'
          : 'state'
      ]: card.state.trim(),
    }),
    ...(card.email === null ? {} : { email: card.email.trim() }),
  };
}

/** Parses the token service's response. */
export function tokenAnswer(status: number, body: unknown): TokenAnswer {
  const { paymentTokenId: token, errors } = (body ?? {}) as {
    readonly paymentTokenId?: unknown;
    readonly errors?: unknown;
  };
  if (status >= 200 && status < 300 && typeof token === 'string') return { kind: 'token', token };
  if (status === 401 || status === 403) return { kind: 'expired' };
  const reported = (Array.isArray(errors) ? errors : []) as readonly { readonly propertyName?: unknown }[];
  const fields = reported.flatMap(({ propertyName }) => FIELD_OF[String(propertyName)] ?? []);
  return fields.length > 0 ? { kind: 'wrong', fields: [...new Set(fields)] } : { kind: 'failed' };
}

/** Sends a card from this browser to the biller's token service, without cookies and referrer. */
export const sendCard = (form: CardForm, card: TypedCard, send: typeof fetch): Promise<TokenAnswer> =>
  sendToTokenService(form, tokenBody(card, form.fields), send);

/** Sends a body to a token service, with the bearer that it is opened by. */
export async function sendToTokenService(
  { url, bearer }: Pick<CardForm, 'url' | 'bearer'>,
  body: Readonly<Record<string, string>>,
  send: typeof fetch,
): Promise<TokenAnswer> {
  try {
    const response = await send(url, {
      method: 'POST',
      mode: 'cors',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return tokenAnswer(response.status, await response.json());
  } catch {
    // No network, or no JSON: nothing was charged, so the person may try again.
    return { kind: 'failed' };
  }
}
