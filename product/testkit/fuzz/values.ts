import type { JsonSchema } from '#platform/http/pipeline/shapes.ts';
import type { Dice } from '../money/dice.ts';

/** JSON schema with the limits of values, which generated values respect or break. */
export interface Schema extends JsonSchema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Values that break careless code: parsers, databases, arithmetic, dates, other alphabets. */
const HOSTILE: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1e308,
  -1e308,
  5e-324,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  1e21,
  '',
  ' ',
  '\0',
  'a\0b',
  '\uD800',
  '\uDC00x',
  'x\uD83D',
  '\uFEFF',
  '\u202Eabc',
  '\u200B',
  'e\u0301'.repeat(40),
  'NaN',
  'Infinity',
  '-Infinity',
  'null',
  'undefined',
  'true',
  '0x10',
  '1e400',
  '-0',
  '007',
  '1,5',
  '٣',
  '½',
  '2026-02-30',
  '2026-13-01',
  '0000-00-00',
  '9999-12-31',
  '-271821-04-20',
  '+275760-09-14T00:00:00Z',
  '2026-01-01T25:00:00Z',
  '1969-12-31T23:59:60Z',
  '24:00',
  'infinity',
  'now',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
  'not-a-uuid',
  '\'; drop table x; --',
  '%',
  '_',
  '\\',
  '%%%',
  '$1',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '../../etc',
  '/',
  '//evil.example',
  'javascript:alert(1)',
  'http://[::1',
  'a@b',
  'a@b.c'.repeat(60),
  '\r\nset-cookie: a=b',
  'x'.repeat(300),
  'x'.repeat(5_000),
  '😀'.repeat(200),
  'ﷺ'.repeat(50),
  'İ',
  'ß',
  'ﬀ',
  [],
  {},
  [null],
  [[]],
  [[[[[[]]]]]],
  { '': 0 },
  { a: { b: { c: null } } },
  Array.from({ length: 1_200 }, (_, nth) => nth),
  Array.from({ length: 300 }, () => 'x'),
  JSON.parse('{"__proto__":{"polluted":1}}'),
  { constructor: { prototype: {} } },
  { toString: null },
];

/** Values that broke something here before, tried more often than the rest. */
const SHARP: readonly string[] = [
  '\0',
  'a\0b',
  '\uD800',
  'x\uD83D',
  '2026-02-30',
  '2026-13-01',
  '9999-12-31',
];
/** How often one of them is used, and how often an otherwise valid text contains one. */
const SHARP_SHARE = 0.35;
const SHARP_TEXT_SHARE = 0.06;

/** Characters of texts that a schema allows. */
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789_-. äßçñ漢字🙂\'"<&%'];
/** Texts that match the patterns in contracts. */
const FORMS = [
  '2026-01',
  '2026-01-15',
  '12:30',
  'DE',
  'US-FL',
  'EUR',
  'en',
  '#a1b2c3',
  '1',
  '12345',
  '1_100',
  'kim-doe',
  'kim_doe',
  'abc',
  'ABCDEF',
  '00000000-0000-4000-8000-000000000000',
  'a'.repeat(16),
  'a'.repeat(32),
  'a'.repeat(64),
  '0'.repeat(64),
  'https://cam.example/x',
  '/x',
  'x@people.example',
  'v1.2.3',
];
const DAYS = ['2026-01-15', '2026-02-28', '2025-12-31', '2024-02-29'];
const MAX_TEXT = 40;
const MAX_ITEMS = 3;

/** Values from answers, by field name: an id from one answer is the input of another call. */
export class Harvest {
  readonly #values = new Map<string, unknown[]>();

  constructor(seeds: Readonly<Record<string, readonly unknown[]>> = {}) {
    for (const [name, values] of Object.entries(seeds)) this.#values.set(name, [...values]);
  }

  /** Stores the simple values of an answer. */
  learn(value: unknown, name = '', depth = 0): void {
    if (depth > 6 || value === null || value === undefined) return;
    if (Array.isArray(value)) {
      for (const one of value.slice(0, 3)) this.learn(one, name, depth + 1);
    } else if (typeof value === 'object') {
      for (const [key, one] of Object.entries(value)) this.learn(one, key, depth + 1);
    } else if (name !== '' && typeof value !== 'boolean') {
      const known = this.#values.get(name) ?? [];
      if (known.includes(value)) return;
      if (known.length >= 24) known.shift();
      known.push(value);
      this.#values.set(name, known);
    }
  }

