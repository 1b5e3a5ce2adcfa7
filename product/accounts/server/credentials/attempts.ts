import type { Scope } from '#platform/contract/context.ts';
import type { OperatorScope } from '#platform/data/data.ts';
import { digest, seal, unseal } from '#platform/data/database/seal.ts';
import { randomId } from '#platform/data/ids.ts';
import type { RateLimits, RateLimitStore, WindowLimit } from '#platform/data/limits/rate-limits.ts';
import { addressGroups } from '#platform/http/address.ts';
import type { RequestFacts } from '#platform/http/host-port.ts';
import {
  ATTEMPT_LIMITS,
  ATTEMPT_WINDOW_SECONDS,
  CODES_PER_DAY,
  DEVICE_SECONDS,
  type AttemptKind,
} from '../../rules.ts';
import type { Account } from '../../store.ts';

/** Marks a known browser: one that was logged in before. */
const DEVICE_COOKIE = 'device';
/**
 * Counters of accounts, addresses, sessions and devices. Evicting one would take this many others within a
 * window, more than thousands of addresses can cause. About 40 MB.
 */
const MAX_ATTEMPTED = 200_000;

/** A counter of attempts. */
export interface AttemptSubject {
  readonly kind: AttemptKind;
  readonly name: string;
  /** Factor for the limit of its kind; 1 where absent. */
  readonly share?: number;
}

/** The purpose of a code: each is counted separately, so that none resets the count of another. */
export type CodeKind = 'second_step' | 'email_code';
const COUNTED = Symbol('counted');
/**
 * A typed code, counted for its account. Functions that compare codes take only this type, and only
 * `Attempts` makes one, so that no code is compared uncounted.
 */
export interface CountedCode {
  readonly [COUNTED]: true;
  readonly kind: CodeKind;
  readonly personId: number;
  /** Empty where no code was typed; then nothing is counted. */
  readonly typed: string;
}

const RIGHT = Symbol('right');
/** A code that was compared and was right. Only this resets the count of its kind. */
export interface RightCode {
  readonly [RIGHT]: CountedCode;
}
/** Marks a code as right, after it was compared. */
export const rightCode = (code: CountedCode): RightCode => ({ [RIGHT]: code });

/** Counts attempts, so that guessing stops before it succeeds and does not lock the owner out. */
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
    const waits = counted.map((item) => this.#limits.take(this.#key(operatorId, item), limitOf(item)));
    return Math.ceil(Math.max(0, ...await Promise.all(waits)) / 1000);
  }

  /**
   * Counts a code for its account, whoever types it and wherever; returns the seconds to wait where there
   * were too many.
   */
  async countCode(
    scope: OperatorScope,
    kind: CodeKind,
    personId: number,
    typed: string | undefined,
  ): Promise<CountedCode | { readonly waitSeconds: number }> {
    const code: CountedCode = { [COUNTED]: true, kind, personId, typed: typed ?? '' };
    if (code.typed.trim() === '') return code;
    const day = this.#limits.take(this.#key(scope.operatorId, ofDay(code)), CODES_PER_DAY);
    const [waitSeconds, dayMs] = await Promise.all([this.count(scope, [ofCode(code)]), day]);
    const longest = Math.max(waitSeconds, Math.ceil(dayMs / 1000));
    return longest > 0 ? { waitSeconds: longest } : code;
  }

  /** Resets the counts of a right code; null where no code was asked for. */
  async clearCode(scope: OperatorScope, right: RightCode | null): Promise<void> {
    if (right === null) return;
    const { [RIGHT]: code } = right;
    await this.clear(scope, ofCode(code));
    await this.#limits.forget(this.#key(scope.operatorId, ofDay(code)), CODES_PER_DAY);
  }

  /** Resets the count after a right password. */
  async clear({ operatorId }: OperatorScope, counted: AttemptSubject): Promise<void> {
    await this.#limits.forget(this.#key(operatorId, counted), limitOf(counted));
  }

  /** Counters for an address, one for each of its groups. */
  ofAddress(address: string): AttemptSubject[] {
    return addressGroups(address).map(({ key: name, share }) => ({ kind: 'address', name, share }));
  }

  /**
   * The counter of log-ins to an account from this browser: a known browser has its own. Each way to log in
   * is counted separately, and none resets another.
   * @param person null where nobody has this login; counted too, so that a lock reveals nothing.
   */
  ofAccount(
    { scope, cookie }: Pick<RequestFacts, 'cookie'> & { readonly scope: Scope },
    by: WayIn,
    login: string,
    person: DeviceOwner | null,
  ): AttemptSubject {
    const device = this.#openDevice(scope, cookie);
    if (device && person && isOf(device, person)) return { kind: 'device', name: nameBy(by, device.nonce) };
    return person === null
      ? { kind: 'account', name: nameBy(by, `login ${login}`) }
      : ofAccount(by, person.id);
  }

  /** Remembers this browser as one of the person's. */
  rememberDevice(
    scope: Scope,
    owner: DeviceOwner,
    { cookie, setCookie }: Pick<RequestFacts, 'cookie' | 'setCookie'>,
  ): void {
    const known = this.#openDevice(scope, cookie);
    if (known && isOf(known, owner)) return;
    const device: Device = { person: owner.id, nonce: randomId(), recoveries: owner.recoveries };
    const sealed = seal(this.#secret, devicePurpose(scope), device);
    setCookie(DEVICE_COOKIE, sealed, { maxAgeSeconds: DEVICE_SECONDS });
  }

  #openDevice(scope: Scope, cookie: RequestFacts['cookie']): Device | null {
    return unseal(this.#secret, devicePurpose(scope), cookie(DEVICE_COOKIE)) as Device | null;
  }

  /** The key of a counter: addresses and login names appear in it only as a digest. */
  #key(operatorId: number, { kind, name }: AttemptSubject): string {
    return digest(this.#secret, `accounts attempts of operator ${operatorId}`, `${kind} ${name}`);
  }
}

/** What somebody logs in with. */
type WayIn = 'password' | 'passkey' | 'provider';
const nameBy = (by: WayIn, name: string): string => (by === 'password' ? name : `${by} ${name}`);
/** The counter of log-ins to an account from unknown browsers. */
export const ofAccount = (by: WayIn, personId: number): AttemptSubject => ({
  kind: 'account',
  name: nameBy(by, `person ${personId}`),
});

/** The counter of a logged-in person's password, or of their other proofs. */
export const ofPerson = (kind: 'password' | 'passkey', personId: number): AttemptSubject => ({
  kind,
  name: `person ${personId}`,
});
const ofCode = ({ kind, personId }: CountedCode): AttemptSubject => ({ kind, name: `person ${personId}` });
const ofDay = ({ kind, personId }: CountedCode): AttemptSubject => ({
  kind,
  name: `person ${personId} in a day`,
});

const limitOf = ({ kind, share = 1 }: AttemptSubject): WindowLimit => ({
  points: ATTEMPT_LIMITS[kind] * share,
  seconds: ATTEMPT_WINDOW_SECONDS,
});

/** The owner of a known browser, and their number of recoveries. */
type DeviceOwner = Pick<Account, 'id' | 'recoveries'>;

interface Device {
  readonly person: number;
  readonly nonce: string;
  /** The owner's number of recoveries then; absent in cookies from before their first one. */
  readonly recoveries?: number;
}

const isOf = ({ person, recoveries = 0 }: Device, owner: DeviceOwner): boolean =>
  person === owner.id && recoveries === owner.recoveries;

const devicePurpose = ({ operatorId }: Scope): string => `accounts device of operator ${operatorId}`;
