import type { Clock } from '#platform/data/clock.ts';
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { facebookProvider } from './graph.ts';
import type { IdentityProvider, ProviderName } from './identity-provider.ts';
import { googleProvider } from './openid.ts';
import { loginPage } from './simulator-page.ts';

/** The longest request to a provider. */
const MAX_BODY_BYTES = 16 * 1024;
/** The most pending codes; the oldest are dropped first. */
const MAX_CODES = 1_000;
const CODE_MS = 60_000;
const TOKEN_SECONDS = 300;
const ACCOUNT = { clientId: 'candela-demo', clientSecret: 'not a secret: this is a simulation' } as const;

/** Somebody's account at the simulated provider. */
export interface SimulatedPerson {
  readonly subject: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
}

/** The provider's next fault, for tests. */
export type ProviderFault =
  | 'away'
  | 'wrong key'
  | 'wrong nonce'
  | 'other audience'
  | 'other issuer'
  | 'expired';

interface Code {
  readonly provider: ProviderName;
  readonly person: SimulatedPerson;
  readonly nonce: string;
  readonly challenge: string;
  readonly returnTo: string;
  readonly untilMs: number;
}

export interface IdentitySimulator {
  readonly origin: string;
  readonly providers: readonly IdentityProvider[];
  /** Logs in on a provider's page as a person would; returns the address the browser comes back to. */
  readonly logsIn: (url: string, person: SimulatedPerson) => Promise<string>;
  /** All requests so far, such as `GET /google/keys`. */
  readonly asked: readonly string[];
  fault: ProviderFault | null;
  readonly close: () => Promise<void>;
}

interface SimulatorOptions {
  /** 0 for a free one. */
  readonly port: number;
  readonly clock: Clock;
}

/**
 * Starts the simulated providers behind one local server: Google's OpenID Connect with discovery, keys and
 * signed ID tokens, and Facebook's OAuth 2.0 with `me`. Their pages say that they are a simulation.
 */
export async function openIdentitySimulator({ port, clock }: SimulatorOptions): Promise<IdentitySimulator> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world = new Providers(origin, clock);
  server.on('request', (request, response) => void serve(world, request, response));
  const google = `${origin}/google`;
  const facebook = `${origin}/facebook`;
  return {
    origin,
    asked: world.asked,
    providers: [
      googleProvider({ ...ACCOUNT, issuer: google, isSimulated: true }),
      facebookProvider({ ...ACCOUNT, dialog: facebook, graph: facebook, isSimulated: true }),
    ],
    logsIn: async (url, { subject, email, isEmailVerified }) => {
      const body = new URLSearchParams({ subject, email: email ?? '', verified: String(isEmailVerified) });
      const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' });
      return answer.headers.get('location') ?? '';
    },
    get fault() {
      return world.fault;
    },
    set fault(fault) {
      world.fault = fault;
    },
    close: () => closed(server),
  };
}

interface ProviderRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: URLSearchParams;
  readonly bearer: string;
}

/** The records of both providers. */
class Providers {
  readonly origin: string;
  readonly asked: string[] = [];
  fault: ProviderFault | null = null;
  readonly #clock: Clock;
  readonly #codes = new Map<string, Code>();
  readonly #people = new Map<string, SimulatedPerson>();
  #key: KeyObject | null = null;

  constructor(origin: string, clock: Clock) {
    this.origin = origin;
    this.#clock = clock;
  }

