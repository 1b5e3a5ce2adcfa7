import fastJsonStringify from 'fast-json-stringify';
import { z } from 'zod';
import { pathFields, type AnyCall } from '../../contract/call.ts';
import { WITH_INPUT, type ShapeIssue } from '../../text/issues.ts';

/** Issues reported at once; a hostile body could have thousands. */
const MAX_ISSUES = 20;

interface JsonSchema {
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

/** What came with a request, before anything is known of it. */
export interface RawInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The primitive types a field accepts, its literals and unions included. */
function typesOf(schema: JsonSchema | undefined): ReadonlySet<string> {
  if (!schema) return new Set();
  const own = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const literals = [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])].map(
    (one) => typeof one,
  );
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return new Set([...own, ...literals, ...inner.flatMap((one) => [...typesOf(one)])]);
}

/**
 * Addresses carry only text: compiles what turns it into what the field expects; what does not fit is left
 * for the parser.
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

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a call was compiled to: once a process, however many hosts answer it. */
function once<T>(compile: (call: AnyCall) => T): (call: AnyCall) => T {
  const compiled = new WeakMap<AnyCall, T>();
  return (call) => {
    const known = compiled.get(call) ?? compile(call);
    compiled.set(call, known);
    return known;
  };
}

/**
 * Compiles how a call's path parameters, query and body become its one flat input. Path parameters win over
 * fields of the same name; unknown fields are left out. Query fields count for GET, DELETE, OPTIONS and media
 * calls only.
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
    if (hasJsonBody && !isRecord(body))
      return { ok: false, issues: [{ code: 'invalid_type', expected: 'object', path: [], input: body }] };
    const fields = hasJsonBody ? Object.entries(body as Record<string, unknown>) : fromAddress(query);
    if (call.media) fields.push(['body', body]);
    const own = fields.filter(([name]) => !inAddress.has(name));
    const flat = Object.fromEntries([...own, ...fromAddress(params)]);
    return parseInput(call, flat);
  };
});

/** Checks an input that is flat already, as calls in process have it. */
export function parseInput(call: AnyCall, flat: unknown): Parsed {
  const parsed = call.input.safeParse(flat, WITH_INPUT);
  return parsed.success ? { ok: true, input: parsed.data }
    : { ok: false, issues: parsed.error.issues.slice(0, MAX_ISSUES) };
}

/**
 * Compiles a call's output to text once. Fields the contract does not name never leave the server. The zod
 * serializer costs four times as much.
 * @param checked also parses the value, so that development and tests find answers that break their contract.
 */
export function compileOutput(call: AnyCall, checked: boolean): (value: unknown) => string {
  const stringify = serializerOf(call);
  return checked ? (value) => stringify(call.output.parse(value)) : stringify;
}

const serializerOf = once((call: AnyCall): (value: unknown) => string => {
  const schema = z.toJSONSchema(call.output, {
    io: 'output',
    target: 'draft-7',
    unrepresentable: 'any',
    // The serializer writes named fields only. Where it chooses between shapes it also checks, and there a
    // field too many must not make a value fit none.
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  delete schema.$schema;
  const stringify = fastJsonStringify(schema as Parameters<typeof fastJsonStringify>[0]);
  return (value) => stringify(value);
});
