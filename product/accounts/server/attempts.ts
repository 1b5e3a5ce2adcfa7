import type { Scope } from '../../../platform/contract/context.ts';
import type { Tx } from '../../../platform/data/data.ts';
import { randomId } from '../../../platform/data/ids.ts';
import { digest, seal, unseal } from '../../../platform/data/database/seal.ts';
import type { RequestFacts } from '../../../platform/http/host-port.ts';
import { addressKey } from '../../../platform/http/address.ts';
import {
  ATTEMPT_WINDOW_SECONDS, DEVICE_SECONDS, mayAttempt, type AttemptKind,
} from '../rules.ts';
import { clearAttempts, countAttempt, sweepAttempts } from '../store.ts';

/** Tells browsers that were logged in before from those that were not. */
const DEVICE_COOKIE = 'device';

/** Something whose attempts are counted together. */
export interface Counted {
  readonly kind: AttemptKind;
  readonly name: string;
}

/**
 * Counts attempts at passwords, so that guessing ends before it succeeds and the owner is not locked out
 * with it.
 */
export class Attempts {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Counts one attempt against each; answers 0 when it may be tried, else the seconds until it may. */
  async count(tx: Tx, counted: readonly Counted[]): Promise<number> {
    const windowEnd = new Date(tx.now.getTime() + ATTEMPT_WINDOW_SECONDS * 1000);
    const keys = counted.map((one) => ({ ...one, key: this.#key(tx.operatorId, one) }));
    let waitMs = 0;
    // In the order of their keys, so that two log-ins at once cannot wait for each other.
    for (const { kind, key } of keys.sort((a, b) => (a.key < b.key ? -1 : 1))) {
      const { count, endsAt } = await countAttempt(tx, key, windowEnd);
      if (!mayAttempt(kind, count)) waitMs = Math.max(waitMs, endsAt.getTime() - tx.now.getTime());
    }
    await sweepAttempts(tx);
    return Math.ceil(waitMs / 1000);
  }

  async clear(tx: Tx, counted: Counted): Promise<void> {
    await clearAttempts(tx, this.#key(tx.operatorId, counted));
  }

  ofAddress(address: string): Counted {
    return { kind: 'address', name: addressKey(address) };
  }

  /** Attempts at an account from this browser: a known browser of the person is counted by itself.
   * @param personId null where nobody has this login; counted all the same, so that a lock tells nothing. */
  ofAccount(scope: Scope, login: string, personId: number | null, cookie: RequestFacts['cookie']): Counted {
    const device = this.#openDevice(scope, cookie);
    if (device && device.person === personId) return { kind: 'device', name: device.nonce };
    return { kind: 'account', name: personId === null ? `login ${login}` : `person ${personId}` };
  }

  /** Remembers this browser as one of the person's. */
  rememberDevice(
    scope: Scope, personId: number, { cookie, setCookie }: Pick<RequestFacts, 'cookie' | 'setCookie'>,
  ): void {
    if (this.#openDevice(scope, cookie)?.person === personId) return;
    const device: Device = { person: personId, nonce: randomId() };
    const sealed = seal(this.#secret, devicePurpose(scope), device);
    setCookie(DEVICE_COOKIE, sealed, { maxAgeSeconds: DEVICE_SECONDS });
  }

  #openDevice(scope: Scope, cookie: RequestFacts['cookie']): Device | null {
    return unseal(this.#secret, devicePurpose(scope), cookie(DEVICE_COOKIE)) as Device | null;
  }

  /** Addresses and names of logins are counted without being kept. */
  #key(operatorId: number, { kind, name }: Counted): string {
    return digest(this.#secret, `accounts attempts of operator ${operatorId}`, `${kind} ${name}`);
  }
}

interface Device {
  readonly person: number;
  readonly nonce: string;
}

const devicePurpose = ({ operatorId }: Scope): string => `accounts device of operator ${operatorId}`;
