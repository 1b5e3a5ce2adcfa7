import type { CallFailed } from '#platform/contract/client.ts';
import { freePort } from '#platform/data/redis/testing.ts';
import { resetPassword } from '#product/accounts/contract.ts';
import { listPersonSessions, searchPeople } from '#product/accounts/contract/staff-lookup.ts';
import { beginTwoFactor, confirmTwoFactor } from '#product/accounts/contract/two-factor.ts';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from './client.ts';
import { endProgram, startProgram } from './seeded.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PASSWORD = 'harbour-lights-9';
/** The command as an operator types it, and as a machine without npm runs it. */
const COMMANDS = [
  { username: 'chief', command: ['npm', 'run', 'admin', '--'] },
  { username: 'deputy', command: [process.execPath, 'dist/admin.js'] },
] as const;

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'candela-first-admin-'));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Runs a command of the operator beside the site's data, before or while the site runs. */
function run([file, ...rest]: readonly [string, ...string[]], port: number) {
  const { status, stdout, stderr } = spawnSync(file, rest, {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 120_000,
    killSignal: 'SIGKILL',
    env: { ...process.env, NODE_ENV: 'production', PORT: String(port), DATA_DIR: dataDir },
  });
  return { status, stdout, stderr };
}

/** Sets the password by the printed link, and logs in with it. */
async function entersBy(link: string, username: string): Promise<Client> {
  const { origin, searchParams } = new URL(link);
  expect((await fetch(link, { headers: { accept: 'text/html' } })).status).toBe(200);
  const browser = await Client.visit(origin);
  await browser.call(resetPassword, { token: searchParams.get('token') ?? '', next: PASSWORD });
  return Client.logIn(origin, username, PASSWORD);
}

it('the built command makes admins of a new site, who enter and use the back office', async () => {
  const [port, rtmpPort] = [await freePort(), await freePort()];
  const links = COMMANDS.map(({ username, command }) => {
    const made = run([...command, 'create', `${username}@people.example`], port);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(made.stdout).toContain(`Made the account ${username}, an admin.`);
    expect(made.stdout).toContain('Then set up two-step log-in or a passkey');
    return /^http:\/\/localhost:\d+\/\S+$/mu.exec(made.stdout)?.[0] ?? '';
  });
  const output: string[] = [];
  const site = await startProgram({ dataDir, port, rtmpPort, flags: ['--no-demo'], output });
  try {
    // The site no longer offers anybody to become the first admin.
    expect(output.join('')).not.toContain('/admin/first-admin');
    for (const [at, { username }] of COMMANDS.entries()) {
      const admin = await entersBy(links[at] ?? '', username);
      expect(
        await admin.call(searchPeople, { query: username.slice(1) }).catch((error: CallFailed) =>
          error.problem.errorType
        ),
      ).toBe('two_factor_required');
      const { secret } = await admin.call(beginTwoFactor, { password: PASSWORD });
      await admin.call(confirmTwoFactor, { code: generateSync({ secret }) });
      const { people } = await admin.call(searchPeople, { query: username.slice(1) });
      expect(people.map((person) => [person.username, person.roles, person.email_confirmed]))
        .toEqual([[username, ['super_admin'], true]]);
      expect((await admin.call(listPersonSessions, { username })).sessions.length).toBeGreaterThan(0);
    }
    // Only one process at a time can open the embedded database.
    expect(run([...COMMANDS[1].command, 'create', 'late@people.example'], port))
      .toMatchObject({ status: 78, stderr: expect.stringContaining('Stop the site first') });
  } finally {
    await endProgram(site);
  }
});
