import { systemClock } from '#platform/data/clock.ts';
import { fireEvent, queryAllByLabelText, queryAllByRole, type ByRoleOptions } from '@testing-library/dom';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import axe from 'axe-core';
import { readFileSync } from 'node:fs';
import { PAGE_STYLES, type DisplayRule } from '../../page-styles.ts';
import type { PageWindow } from '../window/window.ts';
import { looseTexts, textOf, withText } from './read-text.ts';
import { Shown } from './shown.ts';

/** How long to wait for a page, in real time. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 5;
/** Checks between two deliveries by the site. */
const LOOKS_PER_SETTLE = 8;

/** Rules whose findings axe rates moderate or minor: a third of its time, for ignored findings. */
const MODERATE_RULES = [
  'aria-allowed-role',
  'aria-deprecated-role',
  'empty-heading',
  'empty-table-header',
  'focus-order-semantics',
  'form-field-multiple-labels',
  'heading-order',
  'hidden-content',
  'html-xml-lang-mismatch',
  'image-redundant-alt',
  'landmark-banner-is-top-level',
  'landmark-contentinfo-is-top-level',
  'landmark-main-is-top-level',
  'landmark-no-duplicate-banner',
  'landmark-no-duplicate-contentinfo',
  'landmark-no-duplicate-main',
  'landmark-one-main',
  'landmark-unique',
  'meta-viewport',
  'meta-viewport-large',
  'no-autoplay-audio',
  'page-has-heading-one',
  'presentation-role-conflict',
  'region',
  'scope-attr-valid',
  'server-side-image-map',
  'skip-link',
  'table-duplicate-name',
];
const RULES_LEFT_OUT = Object.fromEntries(['color-contrast', 'target-size', ...MODERATE_RULES]
  .map((id) => [id, { enabled: false }]));

/** The accessible name of an ARIA role, as a screen reader reads it. */
type Name = string | RegExp;
/** The part of the page to search in. */
export interface Part {
  readonly in?: HTMLElement;
}

/**
 * Throws for the password of an account in a form that does not show password managers which account it is:
 * with a field for the username, or a field that contains it.
 */
function saysWhose(field: HTMLElement): void {
  if (!/^(?:current|new)-password/u.test(field.getAttribute('autocomplete') ?? '')) return;
  const names = (field as HTMLInputElement).form
    ?.querySelectorAll<HTMLInputElement>('[autocomplete~="username"]') ?? [];
  if (![...names].some(({ readOnly, value }) => !readOnly || value !== '')) {
    throw new Error('a password is asked for in a form that does not say whose it is');
  }
}

/** Looks at a page and acts on it as a person does: by role, label and text, on visible elements. */
export abstract class PageActions {
  readonly #settle: () => Promise<void>;
  #user: UserEvent | null = null;
  #shown: Shown | null = null;
  #body: HTMLElement | null = null;

  constructor(settle: () => Promise<void>) {
    this.#settle = settle;
  }

