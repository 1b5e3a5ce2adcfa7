import type { DisplayRule } from '../../page-styles.ts';

/** What is visible of a page: by its styles, by attributes, and by closed dialogs and details. */
export class Shown {
  readonly #rules: readonly DisplayRule[];

  /** @param matches whether a media query holds for the page's window */
  constructor(rules: readonly DisplayRule[], matches: (media: string) => boolean) {
    this.#rules = rules.filter(({ media }) => media.every((text) => matches(text)));
  }

  isShown(element: Element): boolean {
    for (let at: Element | null = element; at; at = at.parentElement) {
      if (this.#isHidden(at)) return false;
    }
    return element.isConnected;
  }

  #isHidden(element: Element): boolean {
    const tag = element.tagName;
    if (element.hasAttribute('hidden') || element.hasAttribute('inert')) return true;
    if (element.getAttribute('aria-hidden') === 'true') return true;
    if (tag === 'DIALOG' && !element.hasAttribute('open')) return true;
    const parent = element.parentElement;
    if (parent?.tagName === 'DETAILS' && !parent.hasAttribute('open') && tag !== 'SUMMARY') return true;
    const style = (element as HTMLElement).style;
    if (style?.display === 'none' || style?.visibility === 'hidden') return true;
    let hides = false;
    let isImportant = false;
    for (const rule of this.#rules) {
      if (isImportant && !rule.isImportant) continue;
      if (!matches(element, rule.selector)) continue;
      ({ hides } = rule);
      isImportant = rule.isImportant;
    }
    return hides;
  }
}

/** A selector the DOM does not know matches nothing. */
function matches(element: Element, selector: string): boolean {
  try {
    return element.matches(selector);
  } catch {
    return false;
  }
}
