import { handleStream } from '#platform/contract/bind.ts';
import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MAX_STREAMS_PER_CALLER } from './pipeline/streams.ts';
import { as, expectProblem, HOST, port, Shelves } from './testing.ts';

const closed = refusal({ slice: 'shelf', code: 'closed', kind: 'denied', description: 'Closed <today>.' });
const catalogue = call({
  name: 'shelf.catalogue',
  method: 'GET',
  path: '/catalogue',
  access: 'anyone',
  credential: 'cookie',
  media: { accepts: 'text/csv', answers: 'text/csv', streams: true },
  input: z.object({ closed: z.boolean().optional(), body: z.string().optional() }),
  output: z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() }),
  refusals: [closed],
  summary: 'Lists all',
  description: 'Lists all.',
});

/** A promise and the function that resolves it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

let shelves: Shelves;
afterEach(() => shelves.host.close());

/** The URL of a host that streams what `parts` yields. */
async function serves(parts: () => AsyncGenerator<string>, streamStallMs = 60_000): Promise<string> {
  const handler = handleStream(catalogue)(async (
    input,
    { refuse },
  ) => (input.closed ? refuse(closed) : { status: 200, headers: {}, parts: parts() }));
  shelves = new Shelves({
    handlers: [handler],
    streamStallMs,
    port: { ...port, resolveScope: async () => ({ operatorId: 1, siteId: 1 }) },
  });
  return `${await shelves.host.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/catalogue`;
}
const take = (url: string, headers: Record<string, string> = {}, more: RequestInit = {}): Promise<Response> =>
  fetch(url, { headers, ...more });

describe('a streamed answer', () => {
  it('arrives part by part, the first before the last is made', async () => {
    const { opened, open } = gate();
    const url = await serves(async function* two() {
      yield 'first,';
      await opened;
      yield 'last';
    });
    const { body, headers } = await take(url);
    expect(headers.get('cache-control')).toBe('no-store');
    const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe('first,');
    open();
    expect((await reader.read()).value).toBe('last');
    expect((await reader.read()).done).toBe(true);
  });

  it('ends the reading when the client goes away', async () => {
    const { opened: ended, open: end } = gate();
    let made = 0;
    const url = await serves(async function* endless() {
      try {
        for (;; made += 1) yield 'x'.repeat(1_000);
      } finally {
        end();
      }
    });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('data', () => socket.destroy());
    socket.write(`GET /api/v1/catalogue HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await ended;
    expect(made).toBeGreaterThan(0);
  });

  it('waits for a client that takes nothing, and cuts it off when it stalls', async () => {
    const { opened: ended, open: end } = gate();
    let made = 0;
    const url = await serves(async function* huge() {
      try {
        for (; made < 5_000; made += 1) yield 'x'.repeat(100_000);
      } finally {
        end();
      }
    }, 300);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(`GET /api/v1/catalogue HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await ended;
    socket.destroy();
    // Half a gigabyte was available: the buffers of two sockets take a few megabytes.
    expect(made).toBeLessThan(200);
  });

  it('is cut, not ended, by an error, which is logged once and without its text', async () => {
    const { opened, open } = gate();
    const url = await serves(async function* broken() {
      yield 'first,';
      await opened;
      throw new Error('duplicate key (email)=("anna@private.example")');
    });
    const response = await take(url);
    open();
    await expect(response.text()).rejects.toThrow('terminated');
    expect(shelves.lines.filter((line) => line.includes('unexpected error'))).toHaveLength(1);
    expect(shelves.lines.join('')).not.toContain('anna@private');
  });

  it('is open a few times at once for one caller, not more', async () => {
    const { opened, open } = gate();
    const url = await serves(async function* waiting() {
      yield 'first,';
      await opened;
    });
    const some = await Promise.all(
      Array.from({ length: MAX_STREAMS_PER_CALLER }, () => take(url, as('ann'))),
    );
    expect(some.map(({ status }) => status)).toEqual(some.map(() => 200));
    const refused = await take(url, as('ann'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    const other = await take(url, as('bob'));
    expect(other.status).toBe(200);
    open();
    await Promise.all([...some, other].map((response) => response.text()));
    expect((await take(url, as('ann'))).status).toBe(200);
  });

  it('reads nothing for HEAD', async () => {
    let made = 0;
    const url = await serves(async function* counted() {
      made += 1;
      yield 'x';
    });
    expect((await take(url, {}, { method: 'HEAD' })).status).toBe(200);
    expect(made).toBe(0);
  });

  it('is refused with a page to a person, which leads back, and with a problem to a program', async () => {
    await serves(async function* none() {});
    const url = '/api/v1/catalogue?closed=true';
    expectProblem(await shelves.ask({ url }), 403, 'closed');
    const headers = { accept: 'text/html,*/*', referer: `http://${HOST}/shelves?of="ann"` };
    const page = await shelves.ask({ url, headers });
    expect([page.statusCode, page.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    expect(page.body).toContain('Closed &lt;today&gt;.');
    expect(page.body).toContain('href="/shelves?of=%22ann%22"');
    const elsewhere = { ...headers, referer: 'https://evil.example/x' };
    expect((await shelves.ask({ url, headers: elsewhere })).body).toContain('href="/"');
  });
});
