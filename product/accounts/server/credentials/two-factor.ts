import type { Tx } from '#platform/data/data.ts';
import { decrypt, encrypt } from '#platform/data/database/encrypt.ts';
import { digest } from '#platform/data/database/seal.ts';
import { randomBytes } from 'node:crypto';
import { generateSecret, generateURI, verifySync } from 'otplib';
import { RECOVERY_CODES, recoveryCode, secondStepOf, STEP_SECONDS } from '../../rules/two-factor.ts';
import {
  confirmAuthenticator,
  countRecoveryCodes,
  deleteAuthenticator,
  findAuthenticator,
  isConfirmed,
  saveAuthenticator,
  saveLastStep,
  saveRecoveryCodes,
  spendRecoveryCode,
  type Authenticator,
} from '../../store/two-factor.ts';
import { rightCode, type CountedCode, type RightCode } from './attempts.ts';

/** Authenticator apps and recovery codes of people. */
export class TwoFactor {
  readonly #secret: string;

  /** @param secret the site's */
  constructor(secret: string) {
    this.#secret = secret;
  }

  async isOn(tx: Tx, personId: number): Promise<boolean> {
    return (await findAuthenticator(tx, personId))?.isConfirmed ?? false;
  }

  /** The same, without waiting for a concurrent change. */
  isUsed(tx: Tx, personId: number): Promise<boolean> {
    return isConfirmed(tx, personId);
  }

  async state(tx: Tx, personId: number) {
    const isOn = await this.isOn(tx, personId);
    return { is_on: isOn, recovery_codes_left: isOn ? await countRecoveryCodes(tx, personId) : 0 };
  }

  /** Makes a secret to be confirmed; null where one is confirmed already. */
  async begin(
    tx: Tx,
    personId: number,
    names: { readonly site: string; readonly username: string },
  ): Promise<{ readonly secret: string; readonly uri: string } | null> {
    if (await this.isOn(tx, personId)) return null;
    const secret = generateSecret();
    await saveAuthenticator(tx, personId, encrypt(this.#secret, purpose(tx, personId), secret));
    return { secret, uri: generateURI({ issuer: names.site, label: names.username, secret }) };
  }

  /** Turns two-step log-in on with a code of the app; returns recovery codes, or why not. */
  async confirm(tx: Tx, counted: CountedCode): Promise<
    { readonly right: RightCode; readonly recoveryCodes: readonly string[] } | 'on' | 'off' | 'wrong'
  > {
    const { personId, typed } = counted;
    const found = await findAuthenticator(tx, personId);
    if (!found) return 'off';
    if (found.isConfirmed) return 'on';
    if (!(await this.#spendApp(tx, personId, found, typed))) return 'wrong';
    await confirmAuthenticator(tx, personId);
    return { right: rightCode(counted), recoveryCodes: await this.renew(tx, personId) };
  }

  /**
   * Uses up a code of the app or a recovery code; `wrong` also for one that was used before. Of two requests
   * with one code, only one can succeed.
   */
  async spend(tx: Tx, counted: CountedCode): Promise<RightCode | 'off' | 'wrong'> {
    const { personId, typed } = counted;
    const found = await findAuthenticator(tx, personId);
    if (!found?.isConfirmed) return 'off';
    const { kind, code } = secondStepOf(typed);
    const isSpent = kind === 'app'
      ? await this.#spendApp(tx, personId, found, code)
      : await spendRecoveryCode(tx, personId, this.#digest(tx, personId, code));
    return isSpent ? rightCode(counted) : 'wrong';
  }

  /** Replaces the recovery codes by new ones. */
  async renew(tx: Tx, personId: number): Promise<readonly string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, () => recoveryCode(randomBytes(16)));
    await saveRecoveryCodes(
      tx,
      personId,
      codes.map((code) => this.#digest(tx, personId, secondStepOf(code).code)),
    );
    return codes;
  }

  end(tx: Tx, personId: number): Promise<void> {
    return deleteAuthenticator(tx, personId);
  }

  async #spendApp(tx: Tx, personId: number, found: Authenticator, typed: string): Promise<boolean> {
    const { kind, code: token } = secondStepOf(typed);
    if (kind !== 'app') return false;
    const secret = decrypt(this.#secret, purpose(tx, personId), found.secret);
    const checked = verifySync({
      secret,
      token,
      epoch: Math.floor(tx.now.getTime() / 1000),
      epochTolerance: STEP_SECONDS,
    });
    // Compared here because the library throws for a later step, as after a clock was put back.
    if (!checked.valid || !('timeStep' in checked) || checked.timeStep <= found.lastStep) return false;
    await saveLastStep(tx, personId, checked.timeStep);
    return true;
  }

  #digest({ operatorId }: Tx, personId: number, code: string): string {
    return digest(this.#secret, `accounts recovery code of operator ${operatorId}`, `${personId} ${code}`);
  }
}

const purpose = ({ operatorId }: Tx, personId: number): string =>
  `accounts authenticator of person ${personId} of operator ${operatorId}`;
