import { pathFields, type AnyCall } from '#platform/contract/call.ts';
import { UNKNOWN_FIELD, WITH_INPUT, type ShapeIssue } from '#platform/text/issues.ts';
import { unstorablePaths } from '#platform/text/stored-text.ts';
import fastJsonStringify from 'fast-json-stringify';
import { z } from 'zod';

/** Issues reported at once; a hostile body could have thousands. */
const MAX_ISSUES = 20;

/** The subset of JSON schema that contracts use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

export type Parsed =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly issues: readonly ShapeIssue[] };

/** The raw parts of a request, before anything is checked. */
export interface RawInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The primitive types that a field accepts, including those of its literals and unions. */
function typesOf(schema: JsonSchema | undefined): ReadonlySet<string> {
  if (!schema) return new Set();
  const own = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const literals = [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])].map(
    (item) => typeof item,
  );
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return new Set([...own, ...literals, ...inner.flatMap((item) => [...typesOf(item)])]);
}

/**
 * Addresses carry only text: compiles a function that converts it to the type of the field. Values that do
 * not fit are left to the parser.
 */
function coercion(schema: JsonSchema | undefined): (value: unknown) => unknown {
  const types = typesOf(schema);
  if (types.has('array') && schema?.items) {
    const one = coercion(schema.items);
    return (value) => (Array.isArray(value) ? value : [value]).map((item) => one(item));
  }
  if (types.has('string')) return (value) => value;
  const isNumber = types.has('integer') || types.has('number');
  const isBoolean = types.has('boolean');
  return (value) => {
    if (typeof value !== 'string') return value;
    if (isNumber && /^-?\d{1,16}(\.\d{1,16})?$/u.test(value)) return Number(value);
    return isBoolean && (value === 'true' || value === 'false') ? value === 'true' : value;
  };
}

/** The fields of a shape as JSON schema; none if it is not an object. */
export const jsonFields = (shape: z.ZodType, io: 'input' | 'output'): Readonly<Record<string, unknown>> =>
  (z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as JsonSchema).properties ?? {};

type Path = readonly PropertyKey[];

/** Whether a shape lists all fields of an object: records and loose objects accept any. */
const isClosed = ({ properties, additionalProperties: more, $ref }: JsonSchema): boolean =>
  $ref === undefined && properties !== undefined && (more === undefined || more === false);

/** Whether an object or a list could match an alternative. */
const mayFit = ({ type, const: literal, enum: literals }: JsonSchema, value: object): boolean =>
  literal === undefined && literals === undefined
  && (type === undefined || [type].flat().includes(Array.isArray(value) ? 'array' : 'object'));

/** Paths of the fields that a shape does not name, at any depth. Among alternatives the best fit counts. */
function unnamed(schema: JsonSchema, value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    return choices.filter((choice) => mayFit(choice, value)).map((choice) => unnamed(choice, value, path))
      .toSorted((a, b) => a.length - b.length)[0] ?? [];
  }
  if (schema.allOf) {
    // A field that one part names is named.
    const parts = schema.allOf.map(
      (item) => new Map(unnamed(item, value, path).map((at) => [at.join('.'), at])),
    );
    return [...(parts[0] ?? new Map<string, Path>())]
      .flatMap(([key, at]) => (parts.every((part) => part.has(key)) ? [at] : []));
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, nth) => unnamed(items, item, [...path, nth])) : [];
  }
  if (!schema.properties) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const field = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    if (field) return unnamed(field, one, [...path, name]);
    return isClosed(schema) ? [[...path, name]] : [];
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Caches the result of compiling a call for the whole process, however many hosts use it. */
function once<T>(compile: (call: AnyCall) => T): (call: AnyCall) => T {
  const compiled = new WeakMap<AnyCall, T>();
  return (call) => {
    const known = compiled.get(call) ?? compile(call);
    compiled.set(call, known);
    return known;
  };
}

/**
 * Compiles how a call's path parameters, query and body become one flat input. Path parameters win over
 * fields of the same name. Unknown fields in a body are refused by name, because a client's mistake would
 * otherwise be ignored silently. Unknown fields in a query are dropped, because other programs add their own.
 * Query fields count for GET, DELETE, OPTIONS and media calls only.
 */
export const compileInput = once((call: AnyCall): (raw: RawInput) => Parsed => {
  const schema = z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const inAddress = new Set(pathFields(call.path));
  const hasJsonBody = !call.media && (call.method === 'POST' || call.method === 'PATCH');
  const coercions = new Map(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, coercion(field)]),
  );
  const fromAddress = (source: Readonly<Record<string, unknown>>): [string, unknown][] =>
    Object.entries(source).map(([given, value]) => {
      const name = given === '*' ? 'path' : given;
      return [name, coercions.get(name)?.(value) ?? value];
    });

  return ({ params, query, body }) => {
    if (hasJsonBody && !isRecord(body)) {
      return { ok: false, issues: [{ code: 'invalid_type', expected: 'object', path: [], input: body }] };
    }
    const fields = hasJsonBody ? Object.entries(body as Record<string, unknown>) : fromAddress(query);
    if (call.media) fields.push(['body', body]);
    const own = fields.filter(([name]) => !inAddress.has(name));
    const flat = Object.fromEntries([...own, ...fromAddress(params)]);
    return hasJsonBody
      ? withUnnamed(parseInput(call, flat), unnamed(schema, Object.fromEntries(own)))
      : parseInput(call, flat);
  };
});

