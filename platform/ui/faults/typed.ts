/** Fields with a person's own text; secrets and card details have to be typed again. */
const FIELD = 'textarea, input:not([type=password], [type=hidden], [type=file], [type=checkbox], '
  + '[type=radio], [type=range], [type=button], [type=submit], [type=search], [autocomplete^=cc-], '
  + '[autocomplete*=password], [autocomplete=one-time-code])';

const STORED = 'typed';
/** More fields than any form has. */
const MAX_FIELDS = 30;
/** The length of a long message; longer texts are not worth the storage of the tab. */
const MAX_TEXT_LENGTH = 10_000;
/** Texts older than this are not restored. */
const VALID_MS = 10 * 60_000;
/** How long a page that loads is watched for fields to restore. */
const WATCH_MS = 15_000;

type Field = HTMLInputElement | HTMLTextAreaElement;
interface Typed {
  readonly path: string;
  readonly at: number;
  readonly values: readonly (readonly [string, string])[];
}

const isField = (element: unknown): element is Field =>
  element instanceof HTMLElement && element.matches(FIELD) && !element.closest('[data-private]');

/** Names a field on its page: its name in its form, or its label. */
const keyOf = (field: Field): string =>
  [
    field.form?.getAttribute('aria-label') ?? '',
    field.name || field.getAttribute('aria-label')
    || (field.labels?.[0]?.textContent ?? '').trim(),
  ].join('/');

/**
 * Remembers what is typed into the fields of this page, in memory: nothing is stored until it is asked for.
 * Submitting a form forgets its fields.
 */
class TypedText {
  readonly #values = new Map<Field, { readonly path: string; readonly key: string; text: string }>();

  /** Starts watching; returns a function that stops it. */
  watch(): () => void {
    const remember = ({ target }: Event): void => this.#remember(target);
    const forget = ({ target }: Event): void => {
      for (const field of this.#values.keys()) if (field.form === target) this.#values.delete(field);
    };
    document.addEventListener('input', remember, true);
    document.addEventListener('submit', forget, true);
    return () => {
      document.removeEventListener('input', remember, true);
      document.removeEventListener('submit', forget, true);
    };
  }

  #remember(target: EventTarget | null): void {
    // Closed fields are of no interest any more: only those that a crash removes are worth restoring.
    for (const field of this.#values.keys()) if (!field.isConnected) this.#values.delete(field);
    if (!isField(target)) return;
    const key = keyOf(target);
    if (key === '/') return;
    if (!this.#values.has(target) && this.#values.size >= MAX_FIELDS) return;
    this.#values.set(target, {
      path: location.pathname,
      key,
      text: target.value.slice(0, MAX_TEXT_LENGTH),
    });
  }

  /** Stores what was typed on this page in the tab, to restore it when the page loads again. */
  save(now: number): void {
    const { pathname: path } = location;
    const values = [...this.#values.values()]
      .filter((item) => item.path === path && item.text !== '').map(({ key, text }) => [key, text] as const);
    const typed: Typed = { path, at: now, values };
    if (values.length > 0) sessionStorage.setItem(STORED, JSON.stringify(typed));
  }
}

/** Takes what was stored for this page; a second call finds nothing. */
function takeStored(now: number): Map<string, string> {
  const stored = sessionStorage.getItem(STORED);
  sessionStorage.removeItem(STORED);
  if (stored === null) return new Map();
  const { path, at, values } = JSON.parse(stored) as Typed;
  return path === location.pathname && now - at < VALID_MS ? new Map(values) : new Map<string, string>();
}

/** Sets the text as if a person typed it, so that listeners of the field notice. */
function type(field: Field, text: string): void {
  const prototype = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(prototype.prototype, 'value')?.set?.call(field, text);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Fills the fields of this page, as they appear, with what was typed before the page was loaded again. */
export function restoreTyped(now: number): void {
  const values = takeStored(now);
  if (values.size === 0) return;
  const fill = (): void => {
    for (const field of document.querySelectorAll<Field>(FIELD)) {
      const key = keyOf(field);
      const text = values.get(key);
      if (text === undefined || !isField(field)) continue;
      values.delete(key);
      type(field, text);
    }
    if (values.size === 0) stop();
  };
  const observer = new MutationObserver(fill);
  const timer = setTimeout(() => stop(), WATCH_MS);
  const stop = (): void => {
    observer.disconnect();
    clearTimeout(timer);
  };
  observer.observe(document.body, { childList: true, subtree: true });
  fill();
}

const SAVE = 'savetyped';

/**
 * Stores what was typed on this page before the page is loaded again: after a crash, or for a new version.
 */
export const saveTyped = (): void => void window.dispatchEvent(new Event(SAVE));

/**
 * Remembers what is typed from now on, for {@link saveTyped}; returns a function that stops it.
 * @param now the server's time, in ms since 1970: the reloaded page uses the same clock
 */
export function watchTyped(now: () => number): () => void {
  const typed = new TypedText();
  const end = typed.watch();
  const save = (): void => typed.save(now());
  window.addEventListener(SAVE, save);
  return () => {
    window.removeEventListener(SAVE, save);
    end();
  };
}
