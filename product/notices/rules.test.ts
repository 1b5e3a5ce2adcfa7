import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecipient, MAX_SUBJECT_LENGTH, subjectLine } from './rules/email.ts';
import { smsText } from './rules/sms.ts';

describe('subjects', () => {
  it('are one line, whatever the values contain', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = subjectLine(`Hello ${text}\r\nBcc: everyone@example.com`);
      expect(line).not.toMatch(/[\r\n\u0085\u2028\u2029]/u);
      expect(line.length).toBeLessThanOrEqual(MAX_SUBJECT_LENGTH);
    }));
  });
});

describe('recipients', () => {
  it('are one plain address', () => {
    expect(isRecipient('ada@example.com')).toBe(true);
    for (const bad of ['a@b,c@d', 'a@b c@d', 'a@b\r\nBcc: c@d', '"x" <a@b>', '@b', 'a@', 'a@b@c', '']) {
      expect(isRecipient(bad)).toBe(false);
    }
  });
});

describe('text messages', () => {
  const LINK = '\nhttps://cam.example/luna';

  it('have four parts at most: 612 places, or 268 where a letter needs more bits', () => {
    expect(smsText('ä'.repeat(700))).toBe('ä'.repeat(612));
    expect(smsText('€'.repeat(700))).toBe('€'.repeat(306));
    expect(smsText('“'.repeat(700))).toBe('“'.repeat(268));
    // A text is never cut inside a surrogate pair.
    expect(smsText(`x${'😀'.repeat(200)}`)).toBe(`x${'😀'.repeat(133)}`);
    expect(smsText('123456 ist dein Code.')).toBe('123456 ist dein Code.');
  });

  it('are cut in their title and never in their link', () => {
    expect(smsText('a'.repeat(700), LINK)).toBe('a'.repeat(612 - LINK.length) + LINK);
    expect(smsText('ő'.repeat(700), LINK)).toBe('ő'.repeat(268 - LINK.length) + LINK);
    expect(smsText('title', `\nhttps://cam.example/${'ő'.repeat(300)}`)).toMatch(/^\nhttps:.*ő{300}$/u);
  });
});
