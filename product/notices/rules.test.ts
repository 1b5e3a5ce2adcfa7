import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecipient, MAX_SUBJECT_LENGTH, subjectLine } from './rules/email.ts';

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