  handle({ method, url, body, bearer }: ProviderRequest): Response {
    this.asked.push(`${method} ${url.pathname}`);
    if (this.asked.length > MAX_CODES) this.asked.shift();
    if (this.fault === 'away') return new Response('away', { status: 503 });
    const issuer = `${this.origin}/google`;
    const path = url.pathname.replace(/\/v\d+\.\d+\//u, '/');
    switch (`${method} ${path}`) {
      case 'GET /google/.well-known/openid-configuration':
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        });
      case 'GET /google/keys':
        return Response.json({ keys: [this.#publicKey()] });
      case 'GET /google/authorize':
        return loginPage('Google', url);
      case 'GET /facebook/dialog/oauth':
        return loginPage('Facebook', url);
      case 'POST /google/authorize':
        return this.#authorize('google', url, body);
      case 'POST /facebook/dialog/oauth':
        return this.#authorize('facebook', url, body);
      case 'POST /google/token':
        return this.#tokens('google', body);
      case 'POST /facebook/oauth/access_token':
        return this.#tokens('facebook', body);
      case 'GET /facebook/me':
        return this.#me(bearer);
      default:
        return new Response('not found', { status: 404 });
    }
  }

  /** Sends the browser back after the person has logged in or cancelled. */
  #authorize(provider: ProviderName, { searchParams: asked }: URL, body: URLSearchParams): Response {
    const returnTo = asked.get('redirect_uri') ?? '';
    if (asked.get('client_id') !== ACCOUNT.clientId || !URL.canParse(returnTo)) {
      return new Response('unknown client or address', { status: 400 });
    }
    const back = new URL(returnTo);
    back.searchParams.set('state', asked.get('state') ?? '');
    if (body.has('cancel')) back.searchParams.set('error', 'access_denied');
    else {
      const code = randomBytes(16).toString('base64url');
      const email = (body.get('email') ?? '').trim().toLowerCase() || null;
      const subject = body.get('subject')
        || createHash('sha256').update(email ?? code).digest('hex').slice(0, 21);
      this.#codes.set(code, {
        provider,
        person: { subject, email, isEmailVerified: body.get('verified') === 'true' },
        nonce: asked.get('nonce') ?? '',
        challenge: asked.get('code_challenge') ?? '',
        returnTo,
        untilMs: this.#nowMs() + CODE_MS,
      });
      const [oldest] = this.#codes.keys();
      if (this.#codes.size > MAX_CODES && oldest !== undefined) this.#codes.delete(oldest);
      back.searchParams.set('code', code);
    }
    return new Response(null, { status: 303, headers: { location: back.href } });
  }

  /** Redeems a code once, together with the secret, the address and the verifier that it was made for. */
  #tokens(provider: ProviderName, body: URLSearchParams): Response {
    const code = this.#codes.get(body.get('code') ?? '');
    this.#codes.delete(body.get('code') ?? '');
    const proof = createHash('sha256').update(body.get('code_verifier') ?? '').digest('base64url');
    const isRight = code?.provider === provider && code.challenge === proof && code.untilMs > this.#nowMs()
      && body.get('redirect_uri') === code.returnTo && body.get('client_id') === ACCOUNT.clientId
      && body.get('client_secret') === ACCOUNT.clientSecret;
    if (!isRight) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const token = randomBytes(16).toString('base64url');
    if (this.#people.size >= MAX_CODES) this.#people.clear();
    this.#people.set(token, code.person);
    return Response.json({
      access_token: token,
      token_type: 'bearer',
      expires_in: TOKEN_SECONDS,
      ...(provider === 'google' ? { id_token: this.#idToken(code) } : {}),
    }, { headers: { 'cache-control': 'no-store' } });
  }

  #idToken({ person, nonce }: Code): string {
    const { fault } = this;
    const now = Math.floor(this.#nowMs() / 1000) - (fault === 'expired' ? 2 * TOKEN_SECONDS : 0);
    const head = { alg: 'RS256', typ: 'JWT', kid: 'simulated' };
    const claims = {
      iss: fault === 'other issuer' ? 'https://evil.example' : `${this.origin}/google`,
      aud: fault === 'other audience' ? 'somebody-else' : ACCOUNT.clientId,
      sub: person.subject,
      iat: now,
      exp: now + TOKEN_SECONDS,
      nonce: fault === 'wrong nonce' ? 'another' : nonce,
      ...(person.email === null ? {} : { email: person.email, email_verified: person.isEmailVerified }),
    };
    const text = [head, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const key = fault === 'wrong key' ? newKey() : this.#privateKey();
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }

  #me(bearer: string): Response {
    const person = this.#people.get(bearer);
    if (!person) return Response.json({ error: { message: 'Invalid OAuth access token.' } }, { status: 401 });
    return Response.json({ id: person.subject, ...(person.email === null ? {} : { email: person.email }) });
  }

  #privateKey(): KeyObject {
    this.#key ??= newKey();
    return this.#key;
  }

  #publicKey() {
    const jwk = createPublicKey(this.#privateKey()).export({ format: 'jwk' });
    return { ...jwk, kid: 'simulated', use: 'sig', alg: 'RS256' };
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

const newKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

async function serve(world: Providers, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return void incoming.destroy();
      chunks.push(chunk);
    }
    const bearer = /^Bearer (.+)$/iu.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
    const response = world.handle({
      method: incoming.method ?? 'GET',
      url: new URL(incoming.url ?? '/', world.origin),
      body: new URLSearchParams(Buffer.concat(chunks).toString()),
      bearer,
    });
    response.headers.forEach((value, name) => outgoing.setHeader(name, value));
    outgoing.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()));
  } catch {
    incoming.destroy();
  }
  return undefined;
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
