import { handleCall } from '#platform/contract/bind.ts';
import { call } from '#platform/contract/call.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { as, expectProblem, GENUINE, Shelves } from './testing.ts';

const putCover = call({
  name: 'shelf.putCover',
  method: 'POST',
  path: '/shelf/:shelf/cover',
  access: 'anyone',
  credential: 'cookie',
  upload: true,
  bodyLimitBytes: 4_096,
  input: z.object({ shelf: z.string(), note: z.string().optional() }),
  output: z.object({ shelf: z.string(), note: z.string().nullable(), hex: z.string() }),
  refusals: [],
  summary: 'Puts a cover',
  description: 'Puts a cover on a shelf.',
});

let shelves: Shelves;
beforeAll(() => {
  shelves = new Shelves({
    handlers: [
      handleCall(putCover)(async ({ shelf, note }, { file }) => (
        { shelf, note: note ?? null, hex: Buffer.from(file ?? []).toString('hex') }
      )),
    ],
  });
});
afterAll(() => shelves.host.close());

const TYPE = 'multipart/form-data; boundary=edge';
const part = (head: string, content: string): string =>
  `--edge\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const FILE = part('name="file"; filename="a"', '\x00\xFF\r\n--edg');
const END = '--edge--\r\n';
type Headers = Readonly<Record<string, string | undefined>>;
const send = (body: string, type = TYPE, headers: Headers = {}) =>
  shelves.ask({
    method: 'POST',
    url: '/api/v1/shelf/a/cover',
    payload: Buffer.from(body, 'latin1'),
    headers: { ...GENUINE, ...as('ann'), 'content-type': type, ...headers },
  });

describe('an upload', () => {
  it('brings its file byte by byte, beside the fields of its form', async () => {
    expect((await send(FILE + END)).json()).toEqual({ shelf: 'a', note: null, hex: '00ff0d0a2d2d656467' });
    const noted = await send(part('name="note"', 'zum ersten') + FILE + END);
    expect(noted.json()).toMatchObject({ note: 'zum ersten' });
  });

  it('has one file: none, two and one of another name are refused', async () => {
    for (const body of [
      END,
      FILE + FILE + END,
      part('name="cover"; filename="a"', 'x') + END,
      part('name="file"', 'x') + END,
    ]) {
      expectProblem(await send(body), 422, 'one_file');
    }
  });

  it('with fields that no contract names, card numbers or text that is none is refused', async () => {
    expectProblem(await send(part('name="other"', 'x') + FILE + END), 422, 'invalid_input');
    expectProblem(await send(part('name="__proto__"', 'x') + FILE + END), 422, 'invalid_input');
    const card = part('name="note"', '4111 1111 1111 1111');
    expectProblem(await send(card + FILE + END), 422, 'card_number_refused');
    expectProblem(await send(part('name="note"', 'a\0b') + FILE + END), 422, 'invalid_input');
  });

  it('that is no form is malformed', async () => {
    for (const [body, type] of [
      ['', TYPE],
      ['nothing', TYPE],
      [FILE, 'multipart/form-data'],
      [FILE + END, 'multipart/form-data; boundary=a'],
      ['--edge\r\nno head\r\n\r\nx\r\n--edge--\r\n', TYPE],
      [FILE.slice(0, 40), TYPE],
      [`--edge${'\r\n'.repeat(900)}`, TYPE],
    ] as const) {
      expectProblem(await send(body, type), 400, 'malformed');
    }
  });

  it('is no larger than its call allows, whatever its head says', async () => {
    const large = part('name="file"; filename="a"', 'x'.repeat(5_000)) + END;
    expectProblem(await send(large), 413, 'too_large');
    const chunked = { 'content-length': undefined, 'transfer-encoding': 'chunked' };
    expectProblem(await send(large, TYPE, chunked), 413, 'too_large');
  });

  it('is read only from who may make the call', async () => {
    expectProblem(await send(FILE + END, TYPE, { 'x-csrf-token': undefined }), 403, 'csrf');
    expectProblem(await send('{}', 'application/json'), 415, 'media_unsupported');
  });

  it('stands in the description of the interface', async () => {
    const document = (await shelves.ask({ url: '/api/v1/openapi.json' })).json<{
      paths: Record<string, {
        post: { requestBody: { content: object }; responses: Record<string, unknown> };
      }>;
    }>();
    const { post } = document.paths['/api/v1/shelf/{shelf}/cover']!;
    expect(Object.keys(post.requestBody.content)).toEqual(['multipart/form-data']);
    expect(JSON.stringify(post.responses['422'])).toContain('one_file');
  });
});
