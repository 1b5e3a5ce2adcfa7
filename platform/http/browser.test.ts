import { call } from '#platform/contract/call.ts';
import type { CallFailed } from '#platform/contract/client.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { browserClient, UNREACHABLE } from './browser.ts';

const send = call({
  name: 'test.send',
  method: 'POST',
  path: '/send/:name',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ name: z.string(), amount: z.int() }),
  output: z.object({ ok: z.boolean() }),
  refusals: [],
  summary: '',
  description: '',
});

interface Sent {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly init: RequestInit;
}

const read = call({
  name: 'test.read',
  method: 'GET',
  path: '/read',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ ok: z.boolean() }),
  refusals: [],
  summary: '',
  description: '',
});

/** The network, as the page sees it. */
const network = { sent: [] as Sent[], answers: [] as (() => Response)[] };

const json = (status: number, body: unknown) => () => new Response(JSON.stringify(body), { status });

beforeEach(() => {
  network.sent = [];
  network.answers = [];
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    network.sent.push({ path, headers: init.headers as Record<string, string>, init });
    const answer = network.answers.shift();
    if (!answer) throw new TypeError('Failed to fetch');
    return answer();
  });
});
afterEach(() => vi.unstubAllGlobals());

function client() {
  let tokens = 0;
  return browserClient(async () => `token-${(tokens += 1)}`, '/api/v1', () => 'de');
}

describe('calls of the page', () => {
  const sendTwo = async (): Promise<void> => {
    network.answers = [json(200, { ok: true }), json(200, { ok: true })];
    const { call: make } = client();
    await make(send, { name: 'a b', amount: 2 }, { idempotencyKey: 'key-1' });
    await make(read, {});
    expect(network.sent.map(({ init }) => init.method)).toEqual(['POST', 'GET']);
  };

  it('go to the path of their operation, with their key', async () => {
    await sendTwo();
    expect(network.sent[0]?.path).toBe('/api/v1/send/a%20b');
    expect(network.sent[0]?.headers['idempotency-key']).toBe('key-1');
  });

  it('send credentials with every call [A-336, B-318]', async () => {
    await sendTwo();
    expect(network.sent.map(({ init }) => init.credentials)).toEqual(['same-origin', 'same-origin']);
  });

  it('send the CSRF token with every call [A-337, B-319]', async () => {
    await sendTwo();
    expect(network.sent.map(({ headers }) => headers['x-csrf-token'])).toEqual(['token-1', 'token-1']);
  });

  it('name the language of the page', async () => {
    await sendTwo();
    expect(network.sent.map(({ headers }) => headers['x-page-language'])).toEqual(['de', 'de']);
  });

  it('fetch a new token once when one is refused', async () => {
    const refused = json(403, { status: 403, errorType: 'csrf', message: 'Reload.' });
    network.answers = [refused, json(200, { ok: true })];
    const { call: make } = client();
    expect(await make(send, { name: 'a', amount: 1 })).toEqual({ ok: true });
    expect(network.sent.map(({ headers }) => headers['x-csrf-token'])).toEqual(['token-1', 'token-2']);

    network.answers = [refused, refused];
    await expect(make(send, { name: 'a', amount: 1 })).rejects.toThrow('Reload.');
    expect(network.sent).toHaveLength(4);
  });

  it('are not repeated for any other refusal', async () => {
    network.answers = [json(402, { status: 402, errorType: 'not_enough_tokens', message: 'Too few.' })];
    const failure = await client().call(send, { name: 'a', amount: 1 }).catch((error: unknown) => error);
    expect((failure as CallFailed).problem.errorType).toBe('not_enough_tokens');
    expect(network.sent).toHaveLength(1);
  });

  it('say so when the site cannot be reached, and try the token again the next time', async () => {
    let isDown = true;
    const { call: make } = browserClient(
      async () => {
        if (isDown) throw new TypeError('Failed to fetch');
        return 'token';
      },
      '/api/v1',
      () => 'en',
    );
    const failure = await make(send, { name: 'a', amount: 1 }).catch((error: unknown) => error);
    expect((failure as CallFailed).problem.errorType).toBe(UNREACHABLE);
    isDown = false;
    network.answers = [json(200, { ok: true })];
    expect(await make(send, { name: 'a', amount: 1 })).toEqual({ ok: true });
  });

  it('fail with an error when the response is not a problem document', async () => {
    network.answers = [() => new Response('<html>', { status: 502 })];
    const failure = await client().call(send, { name: 'a', amount: 1 }).catch((error: unknown) => error);
    expect((failure as CallFailed).problem).toMatchObject({ status: 502, errorType: 'fault' });
  });
});
