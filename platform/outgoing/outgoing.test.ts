import { systemClock } from '#platform/data/clock.ts';
import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postOutside } from './post.ts';
import { isPublicAddress, publicLookup } from './public-address.ts';
import { sendByProvider } from './push-provider.ts';
import { MessageRefused } from './smtp.ts';
import { isPushEndpoint, PushGone } from './web-push.ts';

describe('addresses that requests may go to', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '2002:7f00:1::',
    '64:ff9b::7f00:1',
    'not an address',
    '',
  ])('are not %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '::ffff:1.1.1.1'])('are %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it('are what a name leads to when the connection is made', async () => {
    const answer = await new Promise<Error | null>((resolve) => {
      publicLookup('localhost', { all: true }, (error) => resolve(error));
    });
    expect(answer?.message).toBe('the name leads to an address that is not public');
  });
});

it('push services have names of their own and https', () => {
  expect(isPushEndpoint('https://updates.push.services.mozilla.com/wpush/v2/abc', false)).toBe(true);
  expect(isPushEndpoint('https://fcm.googleapis.com/fcm/send/abc:def', false)).toBe(true);
  const wrongOnes = [
    'http://127.0.0.1:1/x',
    'https://127.0.0.1/x',
    'https://printer.local/x',
    'https://a/b',
  ];
  for (const wrong of wrongOnes) {
    expect(isPushEndpoint(wrong, false)).toBe(false);
  }
  expect(isPushEndpoint('http://127.0.0.1:1/x', true)).toBe(true);
});

/** A server on loopback with the given answers. @returns its address */
async function serves(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}/`;
}

it.each([true, false])('an answer that comes bit by bit is not waited for; a body: %s', async (isBody) => {
  const address = await serves((_request, response) => {
    if (isBody) response.writeHead(200);
    // Never idle for long, but endless.
    const drip = () => void (isBody ? response.write(' ') : response.writeProcessing());
    response.on('close', systemClock.every('drip', 20, drip));
  });
  const posted = postOutside(address, {
    headers: {},
    body: null,
    allowsLoopback: true,
    readsAnswer: true,
    answerMs: 100,
  });
  await expect(posted).rejects.toThrow(/abort/iu);
});

describe('what a push provider answers', () => {
  const answered = async (status: number, body: string): Promise<unknown> => {
    const apiUrl = await serves((_request, response) => void response.writeHead(status).end(body));
    const app = { apiUrl, appId: 'app', apiKey: 'key', allowsLoopback: true };
    const message = { playerId: 'browser', title: '', body: '', url: '', ttlSeconds: 1, once: 'once' };
    return sendByProvider(app, message).catch((error: unknown) => error);
  };

  it('is a browser that is gone with an empty id alone', async () => {
    expect(await answered(200, '{"id":"","errors":[]}')).toBeInstanceOf(PushGone);
    expect(await answered(200, '{"id":"3f0c"}')).toBeUndefined();
    for (const body of ['{}', '{"id":null}', '{"id":7}', 'null', '[]', '"id"', '{"errors":["down"]}']) {
      const error = await answered(200, body);
      expect(error, body).toBeInstanceOf(Error);
      expect(error, body).not.toBeInstanceOf(PushGone);
      expect(error, body).not.toBeInstanceOf(MessageRefused);
    }
  });

  it('may pass where it is about the account, and does not where it is about the message', async () => {
    for (const status of [401, 403, 408, 425, 429, 500, 503]) {
      expect(await answered(status, '{}'), `${status}`).not.toBeInstanceOf(MessageRefused);
    }
    for (const status of [400, 404, 422]) {
      expect(await answered(status, '{}'), `${status}`).toBeInstanceOf(MessageRefused);
    }
  });
});
