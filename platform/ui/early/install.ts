import { useSyncExternalStore } from 'react';

/** The browser's offer to install the site (Manifest Incubations, BeforeInstallPromptEvent). */
interface InstallOffer extends Event {
  readonly prompt: () => Promise<unknown>;
}
declare global {
  /** The offer, possibly made before any other script ran; null once it was accepted. */
  var installOffer: InstallOffer | null | undefined;
}
const OFFERED = 'installoffer';

/** Runs before everything else in a document: the browser makes the offer once, so it is stored for later. */
export const KEEP_INSTALL_OFFER = 'addEventListener("beforeinstallprompt",(e)=>{e.preventDefault();'
  + `globalThis.installOffer=e;dispatchEvent(new Event("${OFFERED}"))});`;

const watch = (changed: () => void): () => void => {
  window.addEventListener(OFFERED, changed);
  return () => window.removeEventListener(OFFERED, changed);
};

function install(): void {
  const offer = globalThis.installOffer;
  globalThis.installOffer = null;
  window.dispatchEvent(new Event(OFFERED));
  void offer?.prompt();
}

/** Installs the site; null when the browser offers nothing or the site is already installed. */
export function useInstall(): (() => void) | null {
  const isOffered = useSyncExternalStore(watch, () => Boolean(globalThis.installOffer), () => false);
  return isOffered ? install : null;
}
