import { event, type AnyEvent } from '#platform/contract/event.ts';
import { TemplateBook } from '#platform/contract/sockets/templates.ts';
import {
  anything,
  array,
  assert,
  constantFrom,
  integer,
  jsonValue,
  property,
  string,
  tuple,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Encodings } from './encodings.ts';

const Person = z.object({ name: z.string(), is_kind: z.boolean(), tokens: z.int().nullable() });
const spoken = event({
  name: 'v3.test.spoken',
  socket: 'room',
  from: 'server',
  description: 'A message with everything.',
  shape: z.object({
    id: z.int(),
    text: z.string(),
    kind: z.enum(['plain', 'loud']),
    by: Person.nullable(),
    mentions: z.array(Person),
    tags: z.array(z.string()),
    colour: z.string().nullable(),
    extra: z.unknown().optional(),
    size: z.int().optional(),
  }),
});
const listed = event({
  name: 'v3.test.listed',
  socket: 'room',
  from: 'server',
  description: 'A list.',
  shape: z.object({ count: z.int(), people: z.array(Person) }),
});

/** A client that has received the introduction of the gateway. */
function bookOf(encodings: Encodings): TemplateBook {
  const book = new TemplateBook();
  for (const text of encodings.introduction()) {
    const reading = book.read(text);
    if ('error' in reading) throw new Error(reading.error);
    const { name, payload } = reading.frame;
    const content = payload as { templates: never; events: never };
    if (name === 'v3.templates') book.learnTemplates(content.templates);
    else book.learnEvents(content.events);
  }
  return book;
}

const encodings = new Encodings([spoken, listed]);
const book = bookOf(encodings);
const compressed = ({ name }: AnyEvent, payload: unknown, seq: number | null = null): string =>
  encodings.text('compressed', name, payload, seq);
const ada = { name: 'ada', is_kind: true, tokens: null };
const message = {
  id: 7,
  text: 'hi',
  kind: 'plain',
  by: ada,
  mentions: [],
  tags: [],
  colour: null,
};

