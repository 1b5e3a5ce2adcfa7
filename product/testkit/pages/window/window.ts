import { Window } from 'happy-dom';

/** Names of the DOM that page code reads as globals. If Node has a name too (URL, fetch), Node's stays. */
const OWN = [
  'addEventListener',
  'removeEventListener',
  'dispatchEvent',
  'getComputedStyle',
  'getSelection',
  'matchMedia',
  'requestAnimationFrame',
  'cancelAnimationFrame',
  'scrollTo',
  'innerWidth',
  'innerHeight',
  'document',
  'history',
  'location',
  'localStorage',
  'sessionStorage',
  'CSS',
  'customElements',
] as const;
const CLASSES = new RegExp(
  '^(?:[A-Z]\\w*Element|Element|Node|NodeList|NodeFilter|Document|'
    + 'DocumentFragment|ShadowRoot|Text|Comment|Range|Selection|\\w*Observer|Event|\\w+Event|FormData|'
    + 'DataTransfer|File|FileList|FileReader|DOMRect|MediaStream|XMLSerializer|DOMParser)$',
  'u',
);

/** The window of a page, as far as this file and `open-page` use it. */
export type PageWindow = InstanceType<typeof Window>;

/**
 * Makes the DOM's names global in this worker, once: React and the component library retain the window they
 * were loaded with. All pages use it, one after another.
 */
export function installWindow(): PageWindow {
  const holder = globalThis as typeof globalThis & { pageWindow?: PageWindow };
  if (holder.pageWindow) return holder.pageWindow;
  const window = new Window({
    url: 'http://localhost/',
    settings: {
      navigation: { disableMainFrameNavigation: true, disableChildPageNavigation: true },
      handleDisabledFileLoadingAsSuccess: true,
    },
  });
  const own = window as unknown as Record<string, unknown>;
  const classes = Object.getOwnPropertyNames(window).filter((name) => CLASSES.test(name));
  for (const name of [...OWN, ...classes]) {
    const value = own[name];
    const isMethod = typeof value === 'function' && /^[a-z]/u.test(name);
    define(name, isMethod ? () => (value as (...given: unknown[]) => unknown).bind(window) : () => own[name]);
  }
  define('window', () => window);
  define('self', () => window);
  define('navigator', () => window.navigator);
  window.document.addEventListener('keydown', escapeClosesDialog);
  holder.pageWindow = window;
  return window;
}

/**
 * Browser behavior that happy-dom lacks: Escape asks the topmost open dialog to close (HTML, close
 * requests).
 */
function escapeClosesDialog(event: { readonly defaultPrevented: boolean }): void {
  if ((event as unknown as KeyboardEvent).key !== 'Escape' || event.defaultPrevented) return;
  const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')].at(-1);
  if (dialog?.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close();
}

const define = (name: string, get: () => unknown): void => {
  let replaced: { readonly value: unknown } | null = null;
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: true,
    get: () => (replaced ? replaced.value : get()),
    set: (value: unknown) => {
      replaced = { value };
    },
  });
};
