import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { seal, unseal } from '#platform/data/database/seal.ts';
import type { Begun, Identity } from '#platform/identities/identity-provider.ts';
import { randomBytes } from 'node:crypto';
import { normalizeEmail } from '../../rules.ts';
import {
  isProvider,
  MAX_EMAIL_LENGTH,
  MAX_SUBJECT_LENGTH,
  PROVIDER_PROOF_SECONDS,
  PROVIDER_STATE_SECONDS,
  type ProviderName,
} from '../../rules/providers.ts';
import { spendToken } from '../../store/sessions.ts';

/** What a browser took along to a provider. */
const STATE_COOKIE = 'provider_state';
/** Whom a provider has named, until that person has logged in or signed up. */
const PROOF_COOKIE = 'provider_proof';
/** 256 bits each, as RFC 7636 §7.1 requires of a verifier. */
const RANDOM_BYTES = 32;

/** A log-in that is on its way to a provider and back. */
export interface Journey extends Begun {
  readonly provider: ProviderName;
  readonly purpose: 'log_in' | 'link';
  readonly session: string;
  readonly next: string | null;
  readonly until: number;
}

/** Whom a provider has named to this browser. */
export interface Proof {
  readonly provider: ProviderName;
  readonly subject: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly nonce: string;
  readonly at: number;
  readonly until: number;
}

type Bearer = Pick<CallContext, 'scope' | 'caller' | 'cookie' | 'setCookie'>;
const random = (): string => randomBytes(RANDOM_BYTES).toString('base64url');

/**
 * Log-ins on their way to a provider and back, in sealed cookies of the browser: pages and other sites can
 * neither read nor plant one.
 */
export class Journeys {
  readonly #secret: string;

  /** @param secret the site's */
  constructor(secret: string) {
    this.#secret = secret;
  }

  begin(
    { scope, caller, setCookie }: Bearer,
    now: Date,
    to: Pick<Journey, 'provider' | 'purpose' | 'next'>,
  ): Journey {
    const journey: Journey = {
      ...to,
      state: random(),
      nonce: random(),
      verifier: random(),
      session: caller.sessionId ?? '',
      until: now.getTime() + PROVIDER_STATE_SECONDS * 1000,
    };
    setCookie(STATE_COOKIE, seal(this.#secret, purposeOf(scope, 'state'), journey), {
      maxAgeSeconds: PROVIDER_STATE_SECONDS,
    });
    return journey;
  }

  /** The journey of this session that has come back; null without one. Deletes its cookie. */
  back({ scope, caller, cookie, setCookie }: Bearer, now: Date): Journey | null {
    const journey = unseal(this.#secret, purposeOf(scope, 'state'), cookie(STATE_COOKIE)) as Journey | null;
    setCookie(STATE_COOKIE, null);
    const isOurs = journey !== null && journey.session === (caller.sessionId ?? '')
      && journey.until > now.getTime() && isProvider(journey.provider);
    return isOurs ? journey : null;
  }

  /** Uses up a journey or a proof, once in all processes. */
  spend(tx: Tx, { nonce, until }: Pick<Proof, 'nonce' | 'until'>): Promise<boolean> {
    return spendToken(tx, `provider ${nonce}`, new Date(until));
  }

  /** Whom a provider named; null where the subject fits no column. */
  proofOf(provider: ProviderName, { subject, email, isEmailVerified }: Identity, now: Date): Proof | null {
    if (subject === '' || subject.length > MAX_SUBJECT_LENGTH) return null;
    const address = email === null || email.length > MAX_EMAIL_LENGTH ? null : normalizeEmail(email);
    return {
      provider,
      subject,
      email: address,
      isEmailVerified: isEmailVerified && address !== null,
      nonce: random(),
      at: now.getTime(),
      until: now.getTime() + PROVIDER_PROOF_SECONDS * 1000,
    };
  }

  /** Lets the browser present the proof for a while. */
  remember({ scope, setCookie }: Bearer, proof: Proof): void {
    setCookie(PROOF_COOKIE, seal(this.#secret, purposeOf(scope, 'proof'), proof), {
      maxAgeSeconds: PROVIDER_PROOF_SECONDS,
    });
  }

  proofIn({ scope, cookie }: Bearer, now: Date): Proof | null {
    const proof = unseal(this.#secret, purposeOf(scope, 'proof'), cookie(PROOF_COOKIE)) as Proof | null;
    return proof !== null && proof.until > now.getTime() ? proof : null;
  }

  forget({ setCookie }: Bearer): void {
    setCookie(PROOF_COOKIE, null);
  }
}

const purposeOf = ({ operatorId, siteId }: Bearer['scope'], what: string): string =>
  `accounts provider ${what} of site ${siteId} of operator ${operatorId}`;