describe('compressed frames', () => {
  it('are the values a bitmask names, from which the template rebuilds the payload [C-216]', () => {
    expect(compressed(spoken, message)).toBe('[2,[7,"hi",[3,"ada",true]],11]');
    expect(compressed(spoken, message, 12)).toBe('[2,[7,"hi",[3,"ada",true]],11,12]');
    expect(book.read('[2,[7,"hi",[3,"ada",true]],11,12]')).toEqual({
      frame: { name: 'v3.test.spoken', payload: message, seq: 12 },
    });
    const nobody = { name: '', is_kind: false, tokens: 3 };
    const people = [ada, nobody, { name: 'b', is_kind: false, tokens: null }];
    expect(compressed(listed, { count: 3, people })).toBe('[3,[3,[[3,"ada",true],[4,3],[1,"b"]]],3]');
  });

  it('mean what the templates and the events list sent last [C-217, C-218]', () => {
    const own = bookOf(encodings);
    own.learnEvents([{ id: 3, name: 'v3.test.renamed' }]);
    expect(own.read('[3,[3],1]'))
      .toMatchObject({ frame: { name: 'v3.test.renamed', payload: { count: 3 } } });
    own.learnTemplates([{ id: 3, fields: [{ name: 'other', default: 'unsaid' }, { name: 'count' }] }]);
    expect(own.read('[3,[3],2]')).toMatchObject({ frame: { payload: { other: 'unsaid', count: 3 } } });
    expect(own.read('[9,[3],1]')).toEqual({ error: 'unknownId' });
  });

  it.each<[string, unknown]>([
    ['a field the template does not know', { ...message, later: 1 }],
    ['a field missing that has a default', { ...message, text: undefined }],
    ['a row that does not fit', { ...message, by: { ...ada, age: 30 } }],
    ['a list with a row that does not fit', { ...message, mentions: [ada, null] }],
    ['a list that is none', { ...message, mentions: 'ada' }],
    ['no object', ['hi']],
    ['nothing', null],
  ])('are plain where the template cannot say it: %s', (_what, payload) => {
    const text = compressed(spoken, payload, 4);
    expect(text).toBe(encodings.text('plain', spoken.name, payload, 4));
    expect(book.read(text)).toMatchObject({ frame: { name: spoken.name, seq: 4 } });
  });

  it('leave out what is optional and not there, and keep what is', () => {
    for (const extra of [{}, { size: 0 }, { extra: null }, { extra: { deep: [1] }, size: 3 }]) {
      const text = compressed(spoken, { ...message, ...extra });
      expect(text.startsWith('[2,')).toBe(true);
      expect(book.read(text)).toEqual({
        frame: { name: spoken.name, payload: { ...message, ...extra }, seq: null },
      });
    }
  });

  it('have a bit for each field of 52, and no template beyond [C-428]', () => {
    const wide = (fields: number) =>
      event({
        name: 'v3.test.wide',
        socket: 'room',
        from: 'server',
        description: 'Wide.',
        shape: z.object(Object.fromEntries(Array.from({ length: fields }, (_, at) => [`f${at}`, z.int()]))),
      });
    const all = new Encodings([wide(52)]);
    const fields = Array.from({ length: 52 }, (_, at) => [`f${at}`, at] as const);
    const payload = Object.fromEntries(fields);
    const text = all.text('compressed', 'v3.test.wide', payload);
    expect(JSON.parse(text)).toMatchObject([1, { length: 51 }, 2 ** 52 - 2]);
    expect(bookOf(all).read(text)).toEqual({ frame: { name: 'v3.test.wide', payload, seq: null } });
    expect(() => new Encodings([wide(53)])).toThrow('cannot have a template');
  });

  it('are read without a throw whatever comes, and never change what a name means', () => {
    const part = anything({ withNullPrototype: true });
    const frames = tuple(constantFrom<unknown>(1, 2, 3, 4, 'v3.test.spoken', -1, 1.5, null), part, part, part)
      .map((parts) =>
        JSON.stringify(
          parts,
          (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
        ) ?? ''
      );
    const near = tuple(constantFrom(1, 2, 3), array(jsonValue(), { maxLength: 5 }), integer(), integer())
      .map((parts) => JSON.stringify(parts));
    for (const texts of [frames, near, string(), jsonValue().map((value) => JSON.stringify(value))]) {
      assert(
        property(texts, (text) => {
          const reading = book.read(text);
          if ('frame' in reading) {
            expect(typeof reading.frame.name).toBe('string');
            expect(reading.frame.seq === null || reading.frame.seq > 0).toBe(true);
          }
          expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
        }),
        { numRuns: 2_000 },
      );
    }
    const hostile = new TemplateBook();
    hostile.learnEvents([{ id: 1, name: '__proto__' }]);
    hostile.learnTemplates([{ id: 1, fields: [{ name: '__proto__' }, { name: 'x', rows: 1 }] }]);
    const reading = hostile.read('[1,[{"polluted":true},[]],3]');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect('frame' in reading && Object.getPrototypeOf(reading.frame.payload)).toBe(Object.prototype);
  });

  it('are bounded: a client keeps so many templates and names, and 52 fields [C-428]', () => {
    const own = new TemplateBook();
    own.learnTemplates([{ id: 1, fields: Array.from({ length: 53 }, (_, at) => ({ name: `f${at}` })) }]);
    own.learnEvents([{ id: 1, name: 'v3.test.wide' }]);
    expect(own.read('[1,[],0]')).toEqual({ error: 'malformed' });
    own.learnTemplates([{ id: 1, fields: Array.from({ length: 52 }, (_, at) => ({ name: `f${at}` })) }]);
    expect(own.read(`[1,["last"],${2 ** 51}]`))
      .toEqual({ frame: { name: 'v3.test.wide', payload: { f51: 'last' }, seq: null } });
    expect(own.read(`[1,["beyond"],${2 ** 52}]`)).toEqual({ error: 'malformed' });
    // Of 512 names and templates, only the first 256 count.
    for (let id = 2; id <= 512; id += 1) own.learnEvents([{ id, name: `v3.test.${id}` }]);
    for (let id = 2; id <= 512; id += 1) own.learnTemplates([{ id, fields: [{ name: 'text' }] }]);
    expect(own.read('[256,["one of them"],1]'))
      .toEqual({ frame: { name: 'v3.test.256', payload: { text: 'one of them' }, seq: null } });
    expect(own.read('[257,["beyond"],1]')).toEqual({ error: 'unknownId' });
    for (const id of [256, 257]) own.learnTemplates([{ id, fields: [{ name: 'later' }] }]);
    expect(own.read('[256,["changed"],1]')).toMatchObject({ frame: { payload: { later: 'changed' } } });
  });

  it('are for events that can have a template of their own', () => {
    const empty = event({
      name: 'v3.test.empty',
      socket: 'room',
      from: 'server',
      shape: z.object({}),
      description: 'Empty.',
    });
    expect(() => new Encodings([empty])).toThrow('v3.test.empty');
    expect(() => new Encodings([spoken, spoken])).toThrow('v3.test.spoken');
    expect(new Encodings([]).introduction()).toEqual([]);
  });
});
