import { systemClock } from '#platform/data/clock.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAgeChecks } from './age-checks.ts';
import { ConfigInvalid, readConfig } from './config.ts';

const open = (environment: Record<string, string>, isWeb = true) =>
  openAgeChecks(readConfig(environment, []), systemClock, isWeb);
const PRODUCTION = { PUBLIC_URL: 'https://cam.example' };
const YOTI = { address: 'https://age.yoti.com', apiKey: 'hunter2', sdkId: 'an id' };
const INCODE = {
  address: 'https://api.incodesmile.com',
  apiKey: 'hunter2',
  relay: 'https://relay.example/back',
  flows: { estimation: { id: 'a flow', provesAge: 25, liveness: 'passive' } },
};
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'candela-age-checks-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the ways to prove an age', () => {
  it('are none in production without a file, and those of the file with one, for one operator', async () => {
    expect((await open(PRODUCTION)).of(1)).toEqual({ verifiers: [], card: false, support: false });
    const file = join(folder, 'age-checks.json');
    writeFileSync(file, JSON.stringify({ yoti: YOTI, incode: INCODE, support: true }));
    const { of } = await open({ ...PRODUCTION, AGE_CHECKS_FILE: file });
    const { verifiers, card, support } = of(1);
    expect([card, support]).toEqual([false, true]);
    expect(verifiers.map(({ name, isAnonymous, checks }) => [name, isAnonymous, checks])).toEqual([
      ['yoti', false, ['document', 'digital_id']],
      ['incode', true, ['estimation']],
    ]);
    expect(of(2)).toEqual({ verifiers: [], card: false, support: false });
  });

  it('are refused as a whole when the file is wrong, and no secret is printed', async () => {
    const file = join(folder, 'wrong.json');
    for (
      const bad of [
        '[]',
        'hunter2',
        '{"yoti":{"apiKey":"hunter2"}}',
        JSON.stringify({ yoti: { ...YOTI, address: 'hunter2' } }),
        JSON.stringify({ yoti: { ...YOTI, anonymous: true } }),
        JSON.stringify({
          incode: { ...INCODE, flows: { estimation: { id: 'a', provesAge: 16, liveness: 'none' } } },
        }),
        JSON.stringify({ onfido: YOTI }),
      ]
    ) {
      writeFileSync(file, bad);
      const failed = open({ ...PRODUCTION, AGE_CHECKS_FILE: file });
      await expect(failed).rejects.toThrow(ConfigInvalid);
      await expect(failed).rejects.toThrow(/^(?!.*hunter2)/su);
    }
    await expect(open({ ...PRODUCTION, AGE_CHECKS_FILE: join(folder, 'none.json') })).rejects.toThrow(
      ConfigInvalid,
    );
  });

  it('are simulated in a demo, by the process that answers calls', async () => {
    const demo = await open({});
    const { verifiers, card, support } = demo.of(1);
    expect([verifiers.map(({ name }) => name), card, support]).toEqual([['yoti', 'incode'], true, true]);
    await demo.close();
    expect((await open({}, false)).of(1).verifiers).toEqual([]);
  });
});
