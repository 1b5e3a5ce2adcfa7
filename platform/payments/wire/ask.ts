/** The longest answer accepted; the longest expected is a week's report. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Failures to connect, so that nothing was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export type Asked =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  /** Surely not sent. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** Perhaps sent, but no answer arrived. */
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Sends one request. The outcome says whether the other side may have acted on it. Never throws; reasons
 * contain no address and no secret.
 */
export async function ask(send: typeof fetch, url: string, request: RequestInit): Promise<Asked> {
  try {
    const response = await send(url, request);
    return { kind: 'answer', status: response.status, body: await bounded(response) };
  } catch (error) {
    const code = codeOf(error);
    return NEVER_SENT.has(code) ? { kind: 'unreachable', reason: code } : { kind: 'unknown', reason: code };
  }
}

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > MAX_ANSWER_BYTES) throw new RangeError('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The error code behind a `fetch failed`, or the name of the error: `ECONNRESET`, `TimeoutError`. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const cause: unknown = error.cause;
  const code: unknown = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? code : error.name;
}
