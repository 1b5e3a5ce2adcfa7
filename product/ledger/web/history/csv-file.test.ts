import { expect, it } from 'vitest';
import { CallFailed } from '../../../../platform/contract/client/client.ts';
import { wholeFile, type AskPart } from './csv-file.ts';

const HEAD = 'time,tokens\r\n';
/** A server with so many parts of one line each; notes what it was asked for. */
function server(parts: number): { readonly ask: AskPart; readonly asked: string[] } {
  const asked: string[] = [];
  const ask: AskPart = (path) => {
    asked.push(path);
    const part = asked.length;
    const headers: Record<string, string> = part < parts
      ? { link: `</api/v1/tokens/history.csv?month=2026-01&after=${part}0>; rel="next"` } : {};
    return Promise.resolve(new Response(`${HEAD}day,${part}\r\n`, { headers }));
  };
  return { ask, asked };
}

it('is one file of all parts, with the names of the columns once', async () => {
  const { ask, asked } = server(3);
  expect(await wholeFile({ month: '2026-01' }, ask))
    .toEqual({ text: `${HEAD}day,1\r\nday,2\r\nday,3\r\n`, cut: false });
  expect(asked).toEqual([
    '/api/v1/tokens/history.csv?month=2026-01', '/api/v1/tokens/history.csv?month=2026-01&after=10',
    '/api/v1/tokens/history.csv?month=2026-01&after=20',
  ]);
});

it('ends with what a minute allows, and says that there is more', async () => {
  const { ask, asked } = server(100);
  const { text, cut } = await wholeFile({}, ask);
  expect(cut).toBe(true);
  expect(text.split('\r\n')).toHaveLength(asked.length + 2);
});

it('fails as a call does when a part is refused: half a file is none', async () => {
  const { ask, asked } = server(5);
  const refusing: AskPart = (path) => (asked.length === 2
    ? Promise.resolve(Response.json({ errorType: 'too_many_requests' }, { status: 429 })) : ask(path));
  await expect(wholeFile({}, refusing)).rejects.toThrow(CallFailed);
});
