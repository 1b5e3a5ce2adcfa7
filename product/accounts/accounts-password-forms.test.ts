import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** A field that a password manager fills in or saves. */
const ACCOUNT_PASSWORD = /<PasswordField\b[^>]*autoComplete="(?:current|new)-password/u;
const USERNAME = /autoComplete="username|<OwnUsername \/>|<UsernameOf /u;

it('every form that takes the password of an account says to password managers whose it is', () => {
  const pages = readdirSync('product', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tsx') && !path.includes('.test.'))
    .map((path) => ({ path, text: readFileSync(join('product', path), 'utf8') }))
    .filter(({ text }) => ACCOUNT_PASSWORD.test(text));
  expect(pages.length).toBeGreaterThan(7);
  expect(pages.filter(({ text }) => !USERNAME.test(text)).map(({ path }) => path)).toEqual([]);
});
