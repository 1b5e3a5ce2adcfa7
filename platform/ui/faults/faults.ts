/** Faults of a page other than crashes, which support may want to know about. */
export type Fault =
  /** A part or style of the interface did not load. */
  | { readonly kind: 'part'; readonly error: Error }
  | { readonly kind: 'toast'; readonly appearance: string; readonly title: string; readonly content: string }
  | { readonly kind: 'note'; readonly text: string }
  /** The site now runs another version than this page. */
  | { readonly kind: 'version'; readonly version: string };

/** The window event of a fault: code that raises one need not know who reports it. */
const EVENT = 'pagefault';

export const raiseFault = (fault: Fault): void => {
  window.dispatchEvent(new CustomEvent(EVENT, { detail: fault }));
};

/** Calls `listener` for each fault from now on; returns a function that stops it. */
export function onFault(listener: (fault: Fault) => void): () => void {
  const take = (event: Event): void => listener((event as CustomEvent<Fault>).detail);
  window.addEventListener(EVENT, take);
  return () => window.removeEventListener(EVENT, take);
}
