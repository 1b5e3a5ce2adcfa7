import type { InputOf } from '#platform/contract/call.ts';
import type { CallContext, Scope } from '#platform/contract/context.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { digest, seal, unseal } from '#platform/data/database/seal.ts';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import { randomBytes } from 'node:crypto';
import type { addPasskey, loginByPasskey } from '../contract/passkeys.ts';
import { CHALLENGE_SECONDS } from '../rules/passkeys.ts';
import type { NewPasskey, Passkey } from '../store/passkeys.ts';
import { spendToken } from '../store/sessions.ts';

/** COSE algorithms (RFC 9053), the most common first: ES256, Ed25519, RS256 for Windows. */
export const ALGORITHMS = [-7, -8, -257] as const;
/** A challenge has at least 16 random bytes (WebAuthn Level 3 §13.4.3). */
const CHALLENGE_BYTES = 32;

export type Purpose = 'add' | 'log in';

/** Where an answer must come from: the site's origin, and its host name as the relying party's id. */
export interface Party {
  readonly host: string;
  readonly origin: string;
}

/** A sealed challenge: for one session of one browser at one site, for a few minutes. */
interface Challenge extends Party {
  readonly challenge: string;
  readonly session: string;
  readonly until: number;
}

const partyOf = (origin: string): Party => ({ host: new URL(origin).hostname, origin });

/** Makes challenges for authenticators, and checks their answers. */
export class Passkeys {
  readonly #secret: string;

  /** @param secret the site's */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Makes a challenge for an authenticator. @param origin of the site, as browsers see it */
  ask(
    use: Purpose,
    origin: string,
    now: Date,
    { scope, caller }: Pick<CallContext, 'scope' | 'caller'>,
  ): { readonly challenge: string; readonly host: string; readonly ticket: string } {
    const party = partyOf(origin);
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    const until = now.getTime() + CHALLENGE_SECONDS * 1000;
    const asked: Challenge = { ...party, challenge, session: caller.sessionId ?? '', until };
    return { challenge, host: party.host, ticket: seal(this.#secret, purposeOf(scope, use), asked) };
  }

  /** The challenge of a ticket; null when it is over, or of another session, site or use. */
  open(
    use: Purpose,
    origin: string,
    now: Date,
    ticket: string,
    { scope, caller }: Pick<CallContext, 'scope' | 'caller'>,
  ): Challenge | null {
    const asked = unseal(this.#secret, purposeOf(scope, use), ticket) as Challenge | null;
    const isOurs = asked !== null && asked.session === (caller.sessionId ?? '')
      && asked.origin === origin && asked.until > now.getTime();
    return isOurs ? asked : null;
  }

  /** Uses up a challenge, once in all processes. */
  spend(tx: Tx, { challenge, until }: Challenge): Promise<boolean> {
    return spendToken(tx, `passkey ${challenge}`, new Date(until));
  }

  /** The handle by which authenticators know a person: it reveals nothing, and differs between operators. */
  handleOf({ operatorId }: OperatorScope, personId: number): string {
    return digest(this.#secret, `accounts passkey user of operator ${operatorId}`, String(personId));
  }

  /** The passkey that an authenticator made; null when it does not answer our challenge. */
  async made(
    asked: Challenge,
    { id, client_data, attestation, transports }: InputOf<typeof addPasskey>['credential'],
  ): Promise<Omit<NewPasskey, 'personId' | 'name'> | null> {
    try {
      if (!isPlain(attestation)) return null;
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: {
          id,
          rawId: id,
          type: 'public-key',
          clientExtensionResults: {},
          response: { clientDataJSON: client_data, attestationObject: attestation },
        },
        expectedChallenge: asked.challenge,
        expectedOrigin: asked.origin,
        expectedRPID: asked.host,
        requireUserVerification: false,
        supportedAlgorithmIDs: [...ALGORITHMS],
      });
      if (!verified || !registrationInfo) return null;
      const { id: credentialId, publicKey, counter } = registrationInfo.credential;
      return {
        credentialId,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        counter,
        host: asked.host,
        transports,
        isUserVerified: registrationInfo.userVerified,
      };
    } catch {
      // The library throws for anything it rejects, and a stranger can send anything.
      return null;
    }
  }

  /**
   * Checks a log-in; null when it is not this passkey's answer to our challenge, or when its signature
   * counter did not pass the stored one: then there is a copy of the key.
   */
  async checked(
    asked: Challenge,
    passkey: Passkey,
    scope: Scope,
    answer: InputOf<typeof loginByPasskey>['credential'],
  ): Promise<{ readonly counter: number; readonly isUserVerified: boolean } | null> {
    const { id, client_data, authenticator_data, signature, user_handle } = answer;
    if (passkey.host !== asked.host || user_handle !== this.handleOf(scope, passkey.personId)) return null;
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: {
          id,
          rawId: id,
          type: 'public-key',
          clientExtensionResults: {},
          response: { clientDataJSON: client_data, authenticatorData: authenticator_data, signature },
        },
        expectedChallenge: asked.challenge,
        expectedOrigin: asked.origin,
        expectedRPID: asked.host,
        credential: {
          id: passkey.credentialId,
          publicKey: Buffer.from(passkey.publicKey, 'base64url'),
          counter: passkey.counter,
        },
        requireUserVerification: false,
      });
      if (!verified) return null;
      return { counter: authenticationInfo.newCounter, isUserVerified: authenticationInfo.userVerified };
    } catch {
      return null;
    }
  }
}

/**
 * Whether an attestation names no maker. We ask for none: checking a certificate would mean a request to a
 * URL inside it, which the sender chooses.
 */
function isPlain(attestation: string): boolean {
  const decoded = decodeAttestationObject(Buffer.from(attestation, 'base64url'));
  const format = decoded.get('fmt');
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
}

const purposeOf = ({ operatorId }: Scope, use: Purpose): string =>
  `accounts passkey to ${use} of operator ${operatorId}`;
