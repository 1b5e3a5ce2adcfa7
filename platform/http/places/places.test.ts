import { VirtualClock } from '#platform/data/clock.ts';
import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPlaces, type Places } from './places.ts';
import { placeDatabase } from './testing.ts';

const COUNTRIES = placeDatabase({
  '203.0.113.0/24': {
    country: { iso_code: 'US', names: { en: 'United States' } },
    subdivisions: [{ iso_code: 'FL' }, { iso_code: 'XYZ' }],
  },
  '198.51.100.0/25': { country: { iso_code: 'FR' } },
  '198.51.100.128/25': { registered_country: { iso_code: 'DE' } },
  '192.0.2.0/28': { country: { iso_code: 'Germany' } },
  '192.0.2.16/28': { country: { iso_code: 'GB' }, subdivisions: [{ iso_code: 'too long' }] },
  '192.0.2.32/28': { country: { iso_code: 'BR' }, traits: { is_anonymous_vpn: true } },
  '2001:db8::/32': { country: { iso_code: 'IT' } },
});

let folder: string;
let file: string;
let clock: VirtualClock;
let errors: string[];
let opened: Places[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'candela-places-'));
  file = join(folder, 'places.mmdb');
  writeFileSync(file, COUNTRIES);
  clock = new VirtualClock();
  errors = [];
  opened = [];
});
afterEach(() => {
  for (const places of opened) places.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(anonymousDatabase: string | null = null): Promise<Places> {
  const onError = (error: Error) => void errors.push(error.message);
  const places = await openPlaces({ database: file, anonymousDatabase, clock, onError });
  opened.push(places);
  return places;
}

/** How much later than the last file the next one seems to be written, in milliseconds. */
let age = 0;

/** Puts another file in the place of the first, a while later. */
function replaceBy(bytes: Buffer): void {
  const other = join(folder, 'next.mmdb');
  writeFileSync(other, bytes);
  age += 60_000;
  const later = new Date(statSync(other).mtimeMs + age);
  utimesSync(other, later, later);
  renameSync(other, file);
}

describe('the place of an address', () => {
  it('is its country and first subdivision', async () => {
    const places = await open();
    const regionOf = (address: string) => places.of(address).region;
    expect(regionOf('203.0.113.7')).toBe('US-FL');
    expect(regionOf('::ffff:203.0.113.7')).toBe('US-FL');
    expect(regionOf('198.51.100.127')).toBe('FR');
    expect(regionOf('2001:db8:1::9')).toBe('IT');
    expect(regionOf('192.0.2.20')).toBe('GB');
  });

  it('is unknown where the file names none, or the text is no address', async () => {
    const places = await open();
    // Registered in a country is not being there.
    const nowhere = ['198.51.100.200', '192.0.2.3', '8.8.8.8', '2001:db9::1', '', 'localhost', '203.0.113'];
    for (const address of nowhere) {
      expect(places.of(address), address).toEqual({ region: null, isAnonymous: false });
    }
  });

  it('is marked where the network hides people, by either file', async () => {
    const other = join(folder, 'anonymous.mmdb');
    writeFileSync(
      other,
      placeDatabase({
        '203.0.113.128/25': { is_anonymous: true, is_tor_exit_node: true },
        '198.51.100.0/26': { is_hosting_provider: true },
        '198.51.100.64/26': { is_anonymous: false },
      }),
    );
    const places = await open(other);
    expect(places.of('203.0.113.7')).toEqual({ region: 'US-FL', isAnonymous: false });
    expect(places.of('203.0.113.200')).toEqual({ region: 'US-FL', isAnonymous: true });
    expect(places.of('198.51.100.1')).toEqual({ region: 'FR', isAnonymous: true });
    expect(places.of('198.51.100.100').isAnonymous).toBe(false);
    expect(places.of('192.0.2.40')).toEqual({ region: 'BR', isAnonymous: true });
  });

  it('is that of a file which replaced the first, within a minute', async () => {
    const places = await open();
    expect(places.of('203.0.113.7').region).toBe('US-FL');
    replaceBy(placeDatabase({ '203.0.113.0/24': { country: { iso_code: 'CA' } } }));
    clock.advance(59_000);
    expect(places.of('203.0.113.7').region).toBe('US-FL');
    clock.advance(1_000);
    await vi.waitFor(() => expect(places.of('203.0.113.7').region).toBe('CA'));
    expect(errors).toEqual([]);
  });

  it('stays that of the first file while another cannot be read, which is said once', async () => {
    const places = await open();
    replaceBy(COUNTRIES.subarray(0, COUNTRIES.length / 2));
    clock.advance(60_000);
    await vi.waitFor(() => expect(errors).toEqual([expect.stringContaining('places.mmdb is no')]));
    rmSync(file);
    clock.advance(60_000);
    expect(places.of('203.0.113.7').region).toBe('US-FL');
    replaceBy(placeDatabase({ '203.0.113.0/24': { country: { iso_code: 'CA' } } }));
    await vi.waitFor(() => {
      clock.advance(60_000);
      expect(places.of('203.0.113.7').region).toBe('CA');
    });
    expect(errors).toHaveLength(1);
  });
});

describe('a file of places', () => {
  it('is refused when it is missing, cut off, or something else', async () => {
    const bad: readonly [Buffer | null, RegExp][] = [
      [null, /places\.mmdb cannot be read$/],
      [Buffer.alloc(0), /is no/],
      [Buffer.from('country,US'), /is no/],
      [Buffer.alloc(10_000), /is no/],
      [COUNTRIES.subarray(0, -40), /is no/],
      [COUNTRIES.subarray(-120), /is no/],
    ];
    for (const [bytes, message] of bad) {
      rmSync(file, { force: true });
      if (bytes) writeFileSync(file, bytes);
      await expect(open(), String(bytes?.length)).rejects.toThrow(message);
    }
  });
});
