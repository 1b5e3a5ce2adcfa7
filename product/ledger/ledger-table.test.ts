import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoText } from './rules/memo.ts';
import { csvLine } from './rules/table.ts';

/** One record parsed back as RFC 4180 says. */
function fieldsOf(line: string): string[] {
  const found = [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gu)];
  expect(found.map(([whole]) => whole).join('')).toBe(line);
  return found.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

const dangerous = ['=', '+', '-', '@', '"', ',', '\r', '\n', '\t', ' ', 'a', '\uFEFF', '\uFF1D'];
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...dangerous) }),
);

it('writes any text so that it is read back, with an apostrophe before what would be a formula', () => {
  fc.assert(fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
    const line = csvLine(texts);
    expect(line.endsWith('\r\n')).toBe(true);
    const read = fieldsOf(line);
    expect(read).toHaveLength(texts.length);
    for (const [n, field] of read.entries()) {
      expect([texts[n], `'${texts[n]}`]).toContain(field);
      expect(field).not.toMatch(/^[\s\uFEFF]*[=+\-@\uFF1D]/u);
      expect(field).not.toMatch(/^[\t\r\n]/u);
    }
  }));
});

it('keeps numbers numbers, below zero too', () => {
  expect(csvLine([-25, 0, 1.5, null])).toBe('-25,0,1.5,\r\n');
});

it('begins with whom and what was said, and leaves out what other columns say', () => {
  const memo = {
    type: 'tip',
    tokens: 5,
    from: 'me',
    source: null,
    order: 'o1',
    comment: 'hi',
    to: 'luna',
    reason: 'secret',
  };
  expect(memoText(memo)).toBe('to: luna, comment: hi, order: o1');
  expect(memoText({ comment: '🎉'.repeat(900) })).toHaveLength('comment: '.length + (500 - 9) * 2);
});
