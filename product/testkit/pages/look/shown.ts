import postcss, { type AtRule, type Container, type Rule } from 'postcss';

/** One rule of the pages' styles that hides or shows what its selector matches. */
interface DisplayRule {
  readonly media: readonly string[];
  readonly selector: string;
  readonly hides: boolean;
  readonly isImportant: boolean;
}

const REM_PX = 16;

/** `(width >= 40rem)` in the syntax of Media Queries 3, which the DOM's `matchMedia` reads. */
const olderSyntax = (query: string): string => query
  .replace(/\(width\s*>=\s*([^)]+)\)/gu, '(min-width: $1)')
  .replace(/\(width\s*<\s*([\d.]+)(rem|px)\)/gu, (_all, size: string, unit: string) =>
    `(max-width: ${Number(size) * (unit === 'rem' ? REM_PX : 1) - 0.02}px)`);

/** The rules of a stylesheet that set `display` or `visibility`, in their order. */
export function displayRules(css: string): readonly DisplayRule[] {
  const rules: DisplayRule[] = [];
  postcss.parse(css).walkDecls(/^(?:display|visibility)$/u, (declaration) => {
    const media: string[] = [];
    let selector = '';
    let at = declaration.parent as Container | undefined;
    for (; at && at.type !== 'root'; at = at.parent as Container | undefined) {
      if (at.type === 'rule') selector = (at as Rule).selector + selector.replaceAll('&', '');
      else if ((at as AtRule).name === 'media') media.push(olderSyntax((at as AtRule).params));
      // What depends on the size of a box has no answer without layout.
      else if ((at as AtRule).name === 'container') return;
    }
    if (selector.includes('::')) return;
    const hides = ['none', 'hidden'].includes(declaration.value);
    rules.push({ media, selector, hides, isImportant: declaration.important === true });
  });
  return rules;
}

/** What a person sees of a page: by its styles, by attributes, and by dialogs and details that are closed. */
export class Shown {
  readonly #rules: readonly DisplayRule[];

  /** @param matches whether a media query holds for the page's window */
  constructor(rules: readonly DisplayRule[], matches: (media: string) => boolean) {
    this.#rules = rules.filter(({ media }) => media.every((one) => matches(one)));
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
