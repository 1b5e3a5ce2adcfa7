import type { Problem } from '#platform/contract/client.ts';
import { issueText, type IssueLanguage, type ShapeIssue } from '#platform/text/issues.ts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import de from '../messages/de.json' with { type: 'json' };
import en from '../messages/en.json' with { type: 'json' };
import { Language } from '../text/language.ts';
import { markupIssue, refusalErrors, shapeErrors, type Constrained } from './check.ts';

const languageOf = (locale: string, ui: object): IssueLanguage => ({
  locale,
  text: new Language(locale, { ui: { ...ui } }).translator('ui'),
});
const english = languageOf('en', en);
const german = languageOf('de', de);

const Input = z.object({
  name: z.string().min(1).max(5),
  email: z.email(),
  reason: z.string().min(3),
  tokens: z.int().min(1).max(50_000),
  tags: z.array(z.string()).max(2),
  kind: z.enum(['a', 'b']),
  accepted: z.literal(true),
});
const good: z.infer<typeof Input> = {
  name: 'Luna',
  email: 'luna@example.com',
  reason: 'why',
  tokens: 5,
  tags: [],
  kind: 'a',
  accepted: true,
};
const load = async () => ({ input: Input });

describe('the shape of a call', () => {
  it.each<[string, object, string]>([
    ['name', { name: '' }, 'Fülle dieses Feld aus.'],
    ['name', { name: undefined }, 'Fülle dieses Feld aus.'],
    ['name', { name: 'Luna Vale' }, 'Gib höchstens 5 Zeichen ein.'],
    ['email', { email: 'luna' }, 'Gib eine E-Mail-Adresse wie name@example.com ein.'],
    ['email', { email: '' }, 'Fülle dieses Feld aus.'],
    ['reason', { reason: 'x' }, 'Gib mindestens 3 Zeichen ein.'],
    ['tokens', { tokens: 0 }, 'Gib 1 oder mehr ein.'],
    ['tokens', { tokens: 50_001 }, 'Gib 50.000 oder weniger ein.'],
    ['tokens', { tokens: 1.5 }, 'Gib eine ganze Zahl ein.'],
    ['tokens', { tokens: Number.NaN }, 'Gib eine Zahl ein.'],
    ['tags', { tags: ['a', 'b', 'c'] }, 'Gib höchstens 2 Einträge ein.'],
    ['kind', { kind: 'c' }, 'Wähle eine der Möglichkeiten.'],
    ['accepted', { accepted: false }, 'Setze hier einen Haken, um fortzufahren.'],
  ])('says of %s %j: %s', async (field, change, text) => {
    const input = { ...good, ...change } as typeof good;
    expect(await shapeErrors(load, input, german)).toEqual({ [field]: text });
  });

  it('has nothing to say of what fits, and none is made when it cannot be fetched', async () => {
    expect(await shapeErrors(load, good, english)).toEqual({});
    expect(await shapeErrors(() => Promise.reject(new Error('offline')), good, english)).toEqual({});
  });
});

describe('the constraints of markup', () => {
  const VALID = {
    valid: true,
    valueMissing: false,
    badInput: false,
    typeMismatch: false,
    patternMismatch: false,
    tooShort: false,
    tooLong: false,
    rangeUnderflow: false,
    rangeOverflow: false,
    stepMismatch: false,
    customError: false,
  };
  const control = (wrong: keyof typeof VALID, more: Partial<Constrained> = {}): Constrained => ({
    type: 'text',
    value: 'x',
    validity: { ...VALID, valid: false, [wrong]: true },
    ...more,
  });
  const textOf = (item: Constrained): string => issueText(markupIssue(item) as ShapeIssue, english);

  it.each<[string, Constrained, string]>([
    ['a missing text', control('valueMissing'), 'Fill in this field.'],
    ['a missing tick', control('valueMissing', { type: 'checkbox' }), 'Select this box to go on.'],
    ['no number', control('badInput'), 'Enter a number.'],
    [
      'no address',
      control('typeMismatch', { type: 'email' }),
      'Enter an email address such as name@example.com.',
    ],
    ['a wrong pattern', control('patternMismatch'), 'Check the format of this field.'],
    ['too few characters', control('tooShort', { minLength: 3 }), 'Enter at least 3 characters.'],
    ['too many characters', control('tooLong', { maxLength: 3 }), 'Enter at most 3 characters.'],
    ['too low', control('rangeUnderflow', { min: '1' }), 'Enter 1 or more.'],
    ['too high', control('rangeOverflow', { max: '50000' }), 'Enter 50,000 or less.'],
    ['a fraction', control('stepMismatch'), 'Enter a whole number.'],
    ['anything else', control('customError'), 'Check this field.'],
  ])('say of %s what the shape says', (_what, item, text) => expect(textOf(item)).toBe(text));

  it('say nothing of what fits them', () => {
    expect(markupIssue({ type: 'text', value: '', validity: VALID })).toBeNull();
  });
});

describe('a refusal', () => {
  const problem = (more: object): Problem => ({
    status: 409,
    error: 'No.',
    errorType: 'taken',
    error_type: 'taken',
    message: 'No.',
    type: '',
    title: '',
    detail: '',
    ...more,
  });

  it('is at the field of its code, else above the button', () => {
    expect(refusalErrors(problem({}), { taken: 'username' })).toEqual({
      errors: { username: 'No.' },
      rest: null,
    });
    expect(refusalErrors(problem({ errorType: 'locked' }), { taken: 'username' }).rest?.message).toBe('No.');
  });

  it('of malformed input names each field, the first issue of a field wins', () => {
    const issues = [{ path: 'email', message: 'a' }, { path: 'email', message: 'b' }, {
      path: '/age/0',
      message: 'c',
    }];
    expect(refusalErrors(problem({ issues })).errors).toEqual({ email: 'a', age: 'c' });
  });
});
