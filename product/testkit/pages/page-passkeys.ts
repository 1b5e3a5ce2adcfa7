import { onTestFinished } from 'vitest';
import type { Authenticator } from '../passkey-authenticator.ts';

const bufferOf = (text: string): ArrayBuffer => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
};
const textOf = (source: BufferSource): string =>
  Buffer.from(source instanceof ArrayBuffer ? new Uint8Array(source) : new Uint8Array(source.buffer))
    .toString('base64url');

/**
 * Gives pages `navigator.credentials` with a software authenticator, until the test ends. While `key` is null
 * the person cancels.
 * @param taken when the person takes the passkey that a field offers; without it fields offer none
 */
export function installPasskeys(held: { readonly key: Authenticator | null }, taken?: Promise<void>): void {
  const cancelled = (): never => {
    throw new DOMException('the person cancelled', 'NotAllowedError');
  };
  const credentials = {
    create: async ({ publicKey }: CredentialCreationOptions) => {
      const asked = publicKey as PublicKeyCredentialCreationOptions;
      const made = held.key?.makes(
        {
          ...asked,
          challenge: textOf(asked.challenge),
          user: { ...asked.user, id: textOf(asked.user.id) },
        } as unknown as Parameters<Authenticator['makes']>[0],
        location.origin,
      ) ?? cancelled();
      return {
        id: made.id,
        rawId: bufferOf(made.id),
        type: 'public-key',
        getClientExtensionResults: () => ({}),
        response: {
          clientDataJSON: bufferOf(made.client_data),
          attestationObject: bufferOf(made.attestation),
          getTransports: () => made.transports,
        },
      };
    },
    get: async ({ publicKey, mediation }: CredentialRequestOptions) => {
      if (mediation === 'conditional') await taken;
      const asked = publicKey as PublicKeyCredentialRequestOptions;
      const answer = held.key?.answers(
        {
          ...asked,
          challenge: textOf(asked.challenge),
        } as Parameters<Authenticator['answers']>[0],
        location.origin,
      ) ?? cancelled();
      return {
        id: answer.id,
        rawId: bufferOf(answer.id),
        type: 'public-key',
        getClientExtensionResults: () => ({}),
        response: {
          clientDataJSON: bufferOf(answer.client_data),
          signature: bufferOf(answer.signature),
          authenticatorData: bufferOf(answer.authenticator_data),
          userHandle: bufferOf(answer.user_handle),
        },
      };
    },
  };
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: credentials });
  const support = Object.assign(() => undefined, {
    isConditionalMediationAvailable: async () => taken !== undefined,
  });
  Object.defineProperty(globalThis, 'PublicKeyCredential', { configurable: true, value: support });
  onTestFinished(() => {
    Reflect.deleteProperty(navigator, 'credentials');
    Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
  });
}
