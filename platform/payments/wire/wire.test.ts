import { decimalOf } from '#platform/text/money.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currencyOf, moneyOf, numberOf } from './amounts.ts';
import { ask } from './ask.ts';
import { exactObject } from './exact-json.ts';
import { xmlFields, xmlOf, xmlRoot } from './xml.ts';

describe('amounts', () => {
  it.each([
    [{ minor: 1099, currency: 'USD' }, '10.99'],
    [{ minor: 5, currency: 'USD' }, '0.05'],
    [{ minor: 500, currency: 'JPY' }, '500'],
    [{ minor: 0, currency: 'EUR' }, '0.00'],
  ])('%j is written %s and read back', (money, text) => {
    expect(decimalOf(money)).toBe(text);
    expect(moneyOf(text, money.currency)).toEqual(money);
  });

  it('are read exactly or not at all', () => {
    expect(moneyOf('10.5', 'usd')).toEqual({ minor: 1050, currency: 'USD' });
    expect(moneyOf('10.50000000', 'USD')).toEqual({ minor: 1050, currency: 'USD' });
    for (const text of [
      '',
      '-1',
      '+1',
      '1e2',
      '10.999',
      '1,5',
      '.5',
      '5.',
      ' 5',
      '٥',
      '9'.repeat(13),
      'NaN',
    ]) {
      expect(moneyOf(text, 'USD')).toBeNull();
    }
    for (const currency of ['', 'US', 'USDT', '840', null]) expect(moneyOf('1', currency)).toBeNull();
    fc.assert(fc.property(fc.nat(1e11), fc.constantFrom('USD', 'JPY', 'EUR'), (minor, currency) => {
      expect(moneyOf(decimalOf({ minor, currency }), currency)).toEqual({ minor, currency });
    }));
  });

  it('have currencies by number', () => {
    expect([numberOf('USD'), numberOf('AUD'), numberOf('ZZZ')]).toEqual(['840', '036', null]);
    expect([currencyOf('840'), currencyOf('36'), currencyOf('000'), currencyOf('1e2')]).toEqual([
      'USD',
      'AUD',
      null,
      null,
    ]);
  });
});

describe('exact JSON', () => {
  it('sorts keys at every depth and leaves numbers as they were written', () => {
    expect(exactObject('{ "b" : 1.50, "a": [ {"z":1E5,"y":-0.0} , null, "é\\u00e9" ] }')?.sorted)
      .toBe('{"a":[{"y":-0.0,"z":1E5},null,"éé"],"b":1.50}');
    expect(exactObject('{"b":1.50,"a":"x","c":null}')?.fields).toEqual(new Map([['b', '1.50'], ['a', 'x']]));
  });

  it('agrees with JSON.parse on what is JSON', () => {
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(exactObject(text)?.sorted ?? 'null')).toEqual(JSON.parse(text));
    }));
    fc.assert(fc.property(fc.string(), (text) => {
      const read = exactObject(`{"a":${text}}`);
      if (read) expect(() => void JSON.parse(`{"a":${text}}`)).not.toThrow();
    }));
    for (const text of ['[]', '1', '{"a":01}', '{"a":1,}', '{"a":1}x', '{"a":1,"a":1}', '{"a":"\n"}']) {
      expect(exactObject(text)).toBeNull();
    }
  });
});

describe('XML of gateways', () => {
  it('is read back as it was written', () => {
    const text = fc.string().filter((item) => [...item].every((sign) => sign >= ' '));
    fc.assert(fc.property(text, (value) => {
      const root = xmlRoot(xmlOf('a', { b: value, c: '1' }));
      expect(root && xmlFields(root)?.get('b')).toBe(value);
    }));
    expect(xmlRoot('<a>\n <b>&lt;&#65;&#x42;</b>\n <c/>\n</a>\n')?.children.map(({ text: one }) => one))
      .toEqual(['<AB', '']);
  });

  it('is none with a DTD, attributes, unknown entities, loose ends or too much depth', () => {
    for (const text of [
      '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
      '<a b="1"/>',
      '<a>&nbsp;</a>',
      '<a>&</a>',
      '<a><b></a></b>',
      '<a>',
      '<a/><b/>',
      '<a>x<b/></a>',
      '',
      'text',
      '<a>&#1114112;</a>',
      '<b>'.repeat(5000),
      '<a><![CDATA[x]]></a>',
    ]) expect(xmlRoot(text)).toBeNull();
    expect(xmlFields(xmlRoot('<a><b>1</b><b>2</b></a>')!)).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => void xmlRoot(`<a>${text}</a>`)));
  });
});

describe('asking', () => {
  const failing = (code: string): typeof fetch => () =>
    Promise.reject(new TypeError('fetch failed', { cause: { code } }));

  it('says apart what was never sent and what may have been', async () => {
    for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']) {
      expect(await ask(failing(code), 'http://x.example', {})).toEqual({ kind: 'unreachable', reason: code });
    }
    for (const code of ['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT']) {
      expect(await ask(failing(code), 'http://x.example', {})).toEqual({ kind: 'unknown', reason: code });
    }
    const cut: typeof fetch = async () =>
      new Response(
        new ReadableStream({
          start: (stream) => stream.error(new Error('cut')),
        }),
      );
    expect((await ask(cut, 'http://x.example', {})).kind).toBe('unknown');
  });

  it('takes no answer without end', async () => {
    const endless: typeof fetch = async () =>
      new Response(
        new ReadableStream({
          pull: (stream) => stream.enqueue(new Uint8Array(1024 * 1024)),
        }),
      );
    expect(await ask(endless, 'http://x.example', {})).toEqual({ kind: 'unknown', reason: 'RangeError' });
  });
});
