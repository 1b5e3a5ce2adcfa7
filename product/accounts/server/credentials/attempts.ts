import type { Scope } from '../../../../platform/contract/context.ts';
import type { OperatorScope } from '../../../../platform/data/data.ts';
import { randomId } from '../../../../platform/data/ids.ts';
import type {
  RateLimits, RateLimitStore, WindowLimit,
} from '../../../../platform/data/limits/rate-limits.ts';
import { digest, seal, unseal } from '../../../../platform/data/database/seal.ts';
import type { RequestFacts } from '../../../../platform/http/host-port.ts';
import { addressGroups } from '../../../../platform/http/address.ts';
import { ATTEMPT_LIMITS, ATTEMPT_WINDOW_SECONDS, DEVICE_SECONDS, type AttemptKind } from '../../rules.ts';

/** Marks browsers that were logged in before. */
const DEVICE_COOKIE = 'device';
/**
 * Accounts, addresses, sessions and devices with a count. Evicting one takes as many others within a window,
 * more than thousands of addresses can make. About 40 MB.
 */
const MAX_ATTEMPTED = 200_000;

/** What attempts are counted by. */
export interface AttemptSubject {
  readonly kind: AttemptKind;
  readonly name: string;
  /** How many times the limit of its kind it may use; once where absent. */
  readonly share?: number;
}

/**
 * Counts password attempts, so that guessing stops before it succeeds and does not lock the owner out.
 */
export class Attempts {
  readonly #secret: string;
  readonly #limits: RateLimits;

  constructor(secret: string, limits: RateLimitStore) {
    this.#secret = secret;
    this.#limits = limits.family('accounts.attempts', { maxKeys: MAX_ATTEMPTED, whenAway: 'refuse' });
  }

  /**
   * Counts one attempt for each subject. Returns 0 if the attempt is allowed, else the seconds to wait.
   * Counting comes before checking, so that concurrent attempts cannot all pass below the limit.
   */
  async count({ operatorId }: OperatorScope, counted: readonly AttemptSubject[]): Promise<number> {
    const waits = counted.map((one) => this.#limits.take(this.#key(operatorId, one), limitOf(one)));
    return Math.ceil(Math.max(0, ...await Promise.all(waits)) / 1000);
  }

  /** Resets the count after a right password. */
  async clear({ operatorId }: OperatorScope, counted: AttemptSubject): Promise<void> {
    await this.#limits.forget(this.#key(operatorId, counted), limitOf(counted));
  }

  /** Attempts from an address, by each of its groups. */
  ofAddress(address: string): AttemptSubject[] {
    return addressGroups(address).map(({ key: name, share }) => ({ kind: 'address', name, share }));
  }

  /** Attempts at an account from this browser: a known browser of the person is counted by itself.
   * @param personId null where nobody has this login; counted too, so that a lock reveals nothing. */
  ofAccount(
    scope: Scope, login: string, personId: number | null, cookie: RequestFacts['cookie'],
  ): AttemptSubject {
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

  /** Addresses and login names are counted by their digest only. */
  #key(operatorId: number, { kind, name }: AttemptSubject): string {
    return digest(this.#secret, `accounts attempts of operator ${operatorId}`, `${kind} ${name}`);
  }
}

const limitOf = ({ kind, share = 1 }: AttemptSubject): WindowLimit =>
  ({ points: ATTEMPT_LIMITS[kind] * share, seconds: ATTEMPT_WINDOW_SECONDS });

interface Device {
  readonly person: number;
  readonly nonce: string;
}

const devicePurpose = ({ operatorId }: Scope): string => `accounts device of operator ${operatorId}`;
