import type { AnyEvent } from '#platform/contract/event.ts';
import { encodeFrame } from '#platform/contract/sockets/frame.ts';
import {
  events as eventsEvent,
  templates as templatesEvent,
  type TemplateFieldView,
  type TemplateView,
} from '#platform/contract/sockets/lobby.ts';
import { pack } from '#platform/contract/sockets/templates.ts';
import { MAX_TEMPLATE_FIELDS, MAX_TEMPLATES } from '#platform/contract/sockets/wire.ts';
import { z } from 'zod';

/** The encoding of a socket: plain, or compressed if it asked for templates. */
export type Encoding = 'plain' | 'compressed';

/** The part of an event's JSON schema that is used. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
}

/** The shape of an event's payload on the wire. */
export const shapeOf = (shape: z.ZodType): Shape =>
  z.toJSONSchema(shape, { io: 'output', unrepresentable: 'any' }) as Shape;

type Default = TemplateFieldView['default'];
const isSimple = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

const DEFAULT_OF_TYPE: Readonly<Record<string, Default>> = {
  null: null,
  boolean: false,
  integer: 0,
  number: 0,
  string: '',
  array: [],
};

/**
 * The most likely value of a field: null if it is nullable, else its first possible value, false, 0 or empty.
 */
function defaultOf({ type, anyOf, ...shape }: Shape): Default {
  const types = [type ?? [], ...(anyOf ?? []).map((item) => item.type ?? [])].flat();
  if (types.includes('null')) return null;
  const first: unknown = shape.const ?? shape.enum?.[0];
  if (first !== undefined) return isSimple(first) ? first : undefined;
  return types.length === 1 ? DEFAULT_OF_TYPE[types[0] as string] : undefined;
}

/** A shape without its null alternative. */
const present = (shape: Shape): Shape => {
  const others = shape.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return others.length === 1 ? others[0] as Shape : shape;
};

/** Makes templates from the shapes of events: fields in their order, nested objects as rows. */
class TemplateMaker {
  readonly made: TemplateView[] = [];
  readonly #ids = new Map<string, number>();

  /** The template's id; null for a shape that can have none. Equal shapes share a template. */
  templateOf(shape: Shape): number | null {
    const named = Object.entries(shape.properties ?? {});
    if (named.length === 0 || named.length > MAX_TEMPLATE_FIELDS) return null;
    const key = JSON.stringify([shape.properties, shape.required]);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const fields = named.map(([name, field]) =>
      this.#fieldOf(name, field, shape.required?.includes(name) ?? false)
    );
    const id = this.made.length + 1;
    this.#ids.set(key, id);
    this.made.push({ id, fields });
    return id;
  }

  #fieldOf(name: string, shape: Shape, isRequired: boolean): TemplateFieldView {
    const inner = present(shape);
    const row = this.templateOf(inner);
    const rows = inner.items ? this.templateOf(inner.items) : null;
    const unsaid = isRequired ? defaultOf(shape) : undefined;
    return {
      name,
      ...(unsaid === undefined ? {} : { default: unsaid }),
      ...(row === null ? {} : { row }),
      ...(rows === null ? {} : { rows }),
    };
  }
}

/** The frames of one gateway: which events have a template, and how a message looks in each encoding. */
export class Encodings {
  readonly #templates: ReadonlyMap<number, readonly TemplateFieldView[]>;
  readonly #ids = new Map<string, number>();
  readonly #introduction: string[] = [];

  /** @param frequent events sent so often that their templates are worth sending to every room socket */
  constructor(frequent: readonly AnyEvent[]) {
    const maker = new TemplateMaker();
    for (const { name, shape } of frequent) {
      const id = maker.templateOf(shapeOf(shape));
      if (id === null || [...this.#ids.values()].includes(id)) {
        throw new Error(`socket event ${name} cannot have a template of its own`);
      }
      this.#ids.set(name, id);
    }
    const { made } = maker;
    if (made.length > MAX_TEMPLATES) throw new Error(`${made.length} templates are more than clients keep`);
    this.#templates = new Map(made.map(({ id, fields }) => [id, fields]));
    if (made.length === 0) return;
    const list = [...this.#ids].map(([name, id]) => ({ id, name }));
    this.#introduction.push(
      encodeFrame(templatesEvent.name, { templates: made }),
      encodeFrame(eventsEvent.name, { events: list }),
    );
  }

  /** The first frames for a socket that asked for templates: the templates and the events list. */
  introduction(): readonly string[] {
    return this.#introduction;
  }

  /** Text of one frame. A message without a template, or that does not fit it, is plain in both encodings. */
  text(encoding: Encoding, name: string, payload: unknown, seq: number | null = null): string {
    const id = encoding === 'compressed' ? this.#ids.get(name) : undefined;
    const packed = id === undefined ? null : pack(payload, id, this.#templates);
    if (!packed) return encodeFrame(name, payload, seq);
    const body: unknown[] = [id, packed.values, packed.mask];
    if (seq !== null) body.push(seq);
    return JSON.stringify(body);
  }
}
