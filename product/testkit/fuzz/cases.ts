import { pathFields, UPLOAD_TYPE, type AnyCall } from '#platform/contract/call.ts';
import { API_BASE } from '#platform/contract/client.ts';
import type { Dice } from '../money/dice.ts';
import { hostile, objectFor, type Harvest, type Schema } from './values.ts';

/** How a request deviates from its call's contract. */
type Kind = 'fitting' | 'one wrong' | 'all wrong' | 'missing' | 'unknown field' | 'no object' | 'unreadable';

export interface Case {
  readonly kind: Kind;
  readonly method: AnyCall['method'];
  readonly url: string;
  /** The body as sent; null for none. */
  readonly body: string | null;
  readonly contentType: string | null;
  readonly idempotencyKey: string | null;
  readonly bearer: string | null;
}

/** A field that no contract has. */
export const UNKNOWN_FIELD = 'field_of_nobody';

const WEIGHTS: Readonly<Record<Kind, number>> = {
  'fitting': 40,
  'one wrong': 30,
  'all wrong': 6,
  'missing': 6,
  'unknown field': 8,
  'no object': 5,
  'unreadable': 5,
};
const UNREADABLE = ['{', '{"a":', '[1,2', '\uFEFF{}', '{"a":1}{', 'nul', '"\\u12"', '{"a":01}', '', '\0'];
const NO_OBJECTS = ['[]', 'null', '1', '"text"', 'true', '[{}]'];

/** Whether a call takes a JSON body. */
export const takesJson = ({ media, method }: AnyCall): boolean =>
  !media && (method === 'POST' || method === 'PATCH');

const textOf = (
  value: unknown,
): string => (typeof value === 'string' ? value : JSON.stringify(value) ?? 'undefined');

/** Text in an address; lone surrogates, which UTF-8 cannot encode, go as their broken bytes. */
const inAddress = (value: unknown): string =>
  [...textOf(value)]
    .map((letter) => (/^[\uD800-\uDFFF]$/u.test(letter) ? '%ED%A0%80' : encodeURIComponent(letter)))
    .join('');

/** Clients resolve `.` and `..` as path segments, so no address can contain them. */
const segment = (value: unknown): string => inAddress(value).replace(/^\.{1,2}$/u, 'x');

function addressOf(
  call: AnyCall,
  fields: Readonly<Record<string, unknown>>,
  inPath: ReadonlySet<string>,
): string {
  const path = call.path.split('/').map((part) => {
    if (part === '*') return textOf(fields['path'] ?? '').split('/').map(segment).join('/');
    return part.startsWith(':') ? segment(fields[part.slice(1)] ?? '') : part;
  }).join('/');
  const full = (call.root ? '' : API_BASE) + path;
  if (takesJson(call)) return full;
  const query = Object.entries(fields).filter(
    ([name]) => !inPath.has(name) && !(call.media && name === 'body'),
  )
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value.slice(0, 20) : [value])
        .map((item: unknown) => `${inAddress(name)}=${inAddress(item)}`)
    ).join('&');
  return query === '' ? full : `${full}?${query}`;
}

function changed(
  kind: Kind,
  fields: Record<string, unknown>,
  names: readonly string[],
  dice: Dice,
): Record<string, unknown> {
  if (kind === 'unknown field') return { ...fields, [UNKNOWN_FIELD]: hostile(dice) };
  if (kind === 'all wrong') return Object.fromEntries(names.map((name) => [name, hostile(dice)]));
  if (names.length === 0) return fields;
  const name = dice.pick(names);
  if (kind === 'one wrong') return { ...fields, [name]: hostile(dice) };
  if (kind === 'missing') {
    return Object.fromEntries(
      Object.entries(fields).filter(([other]) => other !== name),
    );
  }
  return fields;
}

/** A form with a file of the wrong kind, sometimes malformed. */
function formWith(content: string, dice: Dice): string {
  const head = 'Content-Disposition: form-data; name="file"; filename="a.png"';
  const part = `--edge\r\n${head}\r\n\r\n${content}\r\n`;
  return dice.weighted({ [`${part}--edge--\r\n`]: 8, [part]: 1, [`${part}${part}--edge--\r\n`]: 1 });
}

/** One random request to a call. */
export function caseFor(call: AnyCall, schema: Schema, dice: Dice, harvest: Harvest): Case {
  const kind = dice.weighted(WEIGHTS);
  const inPath = new Set(pathFields(call.path));
  const names = Object.keys(schema.properties ?? {});
  const fields = changed(kind, objectFor(schema, dice, harvest), names, dice);
  const own = Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath.has(name)));
  const hasBody = call.method === 'POST' || call.method === 'PATCH';
  const text = !hasBody
    ? null
    : kind === 'no object' && !call.media
    ? dice.pick(NO_OBJECTS)
    : kind === 'unreadable'
    ? dice.pick(UNREADABLE)
    : call.upload
    ? formWith(textOf(hostile(dice)), dice)
    : call.media
    ? textOf(fields['body'] ?? '')
    : JSON.stringify(own);
  const accepts = call.upload ? `${UPLOAD_TYPE}; boundary=edge` : call.media?.accepts ?? 'application/json';
  const contentType = accepts === '*/*' ? 'application/x-www-form-urlencoded' : accepts;
  return {
    kind,
    method: call.method,
    url: addressOf(call, fields, inPath),
    body: text,
    contentType: text === null ? null : dice.chance(0.03) ? 'text/csv' : contentType,
    idempotencyKey: call.idempotency === undefined || dice.chance(0.05)
      ? null
      : dice.chance(0.9)
      ? dice.uuid()
      : 'x'.repeat(dice.between(0, 300)),
    bearer: call.credential === 'bearer' ? textOf(dice.pick([...harvest.of('token'), 'x', 'a.b.c'])) : null,
  };
}
