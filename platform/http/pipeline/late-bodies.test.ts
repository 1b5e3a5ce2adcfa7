import { NO_CONSENT, type Caller } from '#platform/contract/context.ts';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { CSRF, GENUINE, HOST, NOBODY, PEOPLE, port, Shelves } from '../testing.ts';

/** The callers of the cookie: first when the head of a request has arrived, then when its body has. */
async function answerOf(
  method: 'POST' | 'DELETE',
  path: string,
  who: readonly [Caller, Caller],
  body: string,
): Promise<string> {
  let asked = 0;
  let admitted = (): void => undefined;
  const isAdmitted = new Promise<void>((resolve) => {
    admitted = resolve;
  });
  const shelves = new Shelves({
    port: {
      ...port,
      resolveCaller: async () => {
        const caller = who[asked] ?? NOBODY;
        asked += 1;
        // The body is sent once the head has been admitted.
        setImmediate(() => setImmediate(admitted));
        return { caller, csrf: CSRF, consent: NO_CONSENT };
      },
    },
  });
  const url = await shelves.host.app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const answered = new Promise<string>((resolve, reject) => {
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk.toString();
    });
    socket.on('close', () => resolve(got));
    socket.on('error', reject);
  });
  const headers = { ...GENUINE, host: HOST, cookie: 'session=any', 'content-type': 'application/json' };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`).join('\r\n');
  socket.write(
    `${method} ${path} HTTP/1.1\r\n${head}\r\ncontent-length: ${body.length}\r\n`
      + 'connection: close\r\n\r\n',
  );
  await isAdmitted;
  socket.write(body);
  const answer = await answered;
  await shelves.host.close();
  return `${answer.split(' ')[1]} ${/"errorType":"(\w+)"/u.exec(answer)?.[1] ?? 'done'}`;
}

const { ann, bob, guest } = PEOPLE as Readonly<Record<'ann' | 'bob' | 'guest', Caller>>;
const put = (...who: readonly [Caller, Caller]): Promise<string> =>
  answerOf('POST', '/api/v1/shelf/a/books', who, '{"pages":3}');

it('a body that comes after its sender was logged out does nothing', async () => {
  expect(await put(ann, ann)).toBe('200 done');
  expect(await put(ann, NOBODY)).toBe('401 not_authenticated');
  expect(await put(ann, bob)).toBe('401 not_authenticated');
  expect(await put(ann, { ...ann, sessionId: 's3' })).toBe('401 not_authenticated');
});

it('a body that comes after its sender lost a role does nothing', async () => {
  const burn = (...who: readonly [Caller, Caller]) => answerOf('DELETE', '/api/v1/shelf/a', who, '{}');
  expect(await burn(bob, bob)).toBe('200 done');
  expect(await burn(bob, { ...bob, roles: [] })).toBe('403 forbidden');
});

it('a guest, whose session nobody ends, is asked for once', async () => {
  expect(await put(guest, NOBODY)).toBe('200 done');
});
