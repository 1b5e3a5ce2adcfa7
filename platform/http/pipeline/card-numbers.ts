import { ANY_TYPE, type AnyCall } from '#platform/contract/call.ts';

/** A body holds a card number. The error says nothing more, and nothing of the body is stored. */
export class CardNumberFound extends Error {
  constructor() {
    super('a body holds a card number');
    this.name = 'CardNumberFound';
  }
}

/**
 * Whether the input of a call is searched for card numbers. Session descriptions and ICE candidates are full
 * of random numbers of that length, one in ten of them valid, and are never stored; input that a payment
 * processor signs must be read unchanged.
 */
export const keepsCardsOut = ({ credential, media }: AnyCall): boolean =>
  credential !== 'signature' && !(media?.accepts.includes('sdp') ?? false);

/**
 * The part of a body that is searched. A body of any type is not: only calls with the credential `signature`
 * read its content, and its parts may be separated by long numbers (RFC 2046 §5.1.1).
 */
export const searchedBody = (
  body: unknown,
  call: AnyCall,
): unknown => (call.media?.accepts === ANY_TYPE ? null : fieldsWithoutPhones(body, call));

/** A telephone number in international format (ITU-T E.164): no card number begins with a plus. */
const PHONE = String.raw`\+[1-9]\d{6,14}`;
const IS_PHONE = new RegExp(`^${PHONE}$`, 'u');

/** A JSON body without the telephone numbers in the fields that its call names, for the search. */
export function withoutPhones(body: string | Buffer, fields: readonly string[] = []): string {
  if (fields.length === 0) return String(body);
  const named = new RegExp(`("(?:${fields.join('|')})"\\s*:\\s*)"${PHONE}"`, 'gu');
  return String(body).replaceAll(named, '$1""');
}

/** The same for the top-level fields of a parsed body. */
function fieldsWithoutPhones(body: unknown, { phones = [] }: Pick<AnyCall, 'phones'>): unknown {
  if (phones.length === 0 || typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) =>
      !(phones.includes(name) && typeof value === 'string' && IS_PHONE.test(value))
    ),
  );
}
