import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A notification as the provider's API accepted it. */
export interface SentNotification {
  readonly app_id: string;
  readonly target_channel: string;
  readonly include_subscription_ids: readonly string[];
  readonly headings: { readonly en: string };
  readonly contents: { readonly en: string };
  readonly web_url: string;
  readonly ttl: number;
  readonly idempotency_key: string;
}

/**
 * The provider's SDK for pages. Browsers in tests reach no push service: it subscribes at its own server.
 */
const sdkOf = (origin: string): string =>
  `(() => {
  const listeners = new Set();
  let settings = null;
  let id;
  const server = async (path, method) =>
    (await fetch(${JSON.stringify(origin)} + '/apps/' + settings.appId + path, { method })).json();
  const PushSubscription = {
    get id() { return id; },
    optIn: async () => {
      const { serviceWorkerPath: path, serviceWorkerParam: { scope }, appId } = settings;
      await navigator.serviceWorker.register('/' + path + '?appId=' + appId, { scope });
      // As at the real one, the browser has its id some time after it subscribed.
      void server('/subscriptions', 'POST').then((given) => {
        id = given.id;
        for (const listener of listeners) listener();
      });
    },
    optOut: async () => { if (id) await server('/subscriptions/' + id, 'DELETE'); },
    addEventListener: (_event, listener) => listeners.add(listener),
    removeEventListener: (_event, listener) => listeners.delete(listener),
  };
  const sdk = {
    init: async (given) => { settings = given; },
    User: { PushSubscription },
  };
  const waiting = window.OneSignalDeferred ?? [];
  window.OneSignalDeferred = { push: (run) => run(sdk) };
  for (const run of waiting) run(sdk);
})();`;

/** Its SDK for service workers. */
const WORKER = `self.addEventListener('push', (event) => {
  const { title, body, url } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, data: { url } }));
});`;

/** A push provider on loopback: its two scripts, and the sending part of its API (as at OneSignal). */
export class TestPushProvider {
  readonly appId = randomUUID();
  readonly apiKey = `os_v2_app_${randomUUID()}`;
  readonly sent: SentNotification[] = [];
  /** Requested paths. */
  readonly asked: string[] = [];
  /** Statuses of the API's next responses; after them everything is accepted. */
  readonly answers: number[] = [];
  /** The page script waits for this promise. */
  scriptWaits: Promise<void> = Promise.resolve();
  scriptIsBroken = false;
  readonly #subscribed = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));
  #origin = '';

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the push provider has no port');
    this.#origin = `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  /** What an admin configures for it. */
  get settings() {
    return {
      script: `${this.#origin}/sdk.page.js`,
      worker: `${this.#origin}/sdk.sw.js`,
      origins: [] as string[],
      api_url: `${this.#origin}/notifications`,
      app_id: this.appId,
      api_key: this.apiKey,
    };
  }

  /** Subscribes a browser and returns its id. */
  subscribe(): string {
    const id = randomUUID();
    this.#subscribed.add(id);
    return id;
  }

  unsubscribe(id: string): void {
    this.#subscribed.delete(id);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', this.#origin);
    this.asked.push(pathname);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-methods', 'POST, DELETE');
    const script = { '/sdk.page.js': sdkOf(this.#origin), '/sdk.sw.js': WORKER }[pathname];
    if (script !== undefined) return this.#sendScript(response, pathname, script);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    const body = await textOf(request);
    if (pathname === '/notifications') return this.#take(request, response, body);
    if (pathname === `/apps/${this.appId}/subscriptions`) {
      return reply(response, 201, { id: this.subscribe() });
    }
    this.unsubscribe(pathname.split('/').at(-1) ?? '');
    return reply(response, 202, {});
  }

  async #sendScript(response: ServerResponse, pathname: string, text: string): Promise<void> {
    const isPage = pathname === '/sdk.page.js';
    if (isPage) await this.scriptWaits;
    if (isPage && this.scriptIsBroken) return void response.writeHead(503).end();
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(text);
  }

  #take(request: IncomingMessage, response: ServerResponse, body: string): void {
    const status = this.answers.shift() ?? 200;
    if (status !== 200) return reply(response, status, { errors: ['as the test wants it'] });
    if (request.headers.authorization !== `Key ${this.apiKey}`) {
      return reply(response, 403, { errors: ['Access denied.'] });
    }
    const sent = JSON.parse(body) as SentNotification;
    if (sent.app_id !== this.appId || !sent.contents.en) return reply(response, 400, { errors: ['invalid'] });
    const reached = sent.include_subscription_ids.filter((id) => this.#subscribed.has(id));
    if (reached.length === 0) {
      return reply(response, 200, { id: '', errors: ['All included players are not subscribed'] });
    }
    if (!this.#taken.has(sent.idempotency_key)) this.sent.push(sent);
    this.#taken.add(sent.idempotency_key);
    return reply(response, 200, { id: sent.idempotency_key, external_id: null });
  }
}

const reply = (response: ServerResponse, status: number, value: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
