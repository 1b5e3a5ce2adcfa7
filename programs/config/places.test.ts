import { VirtualClock } from '#platform/data/clock.ts';
import { placeDatabase } from '#platform/http/places/testing.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigInvalid, readConfig } from './config.ts';
import { openPlaceFiles } from './places.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'candela-place-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const silent = { error: () => undefined } as never;
const open = (environment: Record<string, string>) =>
  openPlaceFiles(readConfig(environment, []), new VirtualClock(), silent);

describe('the files of places', () => {
  it('are none unless they are set', async () => {
    expect(await open({})).toBeNull();
  });

  it('say where an address is, and whether its network hides people', async () => {
    const [places, anonymous] = ['places.mmdb', 'anonymous.mmdb'].map((name) => join(folder, name));
    writeFileSync(places ?? '', placeDatabase({ '203.0.113.0/24': { country: { iso_code: 'FR' } } }));
    writeFileSync(anonymous ?? '', placeDatabase({ '203.0.113.0/24': { is_anonymous: true } }));
    const both = await open({ GEO_DATABASE: places ?? '', GEO_ANONYMOUS_DATABASE: anonymous ?? '' });
    expect(both?.of('203.0.113.9')).toEqual({ region: 'FR', isAnonymous: true });
    both?.close();
    const one = await open({ GEO_ANONYMOUS_DATABASE: anonymous ?? '' });
    expect(one?.of('203.0.113.9')).toEqual({ region: null, isAnonymous: true });
    one?.close();
  });

  it('stop the start, with the name of the setting, when they cannot be used', async () => {
    const file = join(folder, 'broken.mmdb');
    writeFileSync(file, 'not a database');
    for (const name of ['GEO_DATABASE', 'GEO_ANONYMOUS_DATABASE']) {
      for (const bad of [join(folder, 'missing.mmdb'), folder, file]) {
        const failed = open({ [name]: bad });
        await expect(failed, bad).rejects.toThrow(ConfigInvalid);
        await expect(failed, bad).rejects.toThrow(`${name}=${bad} `);
      }
    }
  });
});
