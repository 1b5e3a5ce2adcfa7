import { isSeq, messageArray, plainFrame, type Frame } from './frame.ts';
import type { TemplateFieldView, TemplateView } from './lobby.ts';
import { MAX_TEMPLATE_FIELDS, MAX_TEMPLATES } from './wire.ts';

/**
 * Template-compressed frames (spec 3 §5): `[id, values, bitmask]` and, in a topic's log,
 * `[id, values, bitmask, seq]`. Bit `i` of the bitmask says that field `i` of the template is among the
 * values, which are in the order of the fields; every other field has its default, or is left out if it has
 * none. An object in the place of a row is `[bitmask, …values]` of the row's template.
 *
 * A message that a template cannot express exactly (a field it does not know, a missing field that has a
 * default) is sent plain, so that both encodings always mean the same.
 */
export interface Packed {
  readonly values: readonly unknown[];
  readonly mask: number;
}

type Fields = readonly TemplateFieldView[];
type Templates = ReadonlyMap<number, Fields>;

/** 53 bits exceed the 32-bit operators, so bits are computed as powers of two. */
const bitAt = (at: number): number => 2 ** at;
const hasBit = (mask: number, at: number): boolean => Math.floor(mask / bitAt(at)) % 2 === 1;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDefault = (field: TemplateFieldView, value: unknown): boolean =>
  field.default !== undefined
  && (value === field.default
    || (Array.isArray(field.default) && Array.isArray(value) && value.length === 0));

/** Values and bitmask of a payload; null when the template cannot express it exactly. */
export function pack(payload: unknown, id: number, templates: Templates): Packed | null {
  const fields = templates.get(id);
  if (!fields || !isRecord(payload)) return null;
  const values: unknown[] = [];
  let mask = 0;
  let said = 0;
  for (const [at, field] of fields.entries()) {
    const value = Object.hasOwn(payload, field.name) ? payload[field.name] : undefined;
    if (value === undefined) {
      if (field.default !== undefined) return null;
      continue;
    }
    said += 1;
    if (isDefault(field, value)) continue;
    const packed = packValue(value, field, templates);
    if (packed === undefined) return null;
    values.push(packed);
    mask += bitAt(at);
  }
  const named = Object.values(payload).filter((value) => value !== undefined).length;
  return said === named ? { values, mask } : null;
}

/** A field's value on the wire; undefined when its row cannot be expressed. */
function packValue(value: unknown, { row, rows }: TemplateFieldView, templates: Templates): unknown {
  if (row !== undefined) return packRow(value, row, templates);
  if (rows === undefined) return value;
  if (!Array.isArray(value)) return undefined;
  const packed = value.map((item) => packRow(item, rows, templates));
  return packed.includes(undefined) ? undefined : packed;
}

function packRow(value: unknown, id: number, templates: Templates): readonly unknown[] | undefined {
  const packed = pack(value, id, templates);
  return packed ? [packed.mask, ...packed.values] : undefined;
}

/** The payload for values and bitmask; null when they do not fit the template. Never throws. */
function unpack(values: unknown, mask: unknown, id: number, templates: Templates): unknown {
  const fields = templates.get(id);
  if (!fields || !Array.isArray(values) || !Number.isSafeInteger(mask)) return null;
  const bits = mask as number;
  if (bits < 0 || bits >= bitAt(fields.length)) return null;
  const entries: [string, unknown][] = [];
  let next = 0;
  for (const [at, field] of fields.entries()) {
    if (!hasBit(bits, at)) {
      const { default: unsaid } = field;
      if (unsaid !== undefined) entries.push([field.name, Array.isArray(unsaid) ? [] : unsaid]);
      continue;
    }
    if (next >= values.length) return null;
    const value = unpackValue(values[next] as unknown, field, templates);
    if (value === undefined) return null;
    entries.push([field.name, value]);
    next += 1;
  }
  // Built from entries, so that no field name reaches a prototype.
  return next === values.length ? Object.fromEntries(entries) : null;
}

function unpackValue(value: unknown, { row, rows }: TemplateFieldView, templates: Templates): unknown {
  if (row !== undefined) return unpackRow(value, row, templates);
  if (rows === undefined) return value;
  if (!Array.isArray(value)) return undefined;
  const made = value.map((item) => unpackRow(item, rows, templates));
  return made.includes(undefined) ? undefined : made;
}

function unpackRow(value: unknown, id: number, templates: Templates): unknown {
  if (!Array.isArray(value)) return undefined;
  return unpack(value.slice(1), value[0], id, templates) ?? undefined;
}

/** A message as read: a frame, a frame with an unknown event id, or a malformed one. */
export type Reading = { readonly frame: Frame } | { readonly error: 'unknownId' | 'malformed' };

const MALFORMED: Reading = { error: 'malformed' };

/** The templates and event names that one socket received, for reading its messages. */
export class TemplateBook {
  readonly #templates = new Map<number, Fields>();
  readonly #events = new Map<number, string>();

  /** Adds or replaces templates; ignores those beyond the limits. */
  learnTemplates(received: readonly TemplateView[]): void {
    for (const { id, fields } of received) {
      const fits = this.#templates.has(id) || this.#templates.size < MAX_TEMPLATES;
      if (fits && fields.length <= MAX_TEMPLATE_FIELDS) this.#templates.set(id, fields);
    }
  }

  /** Adds or renames events; ignores those beyond the limit. */
  learnEvents(received: readonly { readonly id: number; readonly name: string }[]): void {
    for (const { id, name } of received) {
      if (this.#events.has(id) || this.#events.size < MAX_TEMPLATES) this.#events.set(id, name);
    }
  }

  /** Reads one message in either encoding. Never throws. */
  read(text: string): Reading {
    const message = messageArray(text);
    if (!message) return MALFORMED;
    const [id, values, mask, seq = null] = message;
    if (typeof id !== 'number') {
      const frame = plainFrame(message);
      return frame ? { frame } : MALFORMED;
    }
    const name = this.#events.get(id);
    if (name === undefined) return { error: 'unknownId' };
    if (message.length > 4 || !isSeq(seq)) return MALFORMED;
    const payload = unpack(values, mask, id, this.#templates);
    return payload === null ? MALFORMED : { frame: { name, payload, seq } };
  }
}
