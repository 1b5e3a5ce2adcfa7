import { ANY_TYPE, type AnyCall } from '#platform/contract/call.ts';

/** A body holds a card number. The error says nothing more, and nothing of the body is stored. */
export class CardNumberFound extends Error {
  constructor() {
    super('a body holds a card number');
    this.name = 'CardNumberFound';
  }
}

/**
 * Whether what a call takes is searched for card numbers. Session descriptions and ICE candidates are full of
 * random numbers of that length, one in ten valid, and are never stored; what a payment processor signs must
 * be read as it came.
 */
export const keepsCardsOut = ({ credential, media }: AnyCall): boolean =>
  credential !== 'signature' && !(media?.accepts.includes('sdp') ?? false);

/**
 * The part of a body that is searched. A body of any type is read by nobody but those who signed it, and its
 * parts may be separated by long numbers (RFC 2046 §5.1.1).
 */
export const searchedBody = (body: unknown, call: AnyCall): unknown =>
  (call.media?.accepts === ANY_TYPE ? null : fieldsWithoutPhones(body, call));

/** A telephone number of the international form (ITU-T E.164): no card number begins with a plus. */
const PHONE = String.raw`\+[1-9]\d{6,14}`;
const IS_PHONE = new RegExp(`^${PHONE}$`, 'u');

/** A body of JSON without the telephone numbers that its call names, as it is searched for card numbers. */
export function withoutPhones(body: string | Buffer, fields: readonly string[] = []): string {
  if (fields.length === 0) return String(body);
  const named = new RegExp(`("(?:${fields.join('|')})"\\s*:\\s*)"${PHONE}"`, 'gu');
  return String(body).replaceAll(named, '$1""');
}

/** The same of a body that was parsed: its own fields alone. */
function fieldsWithoutPhones(body: unknown, { phones = [] }: Pick<AnyCall, 'phones'>): unknown {
  if (phones.length === 0 || typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name, value]) =>
    !(phones.includes(name) && typeof value === 'string' && IS_PHONE.test(value))));
}
