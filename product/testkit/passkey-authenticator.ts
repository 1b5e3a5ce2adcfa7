import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import type {
  addPasskey,
  beginPasskey,
  beginPasskeyLogin,
  loginByPasskey,
} from '#product/accounts/contract/passkeys.ts';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

type Creation = OutputOf<typeof beginPasskey>['options'];
type Request = OutputOf<typeof beginPasskeyLogin>['options'];
type Made = InputOf<typeof addPasskey>['credential'];
type Answer = InputOf<typeof loginByPasskey>['credential'];

/** Bits of the flags of authenticator data (WebAuthn Level 3 §6.1). */
const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];

interface Credential {
  readonly id: string;
  readonly host: string;
  readonly handle: string;
  readonly key: KeyObject;
}

export interface AuthenticatorOptions {
  /** Whether it checks a fingerprint, a face or a PIN before it signs. */
  readonly verifies?: boolean;
  /** Whether it counts signatures, as security keys do; passkeys that phones synchronize do not. */
  readonly counts?: boolean;
}

/** Parts of an answer that an attacker changes. */
export interface Lies {
  readonly origin?: string;
  readonly challenge?: string;
  readonly id?: string;
  readonly handle?: string;
  readonly counter?: number;
  readonly host?: string;
  /** Whether it verified its owner this time. */
  readonly verifies?: boolean;
}

const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array): string => Buffer.from(data).toString('base64url');

/** A software authenticator: creates and uses real ES256 passkeys, in the format of browsers. */
export class Authenticator {
  readonly credentials: Credential[] = [];
  readonly #verifies: boolean;
  readonly #counts: boolean;
  #counter = 0;

  constructor({ verifies = true, counts = true }: AuthenticatorOptions = {}) {
    this.#verifies = verifies;
    this.#counts = counts;
  }

  /**
   * Creates a passkey (`navigator.credentials.create`).
   * @param statement an attestation other than `none`: its format and its entries
   */
  makes(
    { rp, user, challenge }: Creation,
    origin: string,
    lies: Lies = {},
    statement: readonly [string, ReadonlyMap<string, unknown>] = ['none', new Map()],
  ): Made {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const id = randomBytes(16);
    const host = lies.host ?? rp.id;
    this.credentials.push({ id: base64url(id), host: rp.id, handle: user.id, key: privateKey });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    // COSE_Key (RFC 9052 §7): EC2, ES256, P-256.
    const cose = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytesOf(x)],
        [-3, bytesOf(y)],
      ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const data = Buffer.concat([this.#data(host, ATTESTED, lies), Buffer.alloc(16), length, id, cose]);
    const [format, entries] = statement;
    const attestation = isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', format],
        ['attStmt', entries],
        ['authData', new Uint8Array(data)],
      ]) as Parameters<typeof isoCBOR.encode>[0],
    );
    return {
      id: base64url(id),
      attestation: base64url(attestation),
      transports: ['internal'],
      client_data: base64url(clientData('webauthn.create', challenge, origin, lies)),
    };
  }

  /** Signs with the host's newest passkey (`navigator.credentials.get`). */
  answers({ challenge, rpId }: Request, origin: string, lies: Lies = {}): Answer {
    const credential = this.credentials.findLast(({ host }) => host === (lies.host ?? rpId));
    if (!credential) throw new Error(`no passkey of ${rpId}`);
    const client = clientData('webauthn.get', challenge, origin, lies);
    const data = this.#data(credential.host, 0, lies);
    return {
      id: lies.id ?? credential.id,
      user_handle: lies.handle ?? credential.handle,
      client_data: base64url(client),
      authenticator_data: base64url(data),
      signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), credential.key)),
    };
  }

  #data(host: string, flags: number, { counter, verifies = this.#verifies }: Lies): Buffer {
    if (this.#counts) this.#counter += 1;
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(counter ?? this.#counter);
    return Buffer.concat([
      sha256(host),
      Buffer.of(PRESENT | (verifies ? VERIFIED : 0) | flags),
      counted,
    ]);
  }
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64url'));

const clientData = (type: string, asked: string, origin: string, lies: Lies): Buffer =>
  Buffer.from(JSON.stringify({
    type,
    challenge: lies.challenge ?? asked,
    origin: lies.origin ?? origin,
    crossOrigin: false,
  }));
