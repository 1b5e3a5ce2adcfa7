import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigInvalid, readConfig } from './config.ts';
import { openIdentities } from './identities.ts';

const open = (environment: Record<string, string>, isWeb = true) =>
  openIdentities(readConfig(environment, []), isWeb);
const PRODUCTION = { PUBLIC_URL: 'https://cam.example' };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'candela-providers-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('whose accounts log in', () => {
  it('is nobody in production without a file, and each host’s own with one', async () => {
    expect((await open(PRODUCTION)).providersAt('cam.example')).toEqual([]);
    const file = join(folder, 'providers.json');
    const account = { clientId: 'an id', clientSecret: 'hunter2' };
    writeFileSync(
      file,
      JSON.stringify({
        'Cam.example': { google: account, facebook: account },
        'lagoon.example': { google: account },
      }),
    );
    const { providersAt } = await open({ ...PRODUCTION, LOGIN_PROVIDERS_FILE: file });
    const namesAt = (host: string) => providersAt(host).map(({ name }) => name);
    expect([namesAt('cam.example'), namesAt('lagoon.example'), namesAt('other.example')])
      .toEqual([['google', 'facebook'], ['google'], []]);
    for (const bad of [
      '[]',
      'hunter2',
      'null',
      '{"cam.example":null}',
      '{"cam.example":{"google":{}}}',
      '{"cam.example":{"google":{"clientId":"a","clientSecret":" "}}}',
      '{"cam.example":{"hunter2":{"clientId":"a","clientSecret":"hunter2"}}}',
    ]) {
      writeFileSync(file, bad);
      const failed = open({ ...PRODUCTION, LOGIN_PROVIDERS_FILE: file });
      await expect(failed).rejects.toThrow(ConfigInvalid);
      await expect(failed).rejects.toThrow(/^(?!.*hunter2)/su);
    }
  });

  it('is simulated in a demo, for browsers on this machine alone', async () => {
    const demo = await open({});
    expect(demo.providersAt('localhost').map(({ name }) => name)).toEqual(['google', 'facebook']);
    expect(demo.providersAt('192.168.1.5')).toEqual([]);
    await demo.close();
    expect((await open({}, false)).providersAt('localhost')).toEqual([]);
  });
});
