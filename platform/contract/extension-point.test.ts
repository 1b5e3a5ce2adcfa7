import { describe, expect, it } from 'vitest';
import {
  ExtensionRegistry,
  implement,
  optional,
  required,
  type Extending,
  type Extensions,
} from './extension-point.ts';

const guard = required.single<() => string>({ name: 'rooms.guard', description: '' });
const fields = required.many<() => string>({ name: 'rooms.fields', description: '' });
const studio = optional.single<() => string>({
  name: 'rooms.studio',
  description: '',
  byDefault: 'none',
  safeBecause: 'nothing follows',
  milestone: 10,
  fallback: () => 'no studio',
});
const commands = optional.many<() => string>({
  name: 'rooms.commands',
  description: '',
  byDefault: 'unknown',
  safeBecause: 'refused',
});
const rooms: Extending = { name: 'rooms', extensionPoints: { guard, fields, studio, commands } };
const filled = [implement(guard, () => 'guarded'), implement(fields, () => 'a field')];

/** The registry of a site with the slice `rooms` and these. */
function connected(...others: readonly Extending[]): Extensions {
  const registry = new ExtensionRegistry();
  registry.connect([rooms, ...others]);
  return registry;
}

describe('a required extension point', () => {
  it('stops the start without an implementation, and the error names point and slice', () => {
    expect(() => connected())
      .toThrow('rooms.guard of the slice rooms is required and no slice implements it');
    expect(() => connected()).toThrow('rooms.fields of the slice rooms is required');
  });

  it('stops the start when two slices implement what one should', () => {
    const twice = { name: 'moderation', extensions: filled };
    expect(() => connected(twice, { name: 'tips', extensions: [implement(guard, () => 'open')] })).toThrow(
      'rooms.guard of the slice rooms takes one implementer and has 2: moderation, tips',
    );
  });

  it('returns its implementations, several in the order of the slices', () => {
    const { one, all } = connected(
      { name: 'moderation', extensions: filled },
      { name: 'tips', extensions: [implement(fields, () => 'another')] },
    );
    expect(one(guard)()).toBe('guarded');
    expect(all(fields).map((field) => field())).toEqual(['a field', 'another']);
  });
});

describe('an optional extension point', () => {
  it('uses its stated fallback, or no implementation, when unimplemented', () => {
    const { one, all } = connected({ name: 'moderation', extensions: filled });
    expect(one(studio)()).toBe('no studio');
    expect(all(commands)).toEqual([]);
  });

  it('uses an implementation when one exists', () => {
    const { one } = connected({ name: 'studios', extensions: [...filled, implement(studio, () => 'North')] });
    expect(one(studio)()).toBe('North');
  });
});

describe('the registry', () => {
  it('refuses undeclared points, duplicate declarations, misplaced ones, and implementing one\'s own', () => {
    const stray = required.single<() => string>({ name: 'tips.stray', description: '' });
    expect(() => connected({ name: 'tips', extensions: [...filled, implement(stray, () => '')] }))
      .toThrow('tips implements tips.stray, which no slice declares');
    expect(() => connected({ name: 'tips', extensionPoints: { again: { ...studio } }, extensions: filled }))
      .toThrow('rooms.studio is declared twice; tips declares rooms.studio of another slice');
    const own = { ...rooms, extensions: filled };
    expect(() => new ExtensionRegistry().connect([own]))
      .toThrow('rooms implements its own rooms.guard: call it');
  });

  it('is empty while the slices are being built', () => {
    expect(() => new ExtensionRegistry().one(studio))
      .toThrow('rooms.studio was read while the site was being built');
  });
});
