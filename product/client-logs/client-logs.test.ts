import type { OutputOf } from '#platform/contract/call.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  listClientLines,
  listClientReports,
  logPurchase,
  reportClientError,
  reportToast,
  sendConsole,
  sendLogs,
  setRemoteLogging,
} from './contract.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

const CRASH = {
  clientVersion: '0.1.0',
  errorMessage: 'Cannot read properties of undefined (reading \'name\')',
  stack: 'TypeError: Cannot read properties\n    at Room (http://localhost/assets/room-Ab12_x9z.js:3:141)',
  time: '2026-01-01T00:00:00.000Z',
  url: 'http://localhost/anna_92?next=secret',
};
type Report = OutputOf<typeof listClientReports>['reports'][number];
const reportsOf = async (kind: Report['kind']): Promise<readonly Report[]> =>
  (await admin.call(listClientReports, { kind })).reports;

describe('POST /log/react-error', () => {
  it('takes five fields, answers a code, and an admin finds the error by it [B-328]', async () => {
    const guest = await site.visitor();
    const sent = await guest.request({ method: 'POST', url: '/api/v1/log/react-error', payload: CRASH });
    expect(sent.statusCode).toBe(200);
    const { code } = sent.json<{ code: string }>();
    expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/u);
    const { reports } = await admin.call(listClientReports, { code: code.toLowerCase().replace('-', '') });
    expect(reports).toEqual([expect.objectContaining({
      kind: 'error',
      code,
      message: CRASH.errorMessage,
      page: '/:username',
      versions: ['0.1.0'],
      count: 1,
      browser_time: '2026-01-01T00:00:00.000Z',
    })]);
    expect(reports[0]?.detail).toContain('assets/room-Ab12_x9z.js:3:141');
    for (const field of Object.keys(CRASH)) {
      const { [field as keyof typeof CRASH]: _left, ...rest } = CRASH;
      expect(await guest.refused(reportClientError, rest)).toMatchObject({ errorType: 'invalid_input' });
    }
  });

  it('counts the same error of another version with the first, and another error apart', async () => {
    const other = { ...CRASH, errorMessage: 'counted', clientVersion: '0.1.0' };
    const [guest, member] = [await site.visitor(), await site.viewer()];
    const first = await guest.call(reportClientError, other);
    const again = await member.call(reportClientError, {
      ...other,
      clientVersion: '0.2.0',
      stack: CRASH.stack.replace('Ab12_x9z.js:3:141', 'QQQQQQQQ.js:9:1'),
    });
    expect(again.code).toBe(first.code);
    const apart = await guest.call(reportClientError, { ...other, errorMessage: 'another' });
    expect(apart.code).not.toBe(first.code);
    const found = (await reportsOf('error')).find(({ code }) => code === first.code);
    expect(found).toMatchObject({ count: 2, versions: ['0.2.0', '0.1.0'] });
  });

  it('stores no secret and nothing personal, whatever is sent', async () => {
    const guest = await site.visitor();
    const secrets = [
      'anna@mail.example',
      'hunter2222',
      'eyJhbGciOiJIUzI1NiJ9',
      'I miss you',
      '+49 170 1234567',
      'anna_92',
      'token-in-a-query',
      '203.0.113.9',
    ];
    await guest.call(reportClientError, {
      ...CRASH,
      url: 'http://localhost/anna_92?token=token-in-a-query',
      errorMessage: 'for anna@mail.example, password=hunter2222 "I miss you, Anna" call +49 170 1234567',
      stack: 'Bearer eyJhbGciOiJIUzI1NiJ9 from 203.0.113.9 at http://localhost/anna_92?x=token-in-a-query',
    });
    const stored = JSON.stringify(await admin.call(listClientReports, {}));
    for (const secret of secrets) expect(stored).not.toContain(secret);
    // A card number never gets that far: the host refuses the body.
    expect(await guest.refused(reportClientError, { ...CRASH, errorMessage: 'card 4111 1111 1111 1111' }))
      .toMatchObject({ status: 422 });
  });

  it('refuses what is too much: huge bodies, and an eleventh report of an address in a minute', async () => {
    const guest = await site.visitor();
    const huge = await guest.request({
      method: 'POST',
      url: '/api/v1/log/react-error',
      payload: { ...CRASH, stack: 'x'.repeat(100_000) },
    });
    expect(huge.statusCode).toBe(413);
    expect(await guest.refused(reportClientError, { ...CRASH, stack: 'x'.repeat(8_001) }))
      .toMatchObject({ status: 422 });
    const flood = await site.visitor();
    const statuses: number[] = [];
    for (let at = 0; at < 11; at += 1) {
      const { statusCode } = await flood.request({
        method: 'POST',
        url: '/api/v1/log/react-error',
        payload: { ...CRASH, errorMessage: `flood ${at}` },
      });
      statuses.push(statusCode);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
  });
});

