import type { Caller } from '#platform/contract/context.ts';
import { digest, seal, unseal } from '#platform/data/database/seal.ts';
import { customerNetwork, networks } from '#platform/http/address.ts';
import { MARKS, type Mark } from '../../rules.ts';

/** Marks of one visit, as keyed digests; missing ones are left out. */
export type Marks = Readonly<Partial<Record<Mark, string>>>;

/**
 * Addresses that identify nobody: this machine, private networks, and those a carrier or a proxy shares among
 * strangers (RFC 1918, RFC 4193, RFC 6598). Otherwise the first ban of a site behind an unconfigured proxy
 * would exclude everybody.
 */
const SHARED = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/127',
  'fc00::/7',
  'fe80::/10',
] as const;

/** The network of an address; null for addresses that strangers share. */
export const networkOf = (
  address: string,
  isShared: (address: string) => boolean,
): string | null => (isShared(address) ? null : customerNetwork(address));

/** Computes the marks of visits. They cannot be reversed. */
export class Marking {
  readonly #secret: string;
  readonly #isShared = networks(SHARED);

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** @param device the device cookie as received; one not made here counts as none. */
  marksOf(
    operatorId: number,
    { caller, address, device }: {
      readonly caller: Caller;
      readonly address: string;
      readonly device: string | null;
    },
  ): Marks {
    const network = networkOf(address, this.#isShared);
    const found: Record<Mark, string | null> = {
      session: caller.sessionId,
      device: this.#openDevice(operatorId, device),
      network,
    };
    return Object.fromEntries(MARKS.flatMap((kind) => {
      const value = found[kind];
      return value === null ? [] : [[kind, digest(this.#secret, purposeOf(operatorId, kind), value)]];
    }));
  }

  /** A new device cookie for a browser without a valid one; null if it has one. */
  deviceFor(operatorId: number, cookie: string | null, id: string): string | null {
    if (this.#openDevice(operatorId, cookie) !== null) return null;
    return seal(this.#secret, purposeOf(operatorId, 'device cookie'), { device: id });
  }

  #openDevice(operatorId: number, cookie: string | null): string | null {
    const opened = unseal(this.#secret, purposeOf(operatorId, 'device cookie'), cookie);
    const { device } = (opened ?? {}) as { device?: unknown };
    return typeof device === 'string' ? device : null;
  }
}

const purposeOf = (operatorId: number, use: Mark | 'device cookie'): string =>
  `room-moderation ${use} of operator ${operatorId}`;
