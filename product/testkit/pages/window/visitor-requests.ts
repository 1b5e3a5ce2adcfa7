import type { Visitor } from '../../visitor.ts';

/** Answers a page's `fetch` from the site, as the visitor's browser would ask. */
export const requestsOf = (visitor: Visitor) =>
  async (path: string, { method = 'GET', headers, body }: RequestInit = {}): Promise<Response> => {
    const given = Object.fromEntries(new Headers(headers));
    const answer = await visitor.request({
      method, url: path, headers: given,
      ...(typeof body === 'string' ? { payload: body } : {}),
    });
    const headersOf = Object.entries(answer.headers)
      .map(([name, value]): [string, string] => [name, String(value)]);
    const isEmpty = [204, 304].includes(answer.statusCode);
    return new Response(isEmpty ? null : answer.rawPayload as Uint8Array<ArrayBuffer>,
      { status: answer.statusCode, headers: headersOf });
  };
