import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE, codeFrom, codeOf, cursorOf, cursorText, redacted, signatureOf, versionOf } from './rules.ts';
import { destinationOf, pageOf } from './rules/pages.ts';

const plain = (text: string): string => redacted(text, 500, pageOf);

describe('what may be stored of a text', () => {
  it.each([
    ['fetch of https://cam.example/reset-password?token=abc123#x failed', 'fetch of /reset-password failed'],
    ['no answer from /search?q=my+secret+wish&p=2', 'no answer from /search'],
    ['anna.b+cam@mail.example was refused', '[email] was refused'],
    ['card 4111 1111 1111 1111 declined', 'card [number] declined'],
    ['card 4111-1111-1111-1111', 'card [number]'],
    ['card 378282246310005', 'card [number]'],
    ['call me at +49 170 123 45 67', 'call me at [number]'],
    ['Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', 'Bearer [secret]'],
    ['password: hunter22 is wrong', 'password [secret] is wrong'],
    ['token=9f86d081884c7d659a2feaa0', 'token [secret]'],
    ['digest 9f86d081884c7d659a2feaa0c55ad015', 'digest [token]'],
    ['order 0f8fad5b-d9cb-469f-a165-70867728950e', 'order [id]'],
    ['from 203.0.113.77', 'from [address]'],
    ['guest_ab12cd left', '[guest] left'],
    ['hello @anna_92', 'hello @[name]'],
    ['Unexpected token in "dear Anna, I miss you"', 'Unexpected token in "[text]"'],
    ['at Room (http://localhost/assets/room-B4aX_92c.js:1:2345)', 'at Room (assets/room-B4aX_92c.js:1:2345)'],
  ])('%s', (text, stored) => {
    const shown = plain(text).replaceAll(/•[\s•.-]*•/gu, '[number]');
    expect(shown).toBe(stored);
  });

  it('leaves what says where it failed', () => {
    const text = 'TypeError: Cannot read properties of undefined (reading \'map\')';
    expect(plain(text)).toBe(text);
    const part = 'Loading chunk billing/money-dialogs failed';
    expect(plain(part)).toBe(part);
  });

  it('is never longer than may be stored, and the same when it is redacted twice', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const once = redacted(text, 100);
      expect([...once].length).toBeLessThanOrEqual(100);
      expect(redacted(once, 100)).toBe(once);
    }));
  });

  it('takes no time over texts made to take it', () => {
    for (const text of ['a@', '1 ', '"', 'http://'].map((part) => part.repeat(8_000))) {
      const before = performance.now();
      redacted(text, 4_000);
      expect(performance.now() - before).toBeLessThan(1_000);
    }
  });
});

describe('addresses', () => {
  it('name a page, without persons and things', () => {
    expect([
      'https://cam.example/',
      '/account/settings?tab=2',
      '/account/receipts/81',
      'http://localhost/anna_92#chat',
      '/overlay/s3cr3t',
      '/search?q=x',
      '/embed/anna',
    ].map(pageOf)).toEqual([
      '/',
      '/account/settings',
      '/account/receipts/:id',
      '/:username',
      '/overlay/:id',
      '/search',
      '/embed/:id',
    ]);
  });

  it('of a biller are its host and path, without the order', () => {
    expect(destinationOf('https://pay.example/join/8812345?order=77&sig=abc#x')).toBe('pay.example/join/:id');
    expect(destinationOf('https://user:word@Pay.Example/join')).toBe('pay.example/join');
    expect(destinationOf('/simulators/ccbill/page?o=1')).toBe('/:username/ccbill/:id');
  });
});

describe('codes', () => {
  it('are read out in any way', () => {
    fc.assert(fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (digest) => {
      const code = codeOf(digest);
      expect(code).toMatch(CODE);
      expect(codeFrom(code.toLowerCase().replace('-', ' '))).toBe(code);
    }));
    expect(codeFrom('oil1-0000')).toBe('0111-0000');
    expect(['', 'abc', '7F3K-2QXU', '7F3K-2QXM9'].map(codeFrom)).toEqual([null, null, null, null]);
  });

  it('are one for the same error of two builds, and two for two errors', () => {
    const stack = (build: string, line: number): string =>
      `TypeError: x\n    at Room (assets/room-${build}.js:1:${line})\n    at div`;
    expect(signatureOf('error', 'item 7', stack('aaaaaaaa', 1)))
      .toBe(signatureOf('error', 'item 12', stack('bbbb_bbb', 999)));
    expect(signatureOf('error', 'item', stack('aaaaaaaa', 1)))
      .not.toBe(signatureOf('error', 'other', stack('aaaaaaaa', 1)));
  });
});

it('a version is one, or unknown', () => {
  expect(versionOf('0.1.0+ab12')).toBe('0.1.0+ab12');
  expect(versionOf('<script>')).toBe('unknown');
});

it('a cursor is read as it was written, and nothing else is one', () => {
  const cursor = { at: new Date(1_700_000_000_123), id: 42 };
  expect(cursorOf(cursorText(cursor))).toEqual(cursor);
  expect(cursorOf('1;drop')).toBeNull();
});
