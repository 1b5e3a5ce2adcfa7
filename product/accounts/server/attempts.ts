import type { Scope } from '../../../platform/contract/context.ts';
import type { OperatorScope } from '../../../platform/data/data.ts';
import { randomId } from '../../../platform/data/ids.ts';
import type { RateLimits, RateLimitStore, WindowLimit } from '../../../platform/data/limits/rate-limits.ts';
import { digest, seal, unseal } from '../../../platform/data/database/seal.ts';
import type { RequestFacts } from '../../../platform/http/host-port.ts';
import { addressKey } from '../../../platform/http/address.ts';
import { ATTEMPT_LIMITS, ATTEMPT_WINDOW_SECONDS, DEVICE_SECONDS, type AttemptKind } from '../rules.ts';

/** Tells browsers that were logged in before from those that were not. */
const DEVICE_COOKIE = 'device';
/**
 * Accounts, addresses, sessions and devices whose attempts are remembered. To have one of them forgotten
 * takes
 * as many others within a window, which thousands of addresses cannot make. About 40 MB.
 */
const MAX_ATTEMPTED = 200_000;

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
  readonly #limits: RateLimits;

  constructor(secret: string, limits: RateLimitStore) {
    this.#secret = secret;
    this.#limits = limits.family('accounts.attempts', { maxKeys: MAX_ATTEMPTED, whenAway: 'refuse' });
  }

  /**
   * Counts one attempt against each; 0 when it may be tried, else the seconds until it may. Counting comes
   * before trying, so attempts made at the same time cannot all slip under the limit.
   */
  async count({ operatorId }: OperatorScope, counted: readonly Counted[]): Promise<number> {
    const waits = counted.map((one) => this.#limits.take(this.#key(operatorId, one), limitOf(one)));
    return Math.ceil(Math.max(0, ...await Promise.all(waits)) / 1000);
  }

  /** Forgets the attempts: the right password was given. */
  async clear({ operatorId }: OperatorScope, counted: Counted): Promise<void> {
    await this.#limits.forget(this.#key(operatorId, counted), limitOf(counted));
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

const limitOf = ({ kind }: Counted): WindowLimit =>
  ({ points: ATTEMPT_LIMITS[kind], seconds: ATTEMPT_WINDOW_SECONDS });

interface Device {
  readonly person: number;
  readonly nonce: string;
}

const devicePurpose = ({ operatorId }: Scope): string => `accounts device of operator ${operatorId}`;
