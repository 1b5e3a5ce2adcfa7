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
 * Gives pages `navigator.credentials` with a software authenticator, until the test ends. It makes no
 * suggestions in fields. While `key` is null the person cancels.
 */
export function installPasskeys(held: { key: Authenticator | null }): void {
  const cancelled = (): never => {
    throw new DOMException('the person cancelled', 'NotAllowedError');
  };
  const credentials = {
    create: async ({ publicKey }: CredentialCreationOptions) => {
      const asked = publicKey as PublicKeyCredentialCreationOptions;
      const made = held.key?.makes({
        ...asked, challenge: textOf(asked.challenge),
        user: { ...asked.user, id: textOf(asked.user.id) },
      } as unknown as Parameters<Authenticator['makes']>[0], location.origin) ?? cancelled();
      return {
        id: made.id, rawId: bufferOf(made.id), type: 'public-key', getClientExtensionResults: () => ({}),
        response: {
          clientDataJSON: bufferOf(made.client_data), attestationObject: bufferOf(made.attestation),
          getTransports: () => made.transports,
        },
      };
    },
    get: async ({ publicKey }: CredentialRequestOptions) => {
      const asked = publicKey as PublicKeyCredentialRequestOptions;
      const answer = held.key?.answers({
        ...asked, challenge: textOf(asked.challenge),
      } as Parameters<Authenticator['answers']>[0], location.origin) ?? cancelled();
      return {
        id: answer.id, rawId: bufferOf(answer.id), type: 'public-key', getClientExtensionResults: () => ({}),
        response: {
          clientDataJSON: bufferOf(answer.client_data), signature: bufferOf(answer.signature),
          authenticatorData: bufferOf(answer.authenticator_data), userHandle: bufferOf(answer.user_handle),
        },
      };
    },
  };
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: credentials });
  Object.defineProperty(globalThis, 'PublicKeyCredential', { configurable: true, value: () => undefined });
  onTestFinished(() => {
    Reflect.deleteProperty(navigator, 'credentials');
    Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
  });
}
