import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withOpen, withoutOpen, withSeen, type OpenRoom } from './open-rooms.ts';

const room = (username: string, seenId = 0): OpenRoom => ({
  username,
  displayName: username,
  avatarUrl: null,
  seenId,
});
const names = fc.array(fc.constantFrom('ava', 'bea', 'cleo', 'dita', 'eve'), { maxLength: 12 });

describe('rooms that stay open', () => {
  it('are one entry per username, the newest three, and the newest last [B-134]', () => {
    fc.assert(fc.property(names, (opened) => {
      const open = opened.reduce<readonly OpenRoom[]>((known, name) => withOpen(known, room(name)), []);
      const expected = [...new Set(opened.toReversed())].slice(0, 3).toReversed();
      expect(open.map(({ username }) => username)).toEqual(expected);
    }));
  });

  it('can be removed, and what was read is not news again [B-187]', () => {
    const open = [room('ava', 4), room('bea')];
    expect(withoutOpen(open, 'ava')).toEqual([room('bea')]);
    expect(withoutOpen(open, 'nobody')).toEqual(open);
    expect(withSeen(open, 'ava', 9)).toEqual([room('ava', 9), room('bea')]);
    expect(withSeen(open, 'ava', 3)).toEqual(open);
  });
});