describe('POST /log/react-toast', () => {
  const toast = {
    appearance: 'error',
    content: 'Tips are not possible',
    title: 'Sorry',
    url: 'http://localhost/top',
  };

  it('takes four fields of somebody who is logged in [A-365]', async () => {
    const viewer = await site.viewer();
    const sent = await viewer.request({ method: 'POST', url: '/api/v1/log/react-toast', payload: toast });
    expect([sent.statusCode, sent.json()]).toEqual([200, { success: true }]);
    expect(await reportsOf('toast')).toEqual([expect.objectContaining({
      message: 'Tips are not possible',
      detail: 'error: Sorry',
      page: '/top',
      count: 1,
    })]);
    for (const field of Object.keys(toast)) {
      const { [field as keyof typeof toast]: _left, ...rest } = toast;
      expect(await viewer.refused(reportToast, rest)).toMatchObject({ errorType: 'invalid_input' });
    }
    expect(await (await site.visitor()).refused(reportToast, toast)).toMatchObject({ status: 401 });
    expect(await reportsOf('toast')).toHaveLength(1);
  });
});

describe('POST /log', () => {
  it('takes logs of somebody who is logged in, redacted [A-366]', async () => {
    const viewer = await site.viewer();
    const sent = await viewer.request({
      method: 'POST',
      url: '/api/v1/log',
      payload: { logs: ['socket noPong', 'mail anna@mail.example'] },
    });
    expect([sent.statusCode, sent.json()]).toEqual([200, { success: true }]);
    const { batches } = await admin.call(listClientLines, {});
    expect(batches[0]).toMatchObject({
      source: 'log',
      username: viewer.username,
      lines: ['socket noPong', 'mail [email]'],
    });
    expect(await (await site.visitor()).refused(sendLogs, { logs: ['x'] })).toMatchObject({ status: 401 });
    for (const logs of [undefined, [], Array(51).fill('x'), ['x'.repeat(501)], 'text']) {
      expect(await viewer.refused(sendLogs, { logs })).toMatchObject({ errorType: 'invalid_input' });
    }
  });
});

describe('POST /log/console', () => {
  const line = { level: 'warn', text: 'slow' } as const;
  const turns = (username: string, on: boolean) =>
    admin.call(setRemoteLogging, { username, on, reason: 'ticket 7' });

  it('takes 50 lines at most, and only of whom an admin turned remote logging on', async () => {
    const viewer = await site.viewer();
    expect(await viewer.refused(sendConsole, { lines: [line] })).toMatchObject({
      errorType: 'remote_logging_off',
      status: 403,
    });
    expect(await turns(viewer.username, true)).toEqual({
      username: viewer.username,
      remote_logging: true,
      until: new Date(site.clock.now().getTime() + 7 * DAY_MS).toISOString(),
    });
    const lines = Array.from({ length: 50 }, (_no, nth) => ({ ...line, text: `${nth}` }));
    await viewer.call(sendConsole, { lines });
    const { batches } = await admin.call(listClientLines, {});
    expect(batches[0]).toMatchObject({ source: 'console', username: viewer.username });
    expect(batches[0]?.lines).toHaveLength(50);
    expect(batches[0]?.lines[49]).toBe('warn: 49');
    const tooMany = Array.from({ length: 51 }, () => line);
    expect(await viewer.refused(sendConsole, { lines: tooMany })).toMatchObject({ status: 422 });
    expect(await viewer.refused(sendConsole, { lines: [] })).toMatchObject({ status: 422 });
    await turns(viewer.username, false);
    expect(await viewer.refused(sendConsole, { lines: [line] })).toMatchObject({ status: 403 });
    const guest = await site.visitor();
    expect(await guest.refused(sendConsole, { lines: [line] })).toMatchObject({ status: 401 });
  });

  it('ends by itself after a week', async () => {
    const viewer = await site.viewer();
    await turns(viewer.username, true);
    await site.passes(7 * DAY_MS - 1_000);
    await viewer.call(sendConsole, { lines: [line] });
    await site.passes(2_000);
    expect(await viewer.refused(sendConsole, { lines: [line] })).toMatchObject({ status: 403 });
  });
});

