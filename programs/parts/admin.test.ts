import { usernameOfEmail } from '#product/accounts/rules/staff/usernames.ts';
import { expect, it } from 'vitest';
import { readArguments } from './admin.ts';

it('the command reads an address and what goes with it, and refuses whatever else stands there', () => {
  expect(readArguments(['create', 'a@b.example']))
    .toEqual({ email: 'a@b.example', username: undefined, birthDate: undefined });
  expect(readArguments(['create', 'a@b.example', '--birth-date', '1990-01-31', '--username', 'anna']))
    .toEqual({ email: 'a@b.example', username: 'anna', birthDate: '1990-01-31' });
  const wrong = [
    [],
    ['create'],
    ['make', 'a@b.example'],
    ['create', 'a'],
    ['create', 'a@b.example', '--username'],
    ['create', 'a@b.example', '--role', 'admin'],
    ['create', 'a@b.example', '--username', 'a', '--username', 'b'],
    ['create', 'a@b.example', 'anna'],
  ];
  for (const args of wrong) expect(readArguments(args)).toBeNull();
});

it('an address gives a name, and more where it is taken', () => {
  expect(usernameOfEmail('Anna.Muster+x@b.example', 2)).toEqual(['anna-muster-x', 'anna-muster-x-2']);
  expect(usernameOfEmail('a@b.example', 1)).toEqual(['staff-a']);
  expect(usernameOfEmail('---@b.example', 1)).toEqual(['staff']);
  expect(usernameOfEmail(`${'x'.repeat(64)}@b.example`, 12).every(({ length }) => length <= 25)).toBe(true);
});
