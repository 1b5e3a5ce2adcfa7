import { call, type AnyCall } from '#platform/contract/call.ts';
import { API_BASE, requestOf } from '#platform/contract/client.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bytesOf, compileInput, compileOutput } from './shapes.ts';

const shape = {
  input: z.object({
    place: z.string(),
    count: z.int(),
    price: z.number(),
    isNew: z.boolean(),
    word: z.string().optional(),
    mode: z.enum(['a', 'b']),
    step: z.literal(3).optional(),
  }),
  output: z.object({
    id: z.int(),
    name: z.string().nullable(),
    tags: z.array(z.string()),
    more: z.record(z.string(), z.unknown()),
    either: z.union([z.object({ a: z.int() }), z.object({ b: z.string() })]).optional(),
  }),
  access: 'anyone',
  credential: 'none',
  refusals: [],
  summary: '',
  description: '',
} as const;
const asQuery = call({ ...shape, name: 'x.get', method: 'GET', path: '/x/:place/y' });
const asBody = call({ ...shape, name: 'x.post', method: 'POST', path: '/x/:place/y' });

const input = fc.record(
  {
    // An empty segment makes a different path.
    place: fc.string({ unit: 'grapheme', minLength: 1 }),
    count: fc.integer(),
    price: fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
    isNew: fc.boolean(),
    word: fc.string({ unit: 'grapheme' }),
    mode: fc.constantFrom('a' as const, 'b' as const),
    step: fc.constant(3 as const),
  },
  { requiredKeys: ['place', 'count', 'price', 'isNew', 'mode'] },
);

/** The params and query of a request, as find-my-way and the query parser read them. */
function received(target: AnyCall, fields: Record<string, unknown>): unknown {
  const { path, body } = requestOf(target, fields);
  const url = new URL(path, 'http://localhost');
  const place = decodeURIComponent(/^\/api\/v1\/x\/([^/]*)\/y$/u.exec(url.pathname)?.[1] ?? '');
  const query = Object.fromEntries(url.searchParams);
  return compileInput(target)({ params: { place }, query, body: body === null ? {} : JSON.parse(body) });
}

describe('input', () => {
  it.each([
    ['query', asQuery],
    ['body', asBody],
  ])('survives the way through a %s unchanged', (_way, target) => {
    fc.assert(
      fc.property(input, (fields) => {
        // URL parsers resolve `..` and `../..`, so names like these can never be addressed.
        fc.pre(!/^\.{1,2}$/u.test(fields.place));
        expect(received(target, fields)).toEqual({ ok: true, input: fields });
      }),
    );
  });

  it('never accepts from a query what is no number', () => {
    const parse = compileInput(asQuery);
    const good = { count: '1', price: '1', isNew: 'true', mode: 'a' };
    for (const count of [
      '',
      ' 1',
      '1e3',
      '0x10',
      'NaN',
      'Infinity',
      '1.5',
      '--1',
      '9'.repeat(20),
      ['1', '2'],
    ]) {
      expect(parse({ params: { place: 'x' }, query: { ...good, count }, body: {} }).ok, String(count)).toBe(
        false,
      );
    }
    expect(parse({ params: { place: 'x' }, query: good, body: {} }).ok).toBe(true);
  });

  const nested = call({
    ...shape,
    name: 'x.nested',
    method: 'POST',
    path: '/x/:place/nested',
    input: z.object({
      place: z.string(),
      list: z.array(z.object({ a: z.int() })).optional(),
      either: z.union([z.object({ b: z.int() }), z.object({ c: z.int() }), z.null()]).optional(),
      more: z.record(z.string(), z.unknown()).optional(),
      open: z.object({ d: z.int() }).loose().optional(),
      both: z.intersection(z.object({ e: z.int() }), z.object({ f: z.int() })).optional(),
    }),
  });
  const refusedIn = (target: AnyCall, body: unknown): unknown => {
    const parsed = compileInput(target)({ params: { place: 'x' }, query: {}, body });
    return parsed.ok ? [] : parsed.issues.map(({ code, path }) => `${code} ${path?.join('.')}`);
  };

  it('refuses by name each field of a body that the contract does not name, however deep', () => {
    expect(refusedIn(nested, { colour: 1, list: [{ a: 1, x: 1 }], either: { b: 1, y: 1 } })).toEqual([
      'unknown_field colour',
      'unknown_field list.0.x',
      'unknown_field either.y',
    ]);
    const inherited = JSON.parse('{"toString":1,"constructor":{}}') as unknown;
    expect(refusedIn(nested, inherited)).toEqual(['unknown_field toString', 'unknown_field constructor']);
    // A field of one of two alternatives is unknown in the other.
    expect(refusedIn(nested, { either: { b: 1, c: 1 } })).toEqual(['unknown_field either.c']);
    expect(refusedIn(nested, {
      place: 'y',
      list: [{ a: 1 }],
      either: null,
      more: { any: 1 },
      open: {
        d: 1,
        any: 1,
      },
      both: { e: 1, f: 1 },
    })).toEqual([]);
  });

  it('leaves out of a query what the contract does not name', () => {
    const query = { count: '1', price: '1', isNew: 'true', mode: 'a', utm_source: 'mail' };
    const parsed = compileInput(asQuery)({ params: { place: 'x' }, query, body: {} });
    expect(parsed).toEqual({ ok: true, input: { place: 'x', count: 1, price: 1, isNew: true, mode: 'a' } });
  });

  it('addresses calls below the base unless they are at the root', () => {
    expect(requestOf(asQuery, { place: 'a b' }).path).toBe(`${API_BASE}/x/a%20b/y`);
    expect(
      requestOf(call({ ...shape, name: 'x.root', method: 'GET', path: '/whip', root: true }), {}).path,
    ).toBe('/whip');
    const wild = call({ ...shape, name: 'x.wild', method: 'GET', path: '/browse/*' });
    expect(requestOf(wild, { path: 'girls/../x?y' }).path).toBe(`${API_BASE}/browse/girls/../x%3Fy`);
  });
});