/** A result with an issue for each unknown field. */
function withUnnamed(parsed: Parsed, paths: readonly Path[]): Parsed {
  if (paths.length === 0) return parsed;
  const issues = [
    ...paths.map((path) => ({ code: UNKNOWN_FIELD, path })),
    ...(parsed.ok ? [] : parsed.issues),
  ];
  return { ok: false, issues: issues.slice(0, MAX_ISSUES) };
}

/**
 * Checks an input that is already flat, as in-process calls have it. Every text of every input is checked
 * here: one that the database cannot store is refused, whatever its field allows.
 */
export function parseInput(call: AnyCall, flat: unknown): Parsed {
  const unstorable = unstorablePaths(flat).slice(0, MAX_ISSUES).map((path) => ({ path }));
  if (unstorable.length > 0) return { ok: false, issues: unstorable };
  const parsed = call.input.safeParse(flat, WITH_INPUT);
  return parsed.success
    ? { ok: true, input: parsed.data }
    : { ok: false, issues: parsed.error.issues.slice(0, MAX_ISSUES) };
}

/**
 * Compiles the serializer of a call's output once. Fields that the contract does not name never leave the
 * server. The zod serializer costs four times as much.
 * @param checked also parses the value, so that development and tests find answers that break their contract.
 */
export function compileOutput(call: AnyCall, checked: boolean): (value: unknown) => string {
  const stringify = serializerOf(call);
  return checked ? (value) => stringify(call.output.parse(value)) : stringify;
}

/**
 * Serializes answers. A frozen answer is serialized once, to bytes, however often a handler returns it:
 * freezing it declares that it is shared and does not change.
 */
export function bytesOf(stringify: (value: unknown) => string): (value: unknown) => string | Buffer {
  const written = new WeakMap<object, Buffer>();
  return (value) => {
    if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return stringify(value);
    const bytes = written.get(value) ?? Buffer.from(stringify(value));
    written.set(value, bytes);
    return bytes;
  };
}

const serializerOf = once((call: AnyCall): (value: unknown) => string => {
  const schema = z.toJSONSchema(call.output, {
    io: 'output',
    target: 'draft-7',
    unrepresentable: 'any',
    // The serializer writes only named fields. Where it chooses between shapes it also validates, and then an
    // extra field must not keep a value from fitting.
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  delete schema.$schema;
  const stringify = compiled(schema as JsonSchema);
  const lists = listsOf(schema as JsonSchema);
  let inPieces: Stringify | null = null;
  return (value) => {
    if (!lists.some(([name]) => hasFrozen((value as Readonly<Record<string, unknown>>)[name]))) {
      return stringify(value);
    }
    inPieces ??= piecewise(schema as JsonSchema, lists);
    return inPieces(value);
  };
});

type Stringify = (value: unknown) => string;

const compiled = (schema: JsonSchema): Stringify => {
  const stringify = fastJsonStringify(schema as Parameters<typeof fastJsonStringify>[0]);
  return (value) => stringify(value);
};

/** The fields of an answer that are lists of objects, with the shape of one object. */
const listsOf = ({ properties = {} }: JsonSchema): readonly (readonly [string, JsonSchema])[] =>
  Object.entries(properties).flatMap((
    [name, { type, items }],
  ) => (type === 'array' && items?.type === 'object' && !JSON.stringify(items).includes('"$ref"')
    ? [[name, items] as const]
    : [])
  );

const hasFrozen = (list: unknown): boolean =>
  Array.isArray(list) && typeof list[0] === 'object' && Object.isFrozen(list[0]);

/**
 * Precedes the number of a list, at the place of the list in an answer. Texts cannot contain it, because NUL
 * is escaped there.
 */
const PLACE = '\u0000';

/**
 * Serializes answers whose lists contain frozen objects: freezing one declares that it does not change, so it
 * is serialized once, however many answers contain it.
 */
function piecewise(schema: JsonSchema, lists: readonly (readonly [string, JsonSchema])[]): Stringify {
  const place: JsonSchema & { readonly format: string } = { type: 'string', format: 'unsafe' };
  const around = compiled({
    ...schema,
    properties: { ...schema.properties, ...Object.fromEntries(lists.map(([name]) => [name, place])) },
  });
  const items = lists.map(([name, shape]) => ({ name, write: writtenOnce(compiled(shape)) }));
  return (value) => {
    const answer = value as Readonly<Record<string, unknown>>;
    const places = items.flatMap((
      { name },
      nth,
    ) => (answer[name] === undefined ? [] : [[name, PLACE + nth] as const]));
    const [head = '', ...parts] = around({ ...answer, ...Object.fromEntries(places) }).split(`"${PLACE}`);
    if (parts.length !== places.length) throw new Error('an answer has a list in no place');
    return head + parts.map((part) => {
      const end = part.indexOf('"');
      const { name, write } = items[Number(part.slice(0, end))] as (typeof items)[number];
      const list = answer[name];
      if (!Array.isArray(list)) throw new Error(`${name} is no list`);
      return `[${list.map(write).join(',')}]${part.slice(end + 1)}`;
    }).join('');
  };
}

/** Serializes a frozen object once. The serializer concatenates hundreds of strings; bytes flatten them. */
function writtenOnce(stringify: Stringify): Stringify {
  const texts = new WeakMap<object, string>();
  return (value) => {
    if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return stringify(value);
    const text = texts.get(value) ?? Buffer.from(stringify(value)).toString();
    texts.set(value, text);
    return text;
  };
}
