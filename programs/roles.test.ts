import { authorizeSuccess } from '#platform/contract/sockets/lobby.ts';
import { LOBBY_PATH, ROOM_PATH } from '#platform/contract/sockets/wire.ts';
import { systemClock, VirtualClock } from '#platform/data/clock.ts';
import { openRedisAttendance } from '#platform/data/redis/redis-attendance.ts';
import { openRedisBus } from '#platform/data/redis/redis-bus.ts';
import { freePort, startRedis, whyNoRedis, type TestRedis } from '#platform/data/redis/testing.ts';
import { loggedOut } from '#product/accounts/contract.ts';
import { chatMessage, sayInChat } from '#product/rooms/contract.ts';
import { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { ProgramProcess, sharedSettings } from '#product/testkit/topology.ts';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const missing = process.env['TEST_DATABASE_URL'] ? whyNoRedis() : 'it needs npm run test:postgres';
const VERSION = 'test';
/** Node has been seen to hang when it exits: the test fails then, and does not wait for ever. */
const START_MS = 30_000;

describe('a program that is part of a site', () => {
  it.each(['web', 'gateway', 'worker'])('%s says what it must share with the others', (name) => {
    const entry = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
    const ended = spawnSync(process.execPath, ['--import', 'tsx', entry], {
      env: { PATH: process.env['PATH'] },
      encoding: 'utf8',
      timeout: START_MS,
      killSignal: 'SIGKILL',
    });
    expect(ended.status).toBe(78);
    for (const setting of ['DATABASE_URL', 'REDIS_URL', 'SITE_SECRET']) {
      expect(ended.stderr).toContain(`${setting} is missing`);
    }
  });
});

describe.skipIf(missing !== null)(`web, gateway and worker${missing === null ? '' : `: ${missing}`}`, () => {
  let redis: TestRedis;
  /** Creates people in the same database; answers no calls and delivers nothing. */
  let people: TestSite;
  let programs: Readonly<Record<'web' | 'gateway' | 'worker', ProgramProcess>>;
  /** Answers calls beside `web`, as a second machine does. */
  let other: ProgramProcess;
  const folder = mkdtempSync(join(tmpdir(), 'candela-roles-'));
  const stops: (() => Promise<void> | void)[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    const joined = { url: redis.url, clock: systemClock, log: { warn: () => {}, error: () => {} } };
    const [bus, attendance] = [await openRedisBus(joined), await openRedisAttendance(joined)];
    people = await createSite({ clock: new VirtualClock(systemClock.now()), beside: { bus, attendance } });
    stops.push(async () => {
      await people.close();
      await attendance.close();
      bus.close();
      await redis.stop();
    });
    const env = {
      ...sharedSettings(people.data.databaseUrl as string, redis.url),
      DATA_DIR: folder,
      RTMP_PORT: 'off',
    };
    programs = {
      web: new ProgramProcess('web', await freePort(), env),
      gateway: new ProgramProcess('gateway', await freePort(), env),
      worker: new ProgramProcess('worker', await freePort(), env),
    };
    other = new ProgramProcess('web', await freePort(), { ...env, DATA_DIR: join(folder, 'other') });
    const started = [...Object.values(programs), other];
    stops.push(async () => void await Promise.all(started.map((program) => program.ends('SIGKILL'))));
    await Promise.all(started.map((program) => program.start()));
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const at = (name: keyof typeof programs, path: string): string =>
    `http://127.0.0.1:${programs[name].port}${path}`;
  const headersOf = (member: Member): Record<string, string> =>
    Object.fromEntries(
      Object.entries(member.headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );

  async function joins(member: Member, room: string): Promise<TestSocket> {
    const { cookie = '' } = headersOf(member);
    const user = await fetch(at('web', '/api/v1/user/current'), { headers: { cookie } });
    const { node_token: token } = (await user.json()) as { node_token: string };
    const socket = await TestSocket.open(
      at('gateway', ROOM_PATH + room).replace('http', 'ws'),
      headersOf(member),
    );
    await socket.authorizes(token, VERSION);
    return socket;
  }

  it('are ready each by itself', async () => {
    for (const name of ['web', 'gateway', 'worker'] as const) {
      expect((await fetch(at(name, '/readyz'))).status).toBe(200);
    }
  });

  it('calls are answered by web alone, sockets taken by the gateway alone', async () => {
    const statuses = await Promise.all(
      (['web', 'gateway', 'worker'] as const).map(async (name) =>
        (await fetch(at(name, '/api/v1/site_config'))).status
      ),
    );
    expect(statuses).toEqual([200, 404, 404]);
    const opened = await Promise.all((['web', 'gateway', 'worker'] as const).map(async (name) => {
      const { host, port } = new URL(at(name, ''));
      const url = `ws://127.0.0.1:${port}${LOBBY_PATH}`;
      return TestSocket.open(url, { origin: `http://${host}` }).then(
        async (socket) => {
          await socket.leaves();
          return true;
        },
        () => false,
      );
    }));
    expect(opened).toEqual([false, true, false]);
  });

  it('who goes live is listed by every web, and who is hidden at one is hidden at the other', async () => {
    const guest = await people.visitor({ ofAge: true });
    const admin = await people.admin();
    const cookie = guest.headers['cookie'] ?? '';
    const listed = async (port: number): Promise<readonly string[]> => {
      const url = `http://127.0.0.1:${port}/api/v1/browse/react/girls`;
      const answer = await fetch(url, { headers: { cookie } });
      return ((await answer.json()) as { userList: { username: string }[] }).userList
        .map(({ username }) => username);
    };
    const ports = [programs.web.port, other.port] as const;
    const [stays, hides] = [await people.performer(), await people.performer()];
    for (const port of ports) expect(await listed(port)).toEqual([]);
    for (const one of [stays, hides]) await one.goesLive();
    const both = [stays, hides].map(({ username }) => username).toSorted();
    for (const port of ports) await expect.poll(async () => (await listed(port)).toSorted()).toEqual(both);
    const hidden = await fetch(at('web', `/api/v1/compliance/clearances/${hides.username}`), {
      method: 'POST',
      body: JSON.stringify({ decision: 'revoke', reason: 'the document was not theirs' }),
      headers: { ...headersOf(admin), 'content-type': 'application/json', origin: at('web', '') },
    });
    expect(hidden.status).toBe(200);
    for (const port of ports) await expect.poll(() => listed(port)).toEqual([stays.username]);
  });

  it('who logs out at web is closed at the gateway', async () => {
    const performer = await people.performer();
    const viewer = await people.viewer();
    const socket = await joins(viewer, performer.username);
    const left = await fetch(at('web', '/api/v1/auth/logout'), {
      method: 'POST',
      headers: { ...headersOf(viewer), origin: at('web', '') },
    });
    expect(left.status).toBe(200);
    await socket.waitFor(loggedOut);
    expect(await socket.closing()).toBe(4004);
  });

  it('what is said at the gateway is delivered by the worker, also while web is away', async () => {
    const performer = await people.performer();
    const [one, two] = [await people.viewer(), await people.viewer()];
    const sockets = [await joins(one, performer.username), await joins(two, performer.username)] as const;
    expect(sockets[0].received(authorizeSuccess)).toHaveLength(1);
    await programs.web.ends('SIGKILL');
    sockets[0].send(sayInChat, { message: 'still here' });
    await sockets[1].waitFor(chatMessage, ({ message }) => message === 'still here');
    await Promise.all(sockets.map((socket) => socket.leaves()));
  });
});
