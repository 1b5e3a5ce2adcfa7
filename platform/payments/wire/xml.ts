/** The most elements; answers of gateways have a few hundred. */
const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 8;
const DECLARATION = /^\s*<\?xml[^>]*\?>/;
const OPEN = /\s*<([A-Za-z][\w.-]*)\s*>/y;
const EMPTY = /\s*<([A-Za-z][\w.-]*)\s*\/>/y;
const CONTENT = /[^<]*/y;
const SPACE = /\s*/y;

/** An element that contains either elements or text. */
export interface Element {
  readonly name: string;
  readonly text: string;
  readonly children: readonly Element[];
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: '\'' };

/**
 * Decodes the five entities of XML and character references; null for any other, which would require a DTD.
 */
function plain(content: string): string | null {
  let isKnown = true;
  const text = content.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));|&/g,
    (_all, decimal, hex, name) => {
      const code = typeof decimal === 'string'
        ? Number(decimal)
        : typeof hex === 'string'
        ? Number.parseInt(hex, 16)
        : -1;
      const sign = code >= 0 && code <= 0x10_ffff
        ? String.fromCodePoint(code)
        : typeof name === 'string' && Object.hasOwn(NAMED, name)
        ? NAMED[name]
        : undefined;
      if (sign === undefined) isKnown = false;
      return sign ?? '';
    },
  );
  return isKnown ? text : null;
}

const escapedText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** One element with text elements in it, as requests to gateways are. */
export const xmlOf = (name: string, fields: Readonly<Record<string, string>>): string =>
  `<?xml version="1.0" encoding="UTF-8"?><${name}>${
    Object.entries(fields).map(([key, value]) => `<${key}>${escapedText(value)}</${key}>`).join('')
  }</${name}>`;

/**
 * The root of a document of elements and text. Gateways write no attributes, comments, CDATA or DTD, so a
 * document with any of these is not theirs: null, as for everything that is not well-formed. Never throws.
 */
export function xmlRoot(text: string): Element | null {
  const body = text.replace(DECLARATION, '');
  const reader = new Reader(body);
  const root = reader.element(0);
  return root && reader.isAtEnd() ? root : null;
}

/** The children of an element as fields; null when a name occurs twice. */
export function xmlFields(element: Element): ReadonlyMap<string, string> | null {
  const fields = new Map(element.children.map(({ name, text }) => [name, text]));
  return fields.size === element.children.length ? fields : null;
}

class Reader {
  readonly #text: string;
  #at = 0;
  #count = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#match(SPACE);
    return this.#at === this.#text.length;
  }

  element(depth: number): Element | null {
    this.#count += 1;
    if (depth > MAX_DEPTH || this.#count > MAX_ELEMENTS) return null;
    const empty = this.#match(EMPTY)?.[1];
    if (empty !== undefined) return { name: empty, text: '', children: [] };
    const name = this.#match(OPEN)?.[1];
    if (name === undefined) return null;
    const text = plain(this.#match(CONTENT)?.[0] ?? '');
    if (text === null) return null;
    const children: Element[] = [];
    while (!this.#text.startsWith('</', this.#at)) {
      // Text beside elements is layout, or no answer of a gateway.
      const child = text.trim() === '' ? this.element(depth + 1) : null;
      if (!child) return null;
      children.push(child);
      this.#match(SPACE);
    }
    const close = `</${name}>`;
    if (!this.#text.startsWith(close, this.#at)) return null;
    this.#at += close.length;
    return { name, text: children.length > 0 ? '' : text, children };
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    const sticky = new RegExp(pattern);
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text);
    if (found) this.#at += found[0].length;
    return found;
  }
}
