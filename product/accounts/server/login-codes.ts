import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { digest } from '#platform/data/database/seal.ts';
import { customerNetwork } from '#platform/http/address.ts';
import { randomInt } from 'node:crypto';
import {
  isLoginCodeOpen,
  LOGIN_CODE_MS,
  LOGIN_CODE_REST_MS,
  loginCode,
  needsLoginCode,
  NETWORK_MS,
  typedLoginCode,
} from '../rules/login-codes.ts';
import type { Account } from '../store.ts';
import {
  countWrongCode,
  deleteLoginCode,
  findLoginCode,
  isNetworkOf,
  saveLoginCode,
  saveNetwork,
} from '../store/login-codes.ts';
import { rightCode, type CountedCode, type RightCode } from './credentials/attempts.ts';
import type { AccountEmails } from './emails.ts';

/** A million codes of six digits. */
const CODES = 1_000_000;

type From = Pick<CallContext, 'address' | 'origin' | 'locale' | 'scope'>;

/** Asks people for a code by email where neither the browser nor the network of a log-in is known. */
export class LoginCodes {
  readonly #secret: string;
  readonly #emails: AccountEmails;
  readonly #reaches: boolean;

  /** @param reaches whether emails reach people; without emails nobody is asked for a code */
  constructor(secret: string, emails: AccountEmails, reaches: boolean) {
    this.#secret = secret;
    this.#emails = emails;
    this.#reaches = reaches;
  }

  /** Remembers the network that somebody logs in from. */
  async remember(tx: Tx, personId: number, { address }: Pick<From, 'address'>): Promise<void> {
    const network = this.#networkOf(tx, address);
    if (network !== null) await saveNetwork(tx, personId, network);
  }

  /** Whether a log-in with a right password also needs a code by email. */
  async isNeeded(
    tx: Tx,
    person: Account,
    { address, isKnownBrowser }: Pick<From, 'address'> & { isKnownBrowser: boolean },
  ): Promise<boolean> {
    if (!this.#reaches) return false;
    const network = this.#networkOf(tx, address);
    const since = new Date(tx.now.getTime() - NETWORK_MS);
    const isKnownNetwork = network !== null && (await isNetworkOf(tx, person.id, network, since));
    return needsLoginCode({ isKnownBrowser, isKnownNetwork, hasLoggedIn: person.lastLoginAt !== null });
  }

  /** Sends a code, unless one sent a moment ago still works. */
  async send(tx: Tx, person: Account, from: From, site: string): Promise<void> {
    const sent = await findLoginCode(tx, person.id);
    const isFresh = sent !== null && isLoginCodeOpen(sent, tx.now)
      && tx.now.getTime() - sent.sentAt.getTime() < LOGIN_CODE_REST_MS;
    if (isFresh || !(await this.#emails.mayWriteCode(from.scope, person.email))) return;
    const code = loginCode(randomInt(CODES));
    const until = new Date(tx.now.getTime() + LOGIN_CODE_MS);
    await saveLoginCode(tx, person.id, this.#digest(tx, `${person.id} ${code}`), until);
    await this.#emails.loginCode(tx, person, from, { site, code });
  }

  /** Uses up a code; null for a wrong one, which is counted. */
  async spend(tx: Tx, counted: CountedCode): Promise<RightCode | null> {
    const { personId, typed } = counted;
    const sent = await findLoginCode(tx, personId);
    if (!sent || !isLoginCodeOpen(sent, tx.now)) return null;
    if (sent.digest !== this.#digest(tx, `${personId} ${typedLoginCode(typed)}`)) {
      await countWrongCode(tx, personId);
      return null;
    }
    await deleteLoginCode(tx, personId);
    return rightCode(counted);
  }

  #networkOf(tx: Tx, address: string): string | null {
    const network = customerNetwork(address);
    return network === null ? null : this.#digest(tx, network);
  }

  #digest({ operatorId }: Tx, text: string): string {
    return digest(this.#secret, `accounts log-in of operator ${operatorId}`, text);
  }
}
