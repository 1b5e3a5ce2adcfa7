import type { AnyCall, InputOf, OutputOf } from '#platform/contract/call.ts';
import { requestOf } from '#platform/contract/client.ts';
import { getCurrentUser, register } from '#product/accounts/contract.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import { randomUUID } from 'node:crypto';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';

/** A browser gives up waiting for an answer after this long. */
const PATIENCE_MS = 8_000;
/** Attempts at one step of signing up, during which nothing is killed. */
const MAX_TRIES = 20;

/** The reply: an answer with its status, or null when none came. */
export type Received<T = unknown> = { readonly status: number; readonly body: T } | null;

/** A browser with an IP address of its own, one cookie jar and connections that stay open. */
export class Browser {
  readonly #port: number;
  readonly #agent: Agent;
  readonly #cookies = new Map<string, string>();
  #csrf = '';

  constructor(port: number, address: string) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 8, localAddress: address });
  }

  async signUp(username: string): Promise<number> {
    await this.#opens();
    await this.insists(declareAge, { of_age: true });
    await this.insists(register, {
      username,
      email: `${username}@people.example`,
      password: randomUUID(),
      birth_date: '1990-02-03',
      type: 'user',
      accept_terms: true,
    });
    await this.#opens();
    const { user } = await this.insists(getCurrentUser, {});
    if (user.id === null) throw new Error(`${username} is nobody`);
    return user.id;
  }

  /** Sends a call once; null when no complete answer came. */
  send<C extends AnyCall>(call: C, input: InputOf<C>, key?: string): Promise<Received<OutputOf<C>>> {
    const { path, body } = requestOf(call, input as Record<string, unknown>);
    const origin = `http://localhost:${this.#port}`;
    return new Promise((resolve) => {
      const sent = request({
        host: '127.0.0.1',
        port: this.#port,
        path,
        method: call.method,
        agent: this.#agent,
        timeout: PATIENCE_MS,
        headers: {
          host: `localhost:${this.#port}`,
          origin,
          'sec-fetch-site': 'same-origin',
          'x-csrf-token': this.#csrf,
          cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(body === null
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
      }, (response) => {
        this.#keep(response.headers);
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', () => resolve(null));
        response.on(
          'close',
          () => resolve(response.complete ? received(response.statusCode ?? 0, text) : null),
        );
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.on('error', () => resolve(null));
      sent.end(body ?? undefined);
    });
  }

  /** The output of a call, repeated until the site answers it. */
  async insists<C extends AnyCall>(call: C, input: InputOf<C>): Promise<OutputOf<C>> {
    for (let tries = 1;; tries += 1) {
      const answer = await this.send(call, input);
      if (answer?.status === 200) return answer.body;
      if (tries >= MAX_TRIES) throw new Error(`${call.name} answered ${JSON.stringify(answer)}`);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #keep(headers: IncomingHttpHeaders): void {
    for (const cookie of headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
  }

  async #opens(): Promise<void> {
    this.#csrf = (await this.insists(getSiteConfig, {})).csrf;
  }
}

function received<T>(status: number, text: string): Received<T> {
  try {
    return { status, body: JSON.parse(text) as T };
  } catch {
    return null;
  }
}
