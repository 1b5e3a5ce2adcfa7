import { networks } from '#platform/http/address.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { likeness, SKETCH_SIZE, sketchOf } from './server/chat-guard/likeness.ts';
import { hasLink } from './server/chat-guard/links.ts';
import { networkOf } from './server/chat-guard/marks.ts';
import { fits, hasBlockedWord, patternOf, plainLetters, wordsOf } from './server/chat-guard/words.ts';

const letters = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: min, maxLength: max });
const noRuns = (word: string): boolean => !/(.)\1/u.test(word);
const pattern = (word: string): string => patternOf(word) ?? '';
const blocks = (text: string, ...words: string[]): boolean => hasBlockedWord(text, words.map(pattern));

describe('blocked words', () => {
  it.each([
    ['plain', 'what a scam this is'],
    ['upper case', 'SCAM!'],
    ['digits', '5c4m'],
    ['Cyrillic', 'sсаm'],
    ['Greek', 'scαm'],
    ['full width', 'ｓｃａｍ'],
    ['accents', 'ŝçämˇ'],
    ['repeated for effect', 'scaaaaam'],
    ['spelled out', 'a s c a m here'],
    ['dotted', 's.c.a.m'],
    ['broken', 'sc-am'],
    ['small capitals', 'ꜱᴄᴀᴍ'],
    ['invisible characters', 's\u200Bc\u2060am'],
    ['symbols for letters', '$c@m'],
  ])('are found however they are written: %s', (_how, text) => {
    expect(blocks(text, 'scam')).toBe(true);
  });

  it.each(['scampi for lunch', 'he scammed me', 'moscam', 's c', 'good dogs', 'as soon as'])(
    'are not found within other words: %s',
    (text) => {
      expect(blocks(text, 'scam', 'god', 'ass')).toBe(false);
    },
  );

  it('have wildcards and phrases', () => {
    expect(blocks('he scammed me', 'scam*')).toBe(true);
    expect(blocks('moscam', '*scam')).toBe(true);
    expect(blocks('so, BUY my   pics now', 'buy my pics')).toBe(true);
    expect(blocks('buy all my pics', 'buy my pics')).toBe(false);
    expect(blocks('buy mine pics', 'buy my* pics')).toBe(false);
    expect(blocks('buy myyy pics', 'buy my pics')).toBe(true);
  });

  it.each(['*', '**', 'a', ' * ', 'a *', '!!', '', '*a*b*c*d*'])(
    'are refused when they would block nearly everything: %j',
    (word) => {
      expect(patternOf(word)).toBeNull();
    },
  );

  it('are found as whole words in any text, and only there', () => {
    const word = letters(3, 10).filter(noRuns);
    fc.assert(fc.property(word, letters(1, 8), letters(1, 8), (blocked, before, behind) => {
      expect(blocks(`${before}  ${blocked}, ${behind}`, blocked)).toBe(true);
      const inside = `zz${before}${blocked}${behind}`;
      expect(blocks(inside, blocked)).toBe(false);
      expect(blocks(inside, `*${blocked}*`)).toBe(true);
    }));
  });

  it('match like the equivalent regular expression, for any word', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    const words = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 });
    fc.assert(
      fc.property(short, words, (stars, word) => {
        const known = new RegExp(`^${stars.replaceAll('*', '.*')}$`, 'u').test(word);
        expect(fits(stars, word)).toBe(known);
      }),
      { numRuns: 500 },
    );
  });

  it('match a hostile text in a bounded number of steps', () => {
    const text = 'ab'.repeat(200);
    let steps = 0;
    const counted = new Proxy(new String(text), {
      get: (target, key) => {
        steps += 1;
        return Reflect.get(target, key, target) as unknown;
      },
    });
    expect(fits('*ab*ab*c', counted as unknown as string)).toBe(false);
    // Each step reads the word at most three times; the product of the lengths limits the steps.
    expect(steps).toBeLessThanOrEqual(3 * 8 * text.length + 8);
  });

  it('have one normal form in any case', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      expect(wordsOf(text.toUpperCase().toLowerCase())).toEqual(wordsOf(text.toUpperCase()));
      expect(() => hasBlockedWord(text, ['scam', '*am', 'a b'])).not.toThrow();
    }));
    fc.assert(fc.property(letters(0, 30), (text) => plainLetters(text) === text));
  });
});

