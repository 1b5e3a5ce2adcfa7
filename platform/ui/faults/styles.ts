import { raiseFault } from './faults.ts';

/** A style sheet could not be loaded (spec 3 §8). */
class StyleFailed extends Error {
  constructor(href: string) {
    super(`Loading CSS chunk ${new URL(href, location.href).pathname} failed`);
    this.name = 'CSSChunkLoadError';
  }
}

const report = ({ href }: HTMLLinkElement): void =>
  raiseFault({ kind: 'part', error: new StyleFailed(href) });

/** Raises a fault for each style sheet that did not load, or does not; returns what ends that. */
export function watchStyles(): () => void {
  const failed = ({ target }: Event): void => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') report(target);
  };
  // Those of the document are there before any script, or will never be.
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) {
    if (link.href !== '' && !link.sheet && document.readyState === 'complete') report(link);
  }
  document.addEventListener('error', failed, true);
  return () => document.removeEventListener('error', failed, true);
}
