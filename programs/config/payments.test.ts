import { systemClock } from '#platform/data/clock.ts';
import { simulatedAccounts } from '#platform/payments/simulators/accounts.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigInvalid, readConfig } from './config.ts';
import { openPayments } from './payments.ts';

const open = (environment: Record<string, string>, isWeb = true) =>
  openPayments(readConfig(environment, []), systemClock, isWeb);
const PRODUCTION = { PUBLIC_URL: 'https://cam.example' };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'candela-billers-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('payments', () => {
  it('run on simulators in a demo, for its one operator', async () => {
    const payments = await open({});
    try {
      expect(payments.isTestPayment).toBe(true);
      expect(payments.billersOf(1).length).toBeGreaterThan(1);
      expect(payments.billersOf(2)).toEqual([]);
      // Browsers reach the simulators by another name than our server does.
      expect(payments.framesOf(1)).toEqual([payments.simulators?.replace('127.0.0.1', 'localhost')]);
      expect(payments.framesOf(2)).toEqual([]);
      const cards = await fetch(`${payments.simulators}/test-cards`);
      expect(await cards.text()).toContain('4111');
    } finally {
      await payments.close();
    }
  });

  it('find another port when theirs is another demo\'s, unless it was asked for', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const { port } = other.address() as AddressInfo;
    await expect(open({ SIMULATOR_PORT: String(port) })).rejects.toThrow('SIMULATOR_PORT');
    await new Promise((resolve) => {
      other.close(resolve);
    });
    const first = await open({});
    const second = await open({});
    expect(first.simulators).not.toBe(second.simulators);
    for (const { framesOf, simulators } of [first, second]) {
      expect(framesOf(1)).toEqual([simulators?.replace('127.0.0.1', 'localhost')]);
    }
    await first.close();
    await second.close();
  });

  it('are nobody\'s in production without accounts, and those of a file with them', async () => {
    const none = await open(PRODUCTION);
    expect([none.isTestPayment, none.simulators, none.billersOf(1)]).toEqual([false, null, []]);
    const file = join(folder, 'billers.json');
    writeFileSync(file, '{}');
    expect((await open({ ...PRODUCTION, BILLERS_FILE: file })).billersOf(1)).toEqual([]);
    for (const bad of ['[]', 'hunter2', 'null']) {
      writeFileSync(file, bad);
      const failed = open({ ...PRODUCTION, BILLERS_FILE: file });
      await expect(failed).rejects.toThrow(ConfigInvalid);
      await expect(failed).rejects.toThrow(/^(?!.*hunter2)/su);
    }
  });

  it('open frames for origins that an account names, and for nothing wider', async () => {
    const { btcpay } = simulatedAccounts('https://pay.example', 'https://pay.example');
    const file = join(folder, 'framed.json');
    const openWith = (inFrame: unknown) => {
      writeFileSync(file, JSON.stringify({ btcpay: { ...btcpay, inFrame } }));
      return open({ ...PRODUCTION, BILLERS_FILE: file });
    };
    expect((await openWith(undefined)).framesOf(1)).toEqual([]);
    expect((await openWith(['https://pay.example'])).framesOf(1)).toEqual(['https://pay.example']);
    for (const wide of [
      '*',
      'https:',
      'https://*.example',
      'https://pay.example/path',
      '\'unsafe-inline\'',
    ]) {
      await expect(openWith([wide])).rejects.toThrow(ConfigInvalid);
    }
  });

  it('of a process that serves no pages are the simulators of the one that does', async () => {
    const beside = await open({}, false);
    expect(beside.simulators).toBeNull();
    expect(beside.billersOf(1).length).toBeGreaterThan(1);
  });
});