describe('links', () => {
  it.each([
    'http://example.com/x',
    'see example.com',
    'example . com',
    'example dot com',
    'example(dot)com',
    'e x a m p l e . c o m',
    'h t t p s : / / x',
    'hxxp://bad',
    'www.example.de',
    'xn--e1afmkfd.xn--p1ai',
    'exаmple.сom',
    'example．com',
    'example。com',
    'ｅｘａｍｐｌｅ．ｃｏｍ',
    'exa\u200Bmple.c\u2060om',
    'ex.c0m',
    't.me/somebody',
    'join t.me now',
    'bit.ly/3abc',
    'discord.gg/abc',
    'example [.] net',
    'beispiel punkt com',
    'my.site.it/page',
    '93.184.216.34',
    'EXAMPLE.COM',
    'example․com',
    'mycam.webcam',
  ])('are found: %s', (text) => {
    expect(hasLink(text)).toBe(true);
  });

  it.each([
    'hello. how are you',
    'wait... come back',
    'i love it. me too',
    '10.5 tokens',
    'v1.2.3',
    'ok.no problem',
    'polka dot community',
    'so cute...net result',
    'awww. so sweet',
    'at 8:30/9:00',
    ':// haha',
    'a b c d e',
    'comme ci, comme ça',
    'what.a.day',
    '1/2 and 3/4',
    'Mr. Smith',
    'see you at 5 p.m.',
  ])('are not found where there are none: %s', (text) => {
    expect(hasLink(text)).toBe(false);
  });

  it('are found anywhere in a text, in any case or spelled out', () => {
    const name = letters(3, 12);
    const ending = fc.constantFrom('com', 'net', 'org', 'info', 'xyz');
    fc.assert(fc.property(name, ending, letters(0, 9), letters(0, 9), (site, tld, before, behind) => {
      for (const text of [
        `${before} ${site}.${tld} ${behind}`,
        `${before} ${site.toUpperCase()} dot ${tld} ${behind}`,
        `${before} ${[...`${site}.${tld}`].join(' ')}`,
        `${before} ${site}\u200B.\u2060${tld}`,
      ]) expect(hasLink(text)).toBe(true);
    }));
  });
});

describe('likeness', () => {
  const line = 'come and see my new show tonight it is free for everybody';

  it.each([
    ['case and punctuation', 'COME and see my new show tonight!!! it is free for everybody'],
    ['spaces', 'c ome andsee my new showtonight it is free for every body'],
    ['other letters', 'соme аnd see my new shоw tonight it is free for everybоdy'],
    ['digits', 'c0me 4nd see my n3w sh0w tonight it is fr33 f0r 3v3ryb0dy'],
    ['repeated letters', 'commme and seeee my new show tonight it is freeee for everybody'],
    ['a word at the end', `${line} x7`],
  ])('ignores %s', (_how, text) => {
    expect(likeness(sketchOf(line), sketchOf(text))).toBeGreaterThanOrEqual(0.8);
  });

  it('is low for different lines', () => {
    const others = ['what a lovely room, hello from Rome', 'can you dance to the next song', 'hi', '❤️❤️'];
    for (const text of others) expect(likeness(sketchOf(line), sketchOf(text))).toBeLessThan(0.3);
  });

  it('is symmetric, 1 for a text and itself, and of bounded size', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 400 });
    fc.assert(fc.property(text, text, (item, two) => {
      const [first, second] = [sketchOf(item), sketchOf(two)];
      expect(likeness(first, second)).toBe(likeness(second, first));
      expect(likeness(first, first)).toBe(1);
      expect(first.hashes.length).toBeLessThanOrEqual(SKETCH_SIZE);
      expect(first.hashes.every((hash) => Number.isInteger(hash) && Math.abs(hash) <= 2 ** 31)).toBe(true);
    }));
  });
});

describe('networks', () => {
  const nobody = (): boolean => false;
  it('are those of a household: /24, and /48 of IPv6', () => {
    expect(networkOf('203.0.113.7', nobody)).toBe('203.0.113.0/24');
    expect(networkOf('::ffff:203.0.113.9', nobody)).toBe('203.0.113.0/24');
    expect(networkOf('2001:DB8:0042:1::1', nobody)).toBe('2001:db8:42::/48');
    expect(networkOf('2001:db8::1', nobody)).toBe('2001:db8:0::/48');
    expect(networkOf('nonsense', nobody)).toBeNull();
    expect(networkOf('10.1.2.3', networks(['10.0.0.0/8']))).toBeNull();
  });

  it('stay the same however an address rotates within them', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 5, maxLength: 5 }),
        (tail) => networkOf(`2001:db8:77:${tail.join(':')}`, nobody) === '2001:db8:77::/48',
      ),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 255 }),
        (last) => networkOf(`198.51.100.${last}`, nobody) === '198.51.100.0/24',
      ),
    );
  });
});
