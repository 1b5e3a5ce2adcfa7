import { raiseFault } from './faults.ts';

declare global {
  /** Addresses of style sheets that failed to load before any code of the page was watching. */
  var failedStyles: string[] | undefined;
}

/**
 * Runs before everything else in a document: the page's own style sheet can fail before any of its code runs.
 */
export const KEEP_FAILED_STYLES = 'addEventListener("error",({target:t})=>{if(t.rel==="stylesheet")'
  + '(globalThis.failedStyles??=[]).push(t.href)},true);';

/** A style sheet could not be loaded (spec 3 §8). */
class StyleFailed extends Error {
  constructor(href: string) {
    super(`Loading CSS chunk ${new URL(href, location.href).pathname} failed`);
    this.name = 'CSSChunkLoadError';
  }
}

const report = (href: string): void => raiseFault({ kind: 'part', error: new StyleFailed(href) });

/** Raises a fault for each style sheet that failed or fails to load; returns a function that stops it. */
export function watchStyles(): () => void {
  const failed = ({ target }: Event): void => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') report(target.href);
  };
  for (const href of globalThis.failedStyles?.splice(0) ?? []) report(href);
  document.addEventListener('error', failed, true);
  return () => document.removeEventListener('error', failed, true);
}
