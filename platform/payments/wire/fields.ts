import type { CallbackReading, CallbackReply, PaymentEvent, RawCallback } from '../biller.ts';

/** Callbacks are a few kilobytes; the host has the same limit. */
export const MAX_BODY_CHARACTERS = 64 * 1024;
/** The longest known callback has 60 fields. */
const MAX_FIELDS = 256;

export type Fields = ReadonlyMap<string, string>;

/** Fields of `a=1&b=2`; null when a field occurs twice (which one counts?) or there are too many. */
export function formFields(text: string): Fields | null {
  if (text.length > MAX_BODY_CHARACTERS) return null;
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name) || fields.size >= MAX_FIELDS) return null;
    fields.set(name, value);
  }
  return fields;
}

/** Parses JSON; undefined when the text is invalid or too long. Never throws. */
export function jsonOf(text: string, limit = MAX_BODY_CHARACTERS): unknown {
  if (text.length > limit) return undefined;
  if (text.length > MAX_BODY_CHARACTERS) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The scalars of a JSON object as texts, without nested values; null when it is not an object. */
export function flatFields(value: unknown): Fields | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) return null;
  const fields = new Map<string, string>();
  for (const [name, one] of entries) {
    if (typeof one === 'string') fields.set(name, one);
    else if (typeof one === 'number' || typeof one === 'boolean') fields.set(name, String(one));
  }
  return fields;
}

/** The body of a callback, JSON or urlencoded by its content type. */
export function bodyFields(raw: RawCallback): Fields | null {
  const type = raw.headers['content-type'] ?? '';
  return type.includes('json') ? flatFields(jsonOf(raw.body)) : formFields(raw.body);
}

/** A field that is present and not empty, else null. */
export const textOf = (fields: Fields, name: string): string | null => fields.get(name) || null;

/** An event with only its name set, to be filled by a codec. */
export const bareEvent = (
  id: string,
  type: PaymentEvent['type'],
  reference: string,
): PaymentEvent => ({
  id,
  type,
  reference,
  orderId: null,
  of: null,
  subscription: null,
  amount: null,
  card: null,
  decline: null,
  at: null,
});

/** The reply most billers expect: see `CallbackReply`. */
export const plainReply = ({ kind }: CallbackReading): CallbackReply => ({
  status: kind === 'genuine' || kind === 'unsigned' ? 200 : 400,
  contentType: 'text/plain',
  body: 'OK',
});
