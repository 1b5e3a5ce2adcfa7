import { createServer, type IncomingMessage, type Server } from 'node:http';

/** A text message as the provider got it. */
export interface ReceivedSms {
  readonly to: string;
  readonly text: string;
  /** The sender's number or name; null if a messaging service chooses one. */
  readonly from: string | null;
  readonly service: string | null;
}

/** The provider's response when it refuses a message: the status, and the error code. */
interface Refusal {
  readonly status: number;
  readonly code: number;
}

const ACCOUNT = 'AC0123456789abcdef0123456789abcdef';
const SECRET = 'pass:word/ü';

/**
 * A provider of text messages on loopback, with the Messages API of Twilio (2010-04-01): it accepts messages
 * from its one account, and remembers which numbers answered STOP.
 */
export class TestSmsProvider {
  readonly received: ReceivedSms[] = [];
  /** Refusals of the next messages; after them all are accepted. */
  readonly refusals: Refusal[] = [];
  /** Numbers that answered STOP. */
  readonly stopped = new Set<string>();
  /** Requests that were not messages of this account. */
  strangers = 0;
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const fields = new URLSearchParams(Buffer.concat(chunks).toString());
      const { status, ...body } = this.#answer(request, fields);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });

  /** @returns the server's address with the account, as operators configure it */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the provider has no port');
    return `http://${ACCOUNT}:${encodeURIComponent(SECRET)}@127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  /** Messages received by a number, oldest first. */
  readonly to = (number: string): string[] =>
    this.received.filter(({ to }) => to === number).map(({ text }) => text);

  #answer({ method, url, headers }: IncomingMessage, fields: URLSearchParams) {
    const expected = `Basic ${Buffer.from(`${ACCOUNT}:${SECRET}`).toString('base64')}`;
    if (method !== 'POST' || url !== `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`) {
      this.strangers += 1;
      return { status: 404, code: 20_404, message: 'The requested resource was not found' };
    }
    if (headers.authorization !== expected) {
      this.strangers += 1;
      return { status: 401, code: 20_003, message: 'Authenticate' };
    }
    const to = fields.get('To') ?? '';
    const refusal = this.refusals.shift();
    // Real error messages repeat the number.
    if (refusal) return { ...refusal, message: `The number ${to} cannot be reached` };
    if (this.stopped.has(to)) {
      return { status: 400, code: 21_610, message: `Attempt to send to unsubscribed recipient ${to}` };
    }
    const [from, service] = [fields.get('From'), fields.get('MessagingServiceSid')];
    this.received.push({ to, text: fields.get('Body') ?? '', from, service });
    return { status: 201, sid: `SM${this.received.length}` };
  }
}
