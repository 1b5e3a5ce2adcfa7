import { freePort } from '#platform/data/redis/testing.ts';
import { freeUdpPort } from '#platform/streaming/conformance/network/free-port.ts';
import { ROLES } from '#product/assembly.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from './config/config.ts';
import { staffSettingsOf } from './parts/open-site.ts';
import { startProgram } from './parts/program.ts';

/** Time to create a database, which programs then open. */
const LONG = { timeout: 180_000 };
const PASSWORD = 'a long password';
const ORIGIN = 'https://cam.example';
const PRODUCTION = { CANDELA_MODE: 'production', PUBLIC_URL: ORIGIN, LOG_LEVEL: 'silent' };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'candela-first-admin-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('staff need no second step where the demo’s people are, and only production needs an admin', () => {
  const settingsOf = (...given: Parameters<typeof readConfig>) => staffSettingsOf(readConfig(...given));
  expect(settingsOf(PRODUCTION, [])).toEqual({ staffNeedsSecondStep: true, needsAdmin: true });
  expect(settingsOf({}, [])).toEqual({ staffNeedsSecondStep: false, needsAdmin: false });
  expect(settingsOf({}, ['--no-demo'])).toEqual({ staffNeedsSecondStep: true, needsAdmin: false });
});

/** Starts a site as the program does, in production unless stated otherwise, and captures what it prints. */
async function starts(
  given: NodeJS.ProcessEnv = { ...PRODUCTION, DATA_DIR: folder },
  flags: readonly string[] = [],
) {
  const ports = { PORT: String(await freePort()), MEDIA_PORT: String(await freeUdpPort(1)) };
  const config = readConfig({ ...given, ...ports, RTMP_PORT: 'off' }, flags);
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    const running = await startProgram(config, ROLES, false);
    let stopped: Promise<void> | null = null;
    const stop = () => stopped ??= running.stop();
    onTestFinished(stop);
    return { ...running, stop, printed: print.mock.calls.flat().join('\n') };
  } finally {
    print.mockRestore();
  }
}

it(
  'a production site prints the link of its first admin, and airs nothing until there is one',
  LONG,
  async () => {
    const { site: { http, services: { accounts, broadcast, compliance } }, data, printed } = await starts();
    expect(printed).toMatch(/^ {2}https:\/\/cam\.example\/admin\/first-admin\?token=[\w-]{20,}$/mu);
    const { id } = await accounts.create(DEFAULT_SCOPE, {
      username: 'ivy',
      type: 'model',
      passwordHash: await accounts.hashPassword(PASSWORD),
      email: 'ivy@people.example',
      password: PASSWORD,
      birthDate: '1994-05-17',
      roles: [],
      avatarUrl: null,
      displayName: 'Ivy',
      gender: 'f',
      about: '',
      languages: [],
    });
    const key = await data.tx(DEFAULT_SCOPE, async (tx) => {
      await compliance.clear(tx, id, null, 'seen by a test');
      return broadcast.makeStreamKey(tx, id);
    });
    const { statusCode, body } = await http.app.inject({
      method: 'POST',
      url: '/whip',
      payload: TEST_OFFER,
      headers: {
        'host': new URL(ORIGIN).host,
        'authorization': `Bearer ${key}`,
        'content-type': 'application/sdp',
      },
    });
    expect([statusCode, body]).toEqual([403, expect.stringContaining('admin_missing')]);
    // Without a second step this person is an admin by name, but has no staff rights yet.
    await accounts.appoint(DEFAULT_SCOPE, { email: 'chief@people.example', origin: ORIGIN });
    const { chief, staff, token } = await data.tx(DEFAULT_SCOPE, async (tx) => {
      const found = await accounts.findByUsername(tx, 'chief');
      return {
        chief: found,
        token: await accounts.firstAdminToken(tx),
        staff: await accounts.staffAmong(tx, found ? [found] : []),
      };
    });
    expect([chief?.roles, staff.size, token]).toEqual([['super_admin'], 0, null]);
  },
);

it(
  'a site of one’s own without the demo prints the link too, and no more once somebody is appointed',
  LONG,
  async () => {
    const own = mkdtempSync(join(tmpdir(), 'candela-no-demo-'));
    onTestFinished(() => rmSync(own, { recursive: true, force: true }));
    const startsOwn = () => starts({ LOG_LEVEL: 'silent', DATA_DIR: own }, ['--no-demo']);
    const first = await startsOwn();
    expect(first.printed).toMatch(/^ {2}http:\/\/\S+\/admin\/first-admin\?token=[\w-]{20,}$/mu);
    const { accounts } = first.site.services;
    await accounts.appoint(DEFAULT_SCOPE, { email: 'chief@people.example', origin: ORIGIN });
    await first.stop();
    const second = await startsOwn();
    expect(second.printed).toContain('Database');
    expect(second.printed).not.toContain('first-admin');
  },
);

it('the command makes an admin, says so again, and ends with its usage for what it cannot read', LONG, () => {
  const entry = fileURLToPath(new URL('./admin.ts', import.meta.url));
  const run = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', entry, ...args], {
      env: { PATH: process.env['PATH'], ...PRODUCTION, DATA_DIR: folder },
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    return [status, stdout, stderr];
  };
  expect(run('create', 'someone@example.com')).toEqual([
    0,
    expect.stringMatching(
      new RegExp(
        [
          '^Made the account someone, an admin\\.',
          'Set its password within an hour; the link works once:',
          'https://cam\\.example/\\S+token=\\S{20,}',
          'Then set up two-step log-in or a passkey: .+',
        ].join('\\n'),
        'u',
      ),
    ),
    '',
  ]);
  expect(run('create', 'someone@example.com'))
    .toEqual([0, expect.stringMatching(/^The account someone is an admin now\.\n/u), '']);
  expect(run('create', 'nobody')).toEqual([64, '', expect.stringContaining('create EMAIL')]);
});
