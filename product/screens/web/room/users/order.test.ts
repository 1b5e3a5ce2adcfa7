import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { found, inOrder, tierOf, TIERS } from './order.ts';

const user = fc.record({
  username: fc.stringMatching(/^[a-z]{1,6}$/u),
  display_name: fc.string({ maxLength: 8 }),
  is_model: fc.boolean(),
  is_moderator: fc.boolean(),
  is_vip: fc.boolean(),
  is_super_vip: fc.boolean(),
  has_tokens: fc.boolean(),
  recentTips: fc.nat(500),
});
const plainUser = {
  username: 'kai',
  display_name: 'Kai',
  is_model: false,
  is_moderator: false,
  is_vip: false,
  is_super_vip: false,
  has_tokens: false,
  recentTips: 0,
};

describe('the user list', () => {
  it('stands in tiers, who tipped more before who tipped less, and loses nobody', () => {
    fc.assert(fc.property(fc.array(user), (users) => {
      const ordered = inOrder(users, 'en');
      expect(new Set(ordered)).toEqual(new Set(users));
      const places = ordered.map((item) => TIERS.indexOf(tierOf(item)) * 1_000 - item.recentTips);
      expect(places).toEqual(places.toSorted((place, other) => place - other));
    }));
  });

  it('stands by name alone for who wants that', () => {
    const users = [
      { ...plainUser, display_name: 'zoe', is_model: true, recentTips: 9 },
      { ...plainUser, display_name: 'Äda' },
      { ...plainUser, display_name: 'bob', recentTips: 500 },
    ];
    const named = (sort: 'username' | 'tokens') =>
      inOrder(users, 'en', sort).map(({ display_name: name }) => name);
    expect(named('username')).toEqual(['Äda', 'bob', 'zoe']);
    expect(named('tokens')).toEqual(['zoe', 'bob', 'Äda']);
  });

  it('knows who is what: performers, moderators, fans, who has tokens, everybody else', () => {
    expect([
      { ...plainUser, is_model: true, is_moderator: true },
      { ...plainUser, is_moderator: true, is_vip: true },
      { ...plainUser, is_super_vip: true, has_tokens: true },
      { ...plainUser, has_tokens: true },
      plainUser,
    ].map(tierOf)).toEqual(TIERS);
  });

  it('finds by either name, without accents and case, and everybody for nothing', () => {
    const users = [{ ...plainUser, username: 'zed_1', display_name: 'Zoë' }, plainUser];
    expect(found(users, ' ZOE ', 'en').map(({ username }) => username)).toEqual(['zed_1']);
    expect(found(users, '_1', 'en').map(({ username }) => username)).toEqual(['zed_1']);
    expect(found(users, '  ', 'en')).toBe(users);
    expect(found(users, 'nobody', 'en')).toEqual([]);
  });
});
