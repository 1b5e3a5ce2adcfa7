import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { publicLookup } from './public-address.ts';

/** Time limit for the whole answer, including its body. */
const ANSWER_MS = 10_000;
/** The most bytes read of an answer; a longer one is not the answer of an API. */
const MAX_ANSWER_BYTES = 64 * 1024;

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.startsWith('127.') || host === '[::1]';

export interface Posted {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer | string | null;
  /** Only tests have services on loopback. */
  readonly allowsLoopback: boolean;
  /** Reads the body of the answer too, as text. */
  readonly readsAnswer?: boolean;
  /** A shorter time limit, for tests. */
  readonly answerMs?: number;
}

export interface PostAnswer {
  readonly status: number;
  /** Empty where it was not read. */
  readonly text: string;
}

/** Posts to an outside address, whose host must be public. Follows no redirects. */
export function postOutside(
  address: string,
  { headers, body, allowsLoopback, readsAnswer = false, answerMs = ANSWER_MS }: Posted,
): Promise<PostAnswer> {
  const url = new URL(address);
  const request = url.protocol === 'http:' ? requestPlain : requestSecure;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers,
      signal: AbortSignal.timeout(answerMs),
      ...(allowsLoopback && isLoopback(url.hostname) ? {} : { lookup: publicLookup }),
    }, (answer) => {
      const { statusCode: status = 0 } = answer;
      if (readsAnswer) return void textOf(answer).then((text) => resolve({ status, text }), reject);
      answer.destroy();
      return resolve({ status, text: '' });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