  /** Known values of a field, including those under other names that calls use for the same thing. */
  of(name: string): readonly unknown[] {
    const alike = ALIKE.find((names) => names.includes(name)) ?? [name];
    return alike.flatMap((text) => this.#values.get(text) ?? []);
  }
}
/** Different names of the same thing. */
const ALIKE = [
  ['username', 'model', 'subject', 'performer', 'name', 'login', 'stream', 'from', 'to'],
  ['internal_id', 'product', 'internalId'],
  ['token', 'node_token', 'key', 'code'],
  ['id', 'order', 'order_id', 'person_id', 'personId', 'cardId', 'session'],
  ['before', 'after', 'next', 'cursor', 'day', 'since', 'at'],
] as const satisfies readonly (readonly string[])[] as readonly (readonly string[])[];

export const hostile = (dice: Dice): unknown => dice.pick(dice.chance(SHARP_SHARE) ? SHARP : HOSTILE);

function textFor(schema: Schema, dice: Dice): string {
  if (schema.format === 'date') return dice.pick(DAYS);
  if (schema.format === 'date-time') return `${dice.pick(DAYS)}T12:00:00.000Z`;
  if (schema.format === 'uuid') return dice.uuid();
  if (schema.format === 'email') return `p${dice.between(1, 1e6)}@people.example`;
  if (dice.chance(SHARP_TEXT_SHARE)) return dice.pick(SHARP);
  const formed = schema.pattern === undefined
    ? []
    : FORMS.filter((form) => new RegExp(schema.pattern ?? '', 'u').test(form));
  if (formed.length > 0) return dice.pick(formed);
  const least = schema.minLength ?? 0;
  const most = Math.max(least, Math.min(schema.maxLength ?? MAX_TEXT, MAX_TEXT));
  // The limits of what is allowed are where off-by-one errors are.
  const length = dice.chance(0.2) ? (schema.maxLength ?? most) : dice.between(least, most);
  return Array.from({ length }, () => dice.pick(LETTERS)).join('').slice(0, schema.maxLength ?? length);
}

function numberFor(schema: Schema, dice: Dice, isWhole: boolean): number {
  const least = Math.max(schema.minimum ?? -1_000, (schema.exclusiveMinimum ?? -1e9) + (isWhole ? 1 : 0.01));
  const most = schema.maximum ?? Math.max(least, 1_000);
  const choice = dice.between(0, 5);
  if (choice === 0) return least;
  if (choice === 1) return most;
  const near = Math.min(most, least + 60);
  return isWhole ? dice.between(least, near) : least + dice.roll() * (near - least);
}

/** A value that a schema allows, preferably a known one of a field with this name. */
function valueFor(schema: Schema, dice: Dice, harvest: Harvest, name = ''): unknown {
  if ('const' in schema) return schema.const;
  if (schema.enum) return dice.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return valueFor(dice.pick(choices), dice, harvest, name);
  if (schema.allOf) {
    const parts = schema.allOf.map((item) => valueFor(item, dice, harvest, name));
    return parts.every(
        (part) => typeof part === 'object',
      )
      ? Object.assign({}, ...parts) as unknown
      : parts[0];
  }
  const type = Array.isArray(schema.type) ? dice.pick(schema.type as string[]) : schema.type;
  if (type === 'string' || type === 'integer' || type === 'number') {
    const isText = type === 'string';
    const known = harvest.of(name).filter((item) => (typeof item === 'string') === isText);
    if (known.length > 0 && dice.chance(0.7)) return dice.pick(known);
    return isText ? textFor(schema, dice) : numberFor(schema, dice, type === 'integer');
  }
  if (type === 'boolean') return dice.chance(0.5);
  if (type === 'null') return null;
  if (type === 'array') {
    const length = dice.between(schema.minItems ?? 0, Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS));
    return Array.from(
      { length: Math.max(length, schema.minItems ?? 0) },
      () => valueFor(schema.items ?? {}, dice, harvest, name),
    );
  }
  if (type === 'object' || schema.properties) return objectFor(schema, dice, harvest);
  return hostile(dice);
}

export function objectFor(schema: Schema, dice: Dice, harvest: Harvest): Record<string, unknown> {
  const required = new Set(schema.required);
  return Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([name]) => required.has(name) || dice.chance(0.6))
      .map(([name, field]) => [name, valueFor(field, dice, harvest, name)]),
  );
}
