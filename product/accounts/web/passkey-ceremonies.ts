import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import type { addPasskey, beginPasskey, beginPasskeyLogin, loginByPasskey } from '../client.ts';

/** Why a browser returns no passkey: a text of `passkeys`. */
export type Hindrance = 'unsupported' | 'cancelled' | 'exists';
type Made = InputOf<typeof addPasskey>['credential'];
type Answer = InputOf<typeof loginByPasskey>['credential'];

const isSupported = (): boolean => typeof globalThis.PublicKeyCredential === 'function';
/** Fetched on first use: most people log in by password. */
const library = () => import('@simplewebauthn/browser');

/** Lets the browser make a passkey (`navigator.credentials.create`). */
export async function makePasskey(
  options: OutputOf<typeof beginPasskey>['options'],
): Promise<Made | Hindrance> {
  if (!isSupported()) return 'unsupported';
  const { startRegistration, WebAuthnError } = await library();
  try {
    const { id, response } = await startRegistration({ optionsJSON: options });
    const { clientDataJSON, attestationObject, transports = [] } = response;
    return { id, client_data: clientDataJSON, attestation: attestationObject, transports };
  } catch (error) {
    const isKnown = error instanceof WebAuthnError
      && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
    return isKnown ? 'exists' : 'cancelled';
  }
}

/**
 * Lets the browser sign with a passkey of this site (`navigator.credentials.get`).
 * @param autofill offers passkeys in the username field instead of asking at once
 */
export async function signWithPasskey(
  options: OutputOf<typeof beginPasskeyLogin>['options'],
  autofill: boolean,
): Promise<Answer | Hindrance> {
  if (!isSupported()) return 'unsupported';
  const { startAuthentication } = await library();
  try {
    const { id, response } = await startAuthentication({
      optionsJSON: options,
      useBrowserAutofill: autofill,
    });
    return {
      id,
      client_data: response.clientDataJSON,
      authenticator_data: response.authenticatorData,
      signature: response.signature,
      user_handle: response.userHandle ?? '',
    };
  } catch {
    return 'cancelled';
  }
}

/** Whether the browser can offer passkeys in the username field. */
export async function canAutofill(): Promise<boolean> {
  if (!isSupported()) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

/** Ends the browser's offer when its form unmounts. Without the library nothing was offered. */
export async function stopOffering(): Promise<void> {
  if (!isSupported()) return;
  (await library().catch(() => null))?.WebAuthnAbortService.cancelCeremony();
}