  protected startsIn(window: PageWindow): void {
    this.#body = window.document.body as unknown as HTMLElement;
    this.#user = userEvent.setup({
      document: window.document as unknown as Document,
      delay: null,
      applyAccept: false,
    });
    const rules = readFileSync(process.env[PAGE_STYLES] ?? '', 'utf8');
    this.#shown = new Shown(JSON.parse(rules) as DisplayRule[], (media) => window.matchMedia(media).matches);
  }

  /** Elements with a role that are shown now. */
  all(role: string, name?: Name, { in: part, ...options }: Part & ByRoleOptions = {}): HTMLElement[] {
    // Hidden elements are filtered out here: the DOM's computed styles do not include the pages' style sheet.
    return queryAllByRole(part ?? this.body, role, { ...options, name, hidden: true })
      .filter((element) => this.isShown(element));
  }

  /** Waits for the one element with this role and name. */
  find(role: string, name?: Name, options: Part & ByRoleOptions = {}): Promise<HTMLElement> {
    return this.until(() => theOne(this.all(role, name, options), `${role} ${String(name ?? '')}`));
  }

  /** Waits for the only field with this label. */
  field(label: Name, { in: part }: Part = {}): Promise<HTMLElement> {
    return this.until(() =>
      theOne(
        queryAllByLabelText(part ?? this.body, label)
          .filter((element) => this.isShown(element)),
        `field ${String(label)}`,
      )
    );
  }

  /**
   * Waits until a text is shown, and returns the innermost element that contains it.
   * @param text the whole text of an element, or an expression for a part of it
   */
  sees(text: Name, { in: part }: Part = {}): Promise<HTMLElement> {
    return this.until(() => {
      const [first] = this.#texts(text, part);
      if (!first) throw new Error(`nobody sees ${String(text)}`);
      return first;
    });
  }

  /** Whether a text is shown now. First wait for something that comes with the text, or instead of it. */
  shows(text: Name, { in: part }: Part = {}): boolean {
    return this.#texts(text, part).length > 0;
  }

  /**
   * Waits until a text is shown, and returns where it is not isolated from other text: {@link looseTexts}.
   */
  async loose(text: string, { in: part }: Part = {}): Promise<string[]> {
    const root = part ?? this.body;
    await this.until(() => textOf(root).includes(text));
    return looseTexts(root, text);
  }

  /** Waits until no element has this role and name; it must have been there. */
  async gone(role: string, name?: Name, options: Part & ByRoleOptions = {}): Promise<void> {
    await this.until(() => {
      if (this.all(role, name, options).length > 0) throw new Error(`${role} ${String(name)} is still there`);
    });
  }

  /** Clicks a button, or an element of another role, once it is not busy. Throws if a modal covers it. */
  async press(name: Name, options: Part & ByRoleOptions & { readonly role?: string } = {}): Promise<void> {
    const { role = 'button', ...rest } = options;
    await this.click(await this.find(role, name, rest));
  }

  /** Clicks an element that was found. */
  async click(element: HTMLElement): Promise<void> {
    await this.#reaches(element);
    await this.user.click(element);
    await pause(0);
  }

  /** Moves the pointer onto an element. */
  async hover(element: HTMLElement): Promise<void> {
    await this.#reaches(element);
    await this.user.hover(element);
    await renders();
  }

  /** Moves the pointer off an element. */
  async unhover(element: HTMLElement): Promise<void> {
    await this.user.unhover(element);
    await renders();
  }

  /** Types into a field, replacing its value. */
  async fill(label: Name, text: string, options: Part = {}): Promise<void> {
    const field = await this.field(label, options);
    await this.#reaches(field);
    saysWhose(field);
    await this.user.clear(field);
    if (text !== '') await this.user.type(field, text.replaceAll(/[{[]/gu, '$&$&'));
    await pause(0);
  }

  /** Chooses an option of a list by its text. */
  async choose(label: Name, option: string, options: Part = {}): Promise<void> {
    const field = await this.field(label, options);
    await this.#reaches(field);
    await this.user.selectOptions(field, option);
    await pause(0);
  }

  /** Picks a color, as the browser's own picker does while it is open. */
  async pick(label: Name, color: string, options: Part = {}): Promise<void> {
    const field = await this.field(label, options);
    await this.#reaches(field);
    fireEvent.input(field, { target: { value: color } });
    await pause(0);
  }

  /** Chooses files with a button, whatever types it accepts. */
  async attach(label: Name, files: readonly File[], options: Part = {}): Promise<void> {
    const field = await this.field(label, options);
    await this.#reaches(field);
    await this.user.upload(field, [...files]);
    await pause(0);
  }

  /** Presses keys in the focused element: `{Enter}`, `{Escape}`, `{Tab}`, text. */
  async keys(text: string): Promise<void> {
    await this.user.keyboard(text);
    await pause(0);
  }

  /** Moves the focus with Tab. */
  async tab(options: { readonly shift?: boolean } = {}): Promise<void> {
    await this.user.tab(options);
    await pause(0);
  }

  /** The element with the focus. */
  get focused(): HTMLElement | null {
    return this.body.ownerDocument.activeElement as HTMLElement | null;
  }

  /** Serious and critical findings of axe, without those that need layout or colors. */
  async problems(): Promise<string[]> {
    const { violations } = await axe.run(this.body, {
      resultTypes: ['violations'],
      preload: false,
      rules: RULES_LEFT_OUT,
    });
    return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }

  /** Whether an element is visible: by styles, attributes, closed dialogs and details. */
  isShown(element: Element): boolean {
    return this.#shown?.isShown(element) ?? false;
  }

  /**
   * Waits until `look` neither throws nor returns `false`; meanwhile delivers what is due on the site.
   * Throws the last error of `look` after a while.
   */
  async until<T>(look: () => T | Promise<T>): Promise<T> {
    const end = systemClock.now().getTime() + PATIENCE_MS;
    for (let looks = 0;; looks += 1) {
      try {
        const found = await look();
        if (found === false) throw new Error('what is waited for is not so');
        return found;
      } catch (error) {
        if (systemClock.now().getTime() > end) throw withPage(error, this.body);
      }
      if (looks % LOOKS_PER_SETTLE === 1) await this.#settle();
      await pause(LOOK_EVERY_MS);
    }
  }

  /** Lets the page render what it has received. */
  protected turn(): Promise<void> {
    return pause(LOOK_EVERY_MS);
  }

  protected get body(): HTMLElement {
    if (!this.#body) throw new Error('no page is open');
    return this.#body;
  }

  protected get user(): UserEvent {
    if (!this.#user) throw new Error('no page is open');
    return this.#user;
  }

  #texts(text: Name, part: HTMLElement | undefined): HTMLElement[] {
    return withText(part ?? this.body, text).filter((element) => this.isShown(element));
  }

  /** Waits until a button that is busy with the last press can be pressed again. */
  async #reaches(element: HTMLElement): Promise<void> {
    this.#mustBeReachable(element);
    await this.until(() => {
      if (!element.matches(':disabled, [aria-disabled="true"]')) return;
      throw new Error(`disabled: ${element.outerHTML.slice(0, 200)}`);
    });
    this.#mustBeReachable(element);
  }

  #mustBeReachable(element: HTMLElement): void {
    if (!this.isShown(element)) throw new Error(`not shown: ${element.outerHTML.slice(0, 200)}`);
    const modal = [...this.body.querySelectorAll('dialog[open]')].at(-1);
    if (modal && !modal.contains(element)) {
      throw new Error(`behind the dialog: ${element.outerHTML.slice(0, 200)}`);
    }
  }
}

/** Waits in real time; 0 lets React and settled promises do their work. */
const pause = (delayMs: number): Promise<void> =>
  new Promise((done) => void systemClock.after('look at a page', delayMs, done));

/** Turns that React needs at most to render a pointer event without a click, and to run its effects. */
const TURNS_TO_RENDER = 6;

/** Waits until React has rendered a pointer event, before a test advances the clock. */
async function renders(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_RENDER; turn += 1) await pause(LOOK_EVERY_MS);
}

function theOne(found: readonly HTMLElement[], what: string): HTMLElement {
  const [first, second] = found;
  if (!first) throw new Error(`nobody sees: ${what}`);
  if (second) {
    const all = found.map((element) => element.outerHTML.slice(0, 160)).join('\n');
    throw new Error(`${found.length} of: ${what}\n${all}`);
  }
  return first;
}

/** Characters of the page's text in the message of a failed search. */
const TEXT_CHARS = 1_500;

function withPage(error: unknown, body: HTMLElement): unknown {
  if (error instanceof Error) {
    error.message += `\nThe page reads: ${textOf(body).slice(0, TEXT_CHARS)}`;
  }
  return error;
}
