import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
  type ECDH,
} from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';

/** A push message as the browser would get it. */
export interface ReceivedPush {
  readonly path: string;
  /** What a service worker reads as `event.data.json()`. */
  readonly message: { readonly title: string; readonly body: string; readonly link: string };
  /** The encrypted body: what the push service sees. */
  readonly encrypted: Buffer;
  readonly headers: IncomingMessage['headers'];
  /** Claims of the signed token of the sender (RFC 8292). */
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
}

/**
 * A push service on loopback, and the browser behind it: checks the sender's signature (RFC 8292) and
 * decrypts with the browser's own keys (RFC 8291), using only Node's primitives.
 */
export class TestPushService {
  readonly received: ReceivedPush[] = [];
  /** Statuses of the next responses; after them everything is accepted. */
  readonly answers: number[] = [];
  readonly #server: Server;
  readonly #keys: ECDH = createECDH('prime256v1');
  readonly #auth = randomBytes(16);
  #origin = '';

  constructor() {
    this.#keys.generateKeys();
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const status = this.answers.shift() ?? 201;
        if (status === 201) this.received.push(this.#open(request, Buffer.concat(chunks)));
        response.writeHead(status).end();
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the push service has no port');
    this.#origin = `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  /** What `PushSubscription.toJSON` of a browser returns. */
  subscription(name: string): { endpoint: string; p256dh: string; auth: string } {
    return {
      endpoint: `${this.#origin}/${name}`,
      p256dh: this.#keys.getPublicKey('base64url'),
      auth: this.#auth.toString('base64url'),
    };
  }

  #open({ url = '', headers }: IncomingMessage, encrypted: Buffer): ReceivedPush {
    const claims = this.#claims(String(headers.authorization));
    const text = this.#decrypt(encrypted);
    const message = JSON.parse(text) as ReceivedPush['message'];
    return { path: url.slice(1), message, encrypted, headers, claims };
  }

  /** RFC 8292 §3: `vapid t=<JWT>, k=<public key>`. */
  #claims(authorization: string): ReceivedPush['claims'] {
    const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/u.exec(authorization) ?? [];
    const [head = '', body = '', signature = ''] = token.split('.');
    const point = Buffer.from(key, 'base64url');
    const publicKey = createPublicKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: point.subarray(1, 33).toString('base64url'),
        y: point.subarray(33).toString('base64url'),
      },
    });
    const isOurs = verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    if (!isOurs) throw new Error('the signature of the sender is wrong');
    return JSON.parse(Buffer.from(body, 'base64url').toString()) as ReceivedPush['claims'];
  }

  /** RFC 8188 with the keys of RFC 8291 §3.4. */
  #decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const idLength = body[20] ?? 0;
    const theirs = body.subarray(21, 21 + idLength);
    const shared = this.#keys.computeSecret(theirs);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#keys.getPublicKey(), theirs]);
    const secret = Buffer.from(hkdfSync('sha256', shared, this.#auth, info, 32));
    const derived = (purpose: string, bytes: number): Buffer =>
      Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${purpose}\0`), bytes));
    const [key, nonce] = [derived('aes128gcm', 16), derived('nonce', 12)];
    const sealed = body.subarray(21 + idLength);
    const decipher = createDecipheriv('aes-128-gcm', key, nonce);
    decipher.setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    return padded.subarray(0, padded.lastIndexOf(2)).toString('utf8');
  }
}