describe('output', () => {
  const write = compileOutput(asBody, false);

  it('is the same as JSON for what the contract names', () => {
    const output = fc.record({
      id: fc.integer(),
      name: fc.option(fc.string({ unit: 'grapheme' })),
      tags: fc.array(fc.string({ unit: 'grapheme' })),
      more: fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        fc.jsonValue(),
      ),
    });
    fc.assert(
      fc.property(output, (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(JSON.parse(write(value))).toEqual(plain);
      }),
    );
  });

  it('leaves out what the contract does not name, inside of unions too', () => {
    const value = {
      id: 1,
      name: null,
      tags: [],
      more: {},
      either: { b: 'x', hash: 'secret' },
      password: 'secret',
    };
    expect(write(value)).not.toContain('secret');
  });

  it('is an error without a field the contract requires', () => {
    expect(() => write({ id: 1, name: null, more: {} })).toThrow('"tags" is required');
    expect(() => compileOutput(asBody, true)({ id: 1.5, name: null, tags: [], more: {} })).toThrow();
  });
});

describe('lists of frozen objects', () => {
  const tile = z.object({ id: z.int(), name: z.string().nullable(), tags: z.array(z.string()) });
  const listing = call({
    ...shape,
    name: 'x.listing',
    method: 'GET',
    path: '/listing',
    output: z.object({
      // Optional fields are written after those required, wherever the shape has them.
      more: z.array(tile).optional(),
      list: z.array(tile),
      title: z.string(),
      others: z.array(tile),
    }),
  });
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"\u00000"', '\u00001', '"\\u00000"', '[]'),
  );
  const tiles = fc.array(
    fc.record({ id: fc.integer(), name: fc.option(text), tags: fc.array(text, { maxLength: 3 }) }),
    { maxLength: 4 },
  );
  const answers = fc.record(
    { more: tiles, list: tiles, title: text, others: tiles },
    { requiredKeys: ['list', 'title', 'others'] },
  );

  it('are written as any list is, whatever their texts', () => {
    const write = compileOutput(listing, false);
    fc.assert(fc.property(answers, fc.boolean(), (answer, mixed) => {
      const plain = write(answer);
      const freeze = <T extends object>(all: T[] | undefined) =>
        all?.map((item, at) => (mixed && at % 2 === 1 ? item : Object.freeze({ ...item, secret: 'hash' })));
      const { more, list, others } = answer;
      const frozen = {
        ...answer,
        ...(more ? { more: freeze(more) } : {}),
        list: freeze(list),
        others: freeze(others),
      };
      expect(write(frozen)).toBe(plain);
      expect(write(frozen)).toBe(plain);
      expect(JSON.parse(plain)).toEqual(answer);
    }));
  });

  it('are written once an object, however many answers it is in', () => {
    const write = compileOutput(listing, false);
    let read = 0;
    const shared = Object.freeze({
      id: 1,
      tags: [],
      get name() {
        read += 1;
        return 'a';
      },
    });
    const answer = { list: [shared], title: 't', others: [] };
    const first = write(answer);
    const once = read;
    expect(once).toBeGreaterThan(0);
    expect(write({ ...answer, title: 'u', others: [shared, shared] })).toBe(
      '{"list":[{"id":1,"name":"a","tags":[]}],"title":"u",'
        + '"others":[{"id":1,"name":"a","tags":[]},{"id":1,"name":"a","tags":[]}]}',
    );
    expect(first).toBe('{"list":[{"id":1,"name":"a","tags":[]}],"title":"t","others":[]}');
    // Each of the two lists has a shape of its own.
    expect(read).toBe(once * 2);
  });

  it('are required where the contract requires them', () => {
    const answer = { more: [Object.freeze({ id: 1, name: null, tags: [] })], title: 't', others: [] };
    expect(() => compileOutput(listing, false)(answer)).toThrow('"list" is required');
    expect(() => compileOutput(listing, false)({ ...answer, list: {} })).toThrow();
  });
});

describe('bytes of an answer', () => {
  it('are written once of a frozen one, and each time of one that may change', () => {
    let count = 0;
    const write = bytesOf((value) => {
      count += 1;
      return JSON.stringify(value);
    });
    const shared = Object.freeze({ name: 'é' });
    expect(String(write(shared))).toBe('{"name":"é"}');
    expect(write(shared)).toBe(write(shared));
    expect(count).toBe(1);
    const own = { name: 'a' };
    expect(write(own)).toBe('{"name":"a"}');
    own.name = 'b';
    expect(write(own)).toBe('{"name":"b"}');
    expect(write(Object.freeze({ name: 'c' }))).not.toEqual(write(shared));
  });
});
