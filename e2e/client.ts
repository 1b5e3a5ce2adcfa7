import type { AnyCall, InputOf, OutputOf } from '#platform/contract/call.ts';
import { CallFailed, requestOf, type Problem } from '#platform/contract/client.ts';
import type { LiveClient } from '#platform/contract/sockets/socket-client.ts';
import { LOBBY_PATH } from '#platform/contract/sockets/wire.ts';
import { systemClock } from '#platform/data/clock.ts';
import { liveClient } from '#platform/realtime/client/live-client.ts';
import { socketsFrom } from '#platform/realtime/dial.ts';
import { getCurrentUser, login, register } from '#product/accounts/contract.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { takeDemoGrant, type getHistory } from '#product/ledger/contract.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import { DEMO_PASSWORD } from '#product/testkit/demo/demo.ts';
import { randomUUID } from 'node:crypto';

const PAUSE_MS = 100;

/** A viewer without a page: the same calls over HTTP, with cookies and CSRF token, for load and crashes. */
export class Client {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();
  #csrf = '';

  private constructor(origin: string) {
    this.#origin = origin;
  }

  /** A new member, past the gate. */
  static async signUp(origin: string, username: string): Promise<Client> {
    const client = await Client.visit(origin);
    await client.call(register, {
      username,
      email: `${username}@people.example`,
      password: randomUUID(),
      birth_date: '1990-02-03',
      type: 'user',
      accept_terms: true,
    });
    await client.#opens();
    return client;
  }

  /** Somebody of the demo, or with a password of their own, past the gate. */
  static async logIn(origin: string, username: string, password = DEMO_PASSWORD): Promise<Client> {
    const client = await Client.visit(origin);
    await client.call(login, { login: username, password });
    await client.#opens();
    return client;
  }

  /** Nobody yet, past the gate. */
  static async visit(origin: string): Promise<Client> {
    const client = new Client(origin);
    await client.#opens();
    await client.call(declareAge, { of_age: true });
    return client;
  }

  /** Sockets as a page of this person would have them; to be started and stopped. */
  async live(): Promise<LiveClient> {
    const { version } = await this.call(getSiteConfig, {});
    return liveClient({
      open: socketsFrom(this.#origin, () => this.#cookieLine()),
      version,
      time: { now: systemClock.now, after: systemClock.after, random: Math.random },
      lobbyUrl: this.#origin.replace(/^http/u, 'ws') + LOBBY_PATH,
      token: async () => (await this.call(getCurrentUser, {})).node_token,
    });
  }

  async takesGrants(count: number): Promise<void> {
    for (let grant = 0; grant < count; grant += 1) {
      await this.call(takeDemoGrant, {}, randomUUID());
    }
  }

  /** Makes a call once. Throws {@link CallFailed} when refused, and what `fetch` throws when unanswered. */
  async call<C extends AnyCall>(call: C, input: InputOf<C>, key?: string): Promise<OutputOf<C>> {
    const { path, body } = requestOf(call, input as Record<string, unknown>);
    const response = await fetch(this.#origin + path, {
      method: call.method,
      body,
      headers: {
        origin: this.#origin,
        'sec-fetch-site': 'same-origin',
        'x-csrf-token': this.#csrf,
        cookie: this.#cookieLine(),
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    if (response.ok) return await response.json() as OutputOf<C>;
    throw new CallFailed(await response.json() as Problem);
  }

  /** Makes a call again and again with one key, until it is answered; a refusal is an answer, and thrown. */
  async insists<C extends AnyCall>(
    call: C,
    input: InputOf<C>,
    key: string,
    maxSends: number,
  ): Promise<OutputOf<C>> {
    for (let sends = 1;; sends += 1) {
      try {
        return await this.call(call, input, key);
      } catch (error) {
        const isUnanswered = !(error instanceof CallFailed) || error.problem.status >= 500;
        if (!isUnanswered || sends >= maxSends) throw error;
        await new Promise((done) => setTimeout(done, PAUSE_MS));
      }
    }
  }

  /** The whole own history, newest first. */
  async readAll(call: typeof getHistory): Promise<OutputOf<typeof getHistory>['lines']> {
    const lines: OutputOf<typeof getHistory>['lines'] = [];
    for (let before: number | undefined;;) {
      const page = await this.call(call, { limit: 100, ...(before === undefined ? {} : { before }) });
      lines.push(...page.lines);
      if (page.next === null) return lines;
      before = page.next;
    }
  }

  #cookieLine(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async #opens(): Promise<void> {
    this.#csrf = (await this.call(getSiteConfig, {})).csrf;
  }
}
