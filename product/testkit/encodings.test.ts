import type { AnyEvent } from '#platform/contract/event.ts';
import * as sockets from '#platform/contract/sockets/lobby.ts';
import { TemplateBook } from '#platform/contract/sockets/templates.ts';
import { Encodings, shapeOf, type Shape } from '#platform/realtime/gateway/encodings.ts';
import { FREQUENT_EVENTS } from '#product/assembly.ts';
import {
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  dictionary,
  double,
  integer,
  jsonValue,
  oneof,
  property,
  record,
  string,
  type Arbitrary,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { declaredBySlices } from './contracts.ts';

/** Arbitrary payloads of a shape. */
function payloads(shape: Shape): Arbitrary<unknown> {
  if ('const' in shape) return constant(shape.const);
  if (shape.enum) return constantFrom(...shape.enum);
  if (shape.anyOf) return oneof(...shape.anyOf.map(payloads));
  if (shape.properties) {
    const fields = Object.fromEntries(
      Object.entries(shape.properties)
        .map(([name, field]) => [name, payloads(field)]),
    );
    return record(fields, { requiredKeys: [...(shape.required ?? [])] });
  }
  if (typeof shape.additionalProperties === 'object') {
    return dictionary(string(), payloads(shape.additionalProperties), { maxKeys: 4 });
  }
  if (Array.isArray(shape.type)) return oneof(...shape.type.map((type) => payloads({ ...shape, type })));
  if (shape.type === 'array') return array(payloads(shape.items ?? {}), { maxLength: 4 });
  return SIMPLE[String(shape.type)] ?? jsonValue();
}
const SIMPLE: Readonly<Record<string, Arbitrary<unknown>>> = {
  string: oneof(constant(''), string({ unit: 'binary' })),
  boolean: boolean(),
  null: constant(null),
  integer: oneof(constant(0), integer()),
  number: double({ noNaN: true, noDefaultInfinity: true }),
};

const isServerEvent = (value: unknown): value is AnyEvent =>
  typeof value === 'object' && value !== null && 'socket' in value && 'shape' in value
  && 'from' in value && value.from !== 'client';

const schemaOf = ({ shape }: AnyEvent): Shape => shapeOf(shape);
const every = [...Object.values<unknown>(sockets), ...await declaredBySlices()].filter(isServerEvent).map(
  (event) => [event.name, event] as const,
);

/** The templates of a client that received a socket's first messages with these encodings. */
function bookOf(encodings: Encodings): TemplateBook {
  const book = new TemplateBook();
  for (const text of encodings.introduction()) {
    const [name, payload] = JSON.parse(text) as [string, { templates: never; events: never }];
    if (name === sockets.templates.name) book.learnTemplates(payload.templates);
    else book.learnEvents(payload.events);
  }
  return book;
}

describe('both encodings of every event', () => {
  it('are there for more than thirty events of the contract', () => {
    expect(every.length).toBeGreaterThan(30);
  });

  it.each(every)('mean the same: %s', (_name, event) => {
    const schema = schemaOf(event);
    const hasFields = Object.keys(schema.properties ?? {}).length > 0;
    const encodings = new Encodings(hasFields ? [event] : []);
    const book = bookOf(encodings);
    assert(
      property(payloads(schema), oneof(constant(null), integer({ min: 1 })), (payload, seq) => {
        const text = encodings.text('compressed', event.name, payload, seq);
        const asSent: unknown = JSON.parse(JSON.stringify(payload));
        expect(book.read(text)).toEqual({ frame: { name: event.name, payload: asSent, seq } });
        expect(text.startsWith('["')).toBe(!hasFields);
      }),
      { numRuns: 60 },
    );
  });

  it.each(FREQUENT_EVENTS.map((event) => [event.name, event] as const))(
    'differ in size, in favour of the compressed: %s',
    (_name, event) => {
      const encodings = new Encodings(FREQUENT_EVENTS);
      assert(
        property(payloads(schemaOf(event)), (payload) => {
          const [plain, packed] = (['plain', 'compressed'] as const)
            .map((encoding) => encodings.text(encoding, event.name, payload).length);
          expect(packed).toBeLessThan(plain as number);
        }),
        { numRuns: 60 },
      );
    },
  );
});
