/** Elements whose text nobody reads: they do not exist for screen readers. */
const UNREAD = '[aria-hidden="true"], [hidden], [inert], dialog:not([open]), script, style';

/** Elements that a screen reader reads apart from their neighbors. */
const BLOCKS = new Set(('ADDRESS ARTICLE BUTTON DD DIALOG DIV DL DT FIELDSET FOOTER FORM H1 H2 H3 H4 H5 H6 '
  + 'HEADER LABEL LEGEND LI MAIN NAV OL P SECTION TABLE TD TH TR UL').split(' '));

/** The text of an element as a screen reader reads it, with single spaces. */
export const textOf = (element: Element): string => gather(element).replaceAll(/\s+/gu, ' ').trim();

function gather(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return node.nodeValue ?? '';
  if (node.nodeType !== Node.ELEMENT_NODE || (node as Element).matches(UNREAD)) return '';
  const text = [...node.childNodes].map(gather).join('');
  return BLOCKS.has((node as Element).tagName) ? ` ${text} ` : text;
}

/** The innermost elements below `root` with a text: all of it, or a part that an expression matches. */
export function withText(root: Element, text: string | RegExp): HTMLElement[] {
  const matches = (element: Element): boolean => {
    const own = textOf(element);
    return typeof text === 'string' ? own === text : text.test(own);
  };
  const innermost = (element: Element): Element[] => {
    if (element.matches(UNREAD)) return [];
    const inner = [...element.children].flatMap(innermost);
    return inner.length > 0 ? inner : matches(element) ? [element] : [];
  };
  return innermost(root) as HTMLElement[];
}

/** An isolated text in a sentence: from U+2068 to U+2069. */
const ISOLATED = /\u2068[^\u2069]*\u2069/gu;
/** Attributes that are read or shown. */
const READ_ATTRIBUTES = ['alt', 'aria-label', 'aria-valuetext', 'placeholder', 'title'];

/**
 * Places where `root` shows or reads a text beside other text without isolating it, as HTML: an Arabic name
 * there reverses the numbers beside it. An attribute that is only the text has nothing beside it.
 */
export function looseTexts(root: Element, text: string): string[] {
  const isLoose = (said: string): boolean => said.replaceAll(ISOLATED, '').includes(text);
  return [...root.querySelectorAll('*')].filter((element) => !element.matches('script, style, textarea'))
    .flatMap((element) => {
      const hasText = !element.closest('bdi, [dir="auto"]') && [...element.childNodes]
        .some((node) => node.nodeType === Node.TEXT_NODE && isLoose(node.nodeValue ?? ''));
      const attributes = READ_ATTRIBUTES.map((name) => element.getAttribute(name) ?? '');
      return hasText || attributes.some((said) => said !== text && isLoose(said))
        ? [element.outerHTML.slice(0, LOOSE_CHARS)]
        : [];
    });
}

const LOOSE_CHARS = 240;
