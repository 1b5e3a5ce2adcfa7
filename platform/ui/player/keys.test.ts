import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionOf, PLAYER_KEYS, shortcutsOf, type PlayerAction } from './keys.ts';

const actions = Object.keys(PLAYER_KEYS) as PlayerAction[];
const keys = fc.constantFrom(...Object.values(PLAYER_KEYS).flat(), 'Enter', 'x', 'Escape', 'Tab');

describe('keys of a player', () => {
  it('are never taken from what somebody types, nor from the browser', () => {
    fc.assert(fc.property(keys, fc.boolean(), (key, isChord) => {
      expect(actionOf({ key, isChord, on: 'text' })).toBeNull();
      expect(actionOf({ key, isChord: true, on: 'elsewhere' })).toBeNull();
    }));
  });

  it('leave a focused control its own keys', () => {
    for (const key of [' ', 'ArrowUp', 'ArrowDown', 'Enter']) {
      expect(actionOf({ key, isChord: false, on: 'control' })).toBeNull();
    }
    expect(actionOf({ key: 'm', isChord: false, on: 'control' })).toBe('mute');
  });

  it.each(actions.flatMap((action) => PLAYER_KEYS[action].map((key) => [key, action] as const)))(
    '"%s" does "%s", with and without Shift',
    (key, action) => {
      expect(actionOf({ key, isChord: false, on: 'elsewhere' })).toBe(action);
      const shifted = key.length === 1 ? key.toUpperCase() : key;
      expect(actionOf({ key: shifted, isChord: false, on: 'elsewhere' })).toBe(action);
    },
  );

  it('are listed by key name, and each has one action', () => {
    expect(shortcutsOf('pause')).toBe('K Space');
    expect(shortcutsOf('louder')).toBe('ArrowUp');
    const all = Object.values(PLAYER_KEYS).flat();
    expect(new Set(all).size).toBe(all.length);
  });
});
