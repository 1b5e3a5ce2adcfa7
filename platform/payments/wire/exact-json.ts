import { MAX_BODY_CHARACTERS } from './fields.ts';

/** Deeper than any callback; without this limit a body of brackets would overflow the stack. */
const MAX_DEPTH = 16;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// A JSON string: escapes, and anything else but quotes, backslashes and control characters.
const TEXT = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const WORD = /true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

/** An object whose scalars are unchanged: numbers keep their digits. */
export interface ExactObject {
  /** The same JSON with sorted keys and without spaces, every number as it was written. */
  readonly sorted: string;
  /** Scalars of the object itself, not of nested ones: texts unquoted, numbers as written. */
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * Reads a JSON object without turning its numbers into floats: `10.50` stays `10.50`, which a signature over
 * the sorted text requires. Null for anything that is not an object, has a key twice or is too deep.
 */
export function exactObject(text: string): ExactObject | null {
  if (text.length > MAX_BODY_CHARACTERS) return null;
  const reader = new Reader(text);
  const value = reader.value(0);
  return value?.fields && reader.isAtEnd() ? { sorted: value.sorted, fields: value.fields } : null;
}

interface Value {
  readonly sorted: string;
  /** For a scalar: its text. */
  readonly scalar: string | null;
  readonly fields: ReadonlyMap<string, string> | null;
}

const scalar = (sorted: string, plain: string): Value => ({ sorted, scalar: plain, fields: null });

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#match(SPACE);
    return this.#at === this.#text.length;
  }

  value(depth: number): Value | null {
    if (depth > MAX_DEPTH) return null;
    this.#match(SPACE);
    const sign = this.#text[this.#at];
    if (sign === '{') return this.#object(depth);
    if (sign === '[') return this.#list(depth);
    if (sign === '"') return this.#string();
    const plain = this.#match(NUMBER) ?? this.#match(WORD);
    return plain === null ? null : scalar(plain, plain);
  }

  #object(depth: number): Value | null {
    const entries = new Map<string, Value>();
    this.#at += 1;
    if (!this.#takes('}')) {
      do {
        this.#match(SPACE);
        const key = this.#string();
        if (!key || !this.#takes(':')) return null;
        const value = this.value(depth + 1);
        if (!value || entries.has(key.scalar ?? '')) return null;
        entries.set(key.scalar ?? '', value);
      } while (this.#takes(','));
      if (!this.#takes('}')) return null;
    }
    const ordered = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
    const inside = ordered.map(([key, value]) => `${JSON.stringify(key)}:${value.sorted}`).join(',');
    const scalars = [...entries].flatMap((
      [key, value],
    ) => (value.scalar === null || value.sorted === 'null' ? [] : [[key, value.scalar] as const]));
    return { sorted: `{${inside}}`, scalar: null, fields: new Map(scalars) };
  }

  #list(depth: number): Value | null {
    const items: string[] = [];
    this.#at += 1;
    if (!this.#takes(']')) {
      do {
        const value = this.value(depth + 1);
        if (!value) return null;
        items.push(value.sorted);
      } while (this.#takes(','));
      if (!this.#takes(']')) return null;
    }
    return { sorted: `[${items.join(',')}]`, scalar: null, fields: null };
  }

  #string(): Value | null {
    const quoted = this.#match(TEXT);
    if (quoted === null) return null;
    const plain = JSON.parse(quoted) as string;
    return scalar(JSON.stringify(plain), plain);
  }

  #takes(sign: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): string | null {
    const sticky = new RegExp(pattern);
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }
}
