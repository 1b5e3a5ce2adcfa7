import { UPLOAD_TYPE, type AnyCall, type InputOf, type OutputOf } from '#platform/contract/call.ts';
import { CallFailed, requestOf, type CallOptions, type Problem } from '#platform/contract/client.ts';
import type { Consent } from '#platform/contract/context.ts';
import type { Host } from '#platform/http/host.ts';
import { CONSENT_COOKIE, cookieOf } from '#product/consent/rules.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';

/** Where a visitor's browser comes from and what it asks for. */
export interface VisitorOptions {
  /** Accept-Language; English when absent. */
  readonly language?: string;
  /** Region the visitor seems to come from, e.g. `DE`, `US-FL`; the demo region when absent. */
  readonly region?: string;
  /** User-Agent of the browser. */
  readonly userAgent?: string;
  /** Host name requested. */
  readonly host?: string;
  /** Address the visitor comes from; each has its own. */
  readonly address?: string;
  /** What the person accepted in the banner: everything by default; null if they were not asked yet. */
  readonly consent?: Consent | null;
  /** When they accepted; without it the browser was not asked yet. */
  readonly now?: Date;
  /** The browser sends Global Privacy Control. */
  readonly objects?: boolean;
}

export type RawRequest = Omit<InjectOptions, 'headers'> & {
  /** Added to the browser's headers; `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
};

/** The consent of somebody who accepts everything in the banner. */
const ALL_ALLOWED: Consent = { preferences: true, statistics: true, marketing: true };

/** A browser: keeps cookies and the CSRF token, and makes typed calls over HTTP. */
export class Visitor {
  readonly #host: Host;
  readonly #cookies = new Map<string, string>();
  /** Names of HttpOnly cookies. */
  readonly #ofHttp = new Set<string>();
  readonly #options: Required<Pick<VisitorOptions, 'host' | 'address'>> & VisitorOptions;
  csrf: string | null = null;
  /** Notifies the open page of changed cookies. */
  onCookies: (() => void) | null = null;
  /** What scripts of its pages stored: for the browser, and for its one tab. */
  readonly storage = { local: new Map<string, string>(), session: new Map<string, string>() };

  constructor(host: Host, options: VisitorOptions & { readonly address: string }) {
    this.#host = host;
    this.#options = { host: 'localhost', ...options };
    const { consent = ALL_ALLOWED, now } = options;
    if (consent === null || now === undefined) return;
    this.setCookie(CONSENT_COOKIE, cookieOf({ consent, atMs: now.getTime(), isOfAccount: false }));
  }

  /** Opens the site as the pages do: requests the site configuration, which starts a session. */
  async opens(): Promise<OutputOf<typeof getSiteConfig>> {
    const config = await this.call(getSiteConfig, {});
    this.csrf = config.csrf;
    return config;
  }

  /** Makes a call; throws {@link CallFailed} when it is refused. */
  async call<C extends AnyCall>(call: C, input: InputOf<C>, options: CallOptions = {}): Promise<OutputOf<C>> {
    const response = await this.#make(call, input, options);
    if (response.statusCode >= 400) throw new CallFailed(response.json<Problem>());
    if (!call.media) return response.json<OutputOf<C>>();
    const { statusCode: status, headers, body } = response;
    return { status, headers, body } as OutputOf<C>;
  }

  /** Makes a call that must be refused, and returns its problem. Throws when it succeeds. */
  async refused<C extends AnyCall>(call: C, input: unknown, options: CallOptions = {}): Promise<Problem> {
    const response = await this.#make(call, input, options);
    if (response.statusCode < 400) throw new Error(`${call.name} was not refused: ${response.body}`);
    return response.json<Problem>();
  }

  async #make(
    call: AnyCall,
    input: unknown,
    options: CallOptions & { bearer?: string },
  ): Promise<LightMyRequestResponse> {
    const { path, body } = requestOf(call, input as Record<string, unknown>, this.#host.apiBase);
    const form = options.form ? formOf(await (options.form.get('file') as Blob).arrayBuffer()) : null;
    const type = form?.type ?? (body === null ? null : call.media?.accepts ?? 'application/json');
    return this.request({
      method: call.method,
      url: path,
      ...(form ? { payload: form.body } : body === null ? {} : { payload: body }),
      headers: {
        ...(type === null ? {} : { 'content-type': type }),
        ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
        ...(options.bearer === undefined ? {} : { authorization: `Bearer ${options.bearer}` }),
      },
    });
  }

  /** The headers this browser sends to its own site. */
  get headers(): Readonly<Record<string, string | undefined>> {
    const { host, language, region, userAgent, objects } = this.#options;
    return {
      host,
      origin: `http://${host}`,
      'sec-fetch-site': 'same-origin',
      'accept-language': language,
      'user-agent': userAgent,
      'sec-gpc': objects === true ? '1' : undefined,
      'x-candela-test-region': region,
      'x-csrf-token': this.csrf ?? undefined,
      cookie: this.#cookies.size > 0 ? [...this.#cookies].map(([n, v]) => `${n}=${v}`).join('; ') : undefined,
    };
  }

  /** A request of any shape, for attacks. Stores the cookies of the response. */
  async request({ headers, ...options }: RawRequest): Promise<LightMyRequestResponse> {
    const sent = Object.entries({ ...this.headers, ...headers }).filter(([, value]) => value !== undefined);
    const response = await this.#host.app.inject({
      remoteAddress: this.#options.address,
      ...options,
      headers: Object.fromEntries(sent) as Record<string, string>,
    });
    for (const cookie of response.cookies) {
      if (cookie.maxAge === 0) this.#cookies.delete(cookie.name);
      else this.#cookies.set(cookie.name, cookie.value);
      if (cookie.httpOnly) this.#ofHttp.add(cookie.name);
    }
    if (response.cookies.length > 0) this.onCookies?.();
    return response;
  }

  /** What a script reads as `document.cookie`: the cookies that are not HttpOnly. */
  get readableCookies(): string {
    return [...this.#cookies].filter(([name]) => !this.#ofHttp.has(name))
      .map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** A script sets `document.cookie`. */
  writesCookie(text: string): void {
    const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
    const [name = '', ...value] = pair.split('=');
    if (attributes.some((attribute) => /^max-age=0$/iu.test(attribute))) this.#cookies.delete(name);
    else this.#cookies.set(name, value.join('='));
    this.onCookies?.();
  }

  /** The value of a cookie of this browser, null when there is none. */
  cookie(name: string): string | null {
    return this.#cookies.get(name) ?? null;
  }

  /** Sets a cookie, as a thief would. */
  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }
}

/** A form with one file, as browsers write it (RFC 7578). */
export function formOf(file: ArrayBuffer): { readonly body: Buffer; readonly type: string } {
  const edge = 'edge-of-the-form';
  const head = `--${edge}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n`
    + 'Content-Type: application/octet-stream\r\n\r\n';
  return {
    body: Buffer.concat([Buffer.from(head), Buffer.from(file), Buffer.from(`\r\n--${edge}--\r\n`)]),
    type: `${UPLOAD_TYPE}; boundary=${edge}`,
  };
}