describe('POST /log/purchase', () => {
  it('takes the link, and stores where it leads without the order [A-358]', async () => {
    const viewer = await site.viewer();
    const sent = await viewer.request({
      method: 'POST',
      url: '/api/v1/log/purchase',
      payload: { link: 'https://pay.example/join/form?order=0f8fad5b&sig=abcdef' },
    });
    expect([sent.statusCode, sent.json()]).toEqual([200, { success: true }]);
    expect(await reportsOf('purchase')).toEqual([expect.objectContaining({
      message: 'pay.example/join/form',
      detail: '',
      page: '',
      count: 1,
    })]);
    expect(await viewer.refused(logPurchase, {})).toMatchObject({ status: 422 });
    expect(
      (await viewer.request({
        method: 'POST',
        url: '/api/v1/log/purchase',
        payload: { link: 'https://pay.example' },
        headers: { 'x-csrf-token': 'wrong' },
      })).statusCode,
    ).toBe(403);
  });
});

describe('what is stored', () => {
  it('is read by admins alone, and so is who is watched', async () => {
    const others = [
      await site.visitor(),
      await site.viewer(),
      await site.performer(),
      await site.viewer({ roles: ['site_mod', 'remote_logging'] }),
    ];
    for (const other of others) {
      for (const call of [listClientReports, listClientLines]) {
        expect([401, 403]).toContain((await other.refused(call, {})).status);
      }
      const wish = { username: 'anybody', on: true, reason: 'x' };
      const { status } = await other.refused(setRemoteLogging, wish);
      expect([401, 403]).toContain(status);
    }
    expect(await admin.refused(setRemoteLogging, { username: 'nobody_at_all', on: true, reason: 'x' }))
      .toMatchObject({ errorType: 'no_such_person', status: 404 });
  });

  it('is paged, and removed: reports 30 days after the last, lines after 14', async () => {
    const viewer = await site.viewer();
    for (let at = 0; at < 51; at += 1) {
      const guest = await site.visitor();
      await guest.call(reportClientError, { ...CRASH, errorMessage: `paged ${'abc'.repeat(at)}` });
    }
    const first = await admin.call(listClientReports, { kind: 'error' });
    expect(first.reports).toHaveLength(50);
    const second = await admin.call(listClientReports, { kind: 'error', before: first.next ?? '' });
    expect(second.reports.length).toBeGreaterThan(0);
    const ids = [...first.reports, ...second.reports].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    await viewer.call(sendLogs, { logs: ['for two weeks'] });
    await site.passes(13 * DAY_MS);
    expect((await admin.call(listClientLines, {})).batches.length).toBeGreaterThan(0);
    await site.passes(3 * DAY_MS);
    expect((await admin.call(listClientLines, {})).batches).toEqual([]);
    expect((await admin.call(listClientReports, {})).reports.length).toBeGreaterThan(0);
    await site.passes(16 * DAY_MS);
    expect((await admin.call(listClientReports, {})).reports).toEqual([]);
  });
});
