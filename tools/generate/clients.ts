import type { AnyCall } from '#platform/contract/call.ts';
import type { AnyEvent } from '#platform/contract/event.ts';
import type { Refusal } from '#platform/contract/refusal.ts';
import { order } from '#product/order.ts';
import { contractFiles, isRoomPart } from '#product/testkit/contracts.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { formattedText } from '../formatter.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOCKETS = join(ROOT, 'platform/contract/sockets/lobby.ts');
const MAX_LINE_LENGTH = 110;

/** The client's side of a contract: a file beside the files it is made of. */
interface Client {
  readonly file: string;
  readonly sources: readonly string[];
}

const clients = (): readonly Client[] => [
  { file: join(dirname(SOCKETS), 'client.ts'), sources: [SOCKETS] },
  ...order.map(([slice]) => ({
    file: join(ROOT, 'product', slice, 'client.ts'),
    sources: contractFiles(slice),
  })).filter(({ sources }) => sources.length > 0),
];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isCall = (value: unknown): value is AnyCall => isRecord(value) && 'method' in value && 'path' in value;
const isEvent = (value: unknown): value is AnyEvent =>
  isRecord(value) && 'socket' in value && 'shape' in value;
const isRefusal = (value: unknown): value is Refusal =>
  isRecord(value) && 'code' in value && 'kind' in value && 'message' in value;

/** A value as TypeScript writes it: names without quotes, texts in single ones. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (!isRecord(value)) return typeof value === 'string' ? `'${value}'` : String(value);
  if (Object.keys(value).length === 0) return '{}';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${name}: ${literal(field)}`);
  return `{ ${fields.join(', ')} }`;
}

interface Declaration {
  readonly type: string;
  readonly value: object;
}

/** What a client needs of something a contract exports; null for shapes, facts and the like. */
function declarationOf(exported: unknown, name: string): Declaration | null {
  if (isCall(exported)) {
    const { name: call, method, path, root, media, upload } = exported;
    return { type: `ClientCallOf<typeof ${name}>`, value: { name: call, method, path, root, media, upload } };
  }
  if (isEvent(exported)) {
    return { type: `ClientEventOf<typeof ${name}>`, value: { name: exported.name } };
  }
  if (isRoomPart(exported)) {
    const { key, empty, emptyUpdate } = exported;
    return {
      type: `Pick<typeof ${name}, 'key' | 'empty' | 'emptyUpdate'>`,
      value: { key, empty, emptyUpdate },
    };
  }
  return isRefusal(exported)
    ? { type: `Pick<typeof ${name}, 'code'>`, value: { code: exported.code } }
    : null;
}

function constant(name: string, { type, value }: Declaration): string {
  const start = `export const ${name}: ${type} =`;
  const short = `${start} ${literal(value)};`;
  if (short.length <= MAX_LINE_LENGTH) return short;
  const { media, ...rest } = value as Record<string, unknown>;
  const lines = 'key' in value
    ? linesOf(rest, '  ')
    : [rest, ...(media ? [{ media }] : [])].map((part) => `  ${literal(part).slice(2, -2)},`);
  return [`${start} {`, ...lines, '};'].join('\n');
}

/** The fields of a value on lines of their own; those too long for one line are broken again. */
const linesOf = (value: object, indent: string): string[] =>
  Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
    const line = `${indent}${name}: ${literal(field)},`;
    if (line.length <= MAX_LINE_LENGTH || !isRecord(field)) return [line];
    return [`${indent}${name}: {`, ...linesOf(field, `${indent}  `), `${indent}},`];
  });

/** `contract/operator.ts` is imported as `operator`. */
const namespaceOf = (source: string): string =>
  basename(source, '.ts').replaceAll(/-(\w)/gu, (_match, letter: string) => letter.toUpperCase());

/** Text of a client; null when its contract declares nothing a client could use. */
async function textOf({ file, sources }: Client): Promise<string | null> {
  const at = (path: string): string => {
    const fromRoot = relative(ROOT, path);
    const isOutside = fromRoot.startsWith('platform/') !== relative(ROOT, file).startsWith('platform/');
    if (isOutside) return `#${fromRoot}`;
    const way = relative(dirname(file), path);
    return way.startsWith('.') ? way : `./${way}`;
  };
  const [constants, namespaces]: [string[], string[]] = [[], []];
  for (const source of sources) {
    const namespace = namespaceOf(source);
    const exported = await import(pathToFileURL(source).href) as Record<string, unknown>;
    const written = Object.entries(exported).flatMap(([name, value]) => {
      const declaration = declarationOf(value, `${namespace}.${name}`);
      return declaration ? [constant(name, declaration)] : [];
    });
    if (written.length > 0) namespaces.push(`import type * as ${namespace} from '${at(source)}';`);
    constants.push(...written);
  }
  if (constants.length === 0) return null;
  const uses = (type: string): boolean => constants.some((text) => text.includes(`${type}<`));
  const platform = (
    type: string,
    path: string,
  ): string[] => (uses(type)
    ? [`import type { ${type} } from '${at(join(ROOT, 'platform/contract', path))}';`]
    : []);
  return [
    '// Generated by `npm run generate` from the contract: what pages need to use it, without its shapes.',
    ...platform('ClientCallOf', 'call.ts'),
    ...platform('ClientEventOf', 'event.ts'),
    ...namespaces,
    '',
    ...constants,
    '',
  ].join('\n');
}

const stale: string[] = [];
for (const client of clients()) {
  const made = await textOf(client);
  if (made === null) continue;
  const text = formattedText(client.file, made);
  if (existsSync(client.file) && readFileSync(client.file, 'utf8') === text) continue;
  stale.push(relative(ROOT, client.file));
  if (!process.argv.includes('--check')) writeFileSync(client.file, text);
}
if (process.argv.includes('--check') && stale.length > 0) {
  console.error(`${stale.join(', ')}: not current; run npm run generate`);
  process.exitCode = 1;
}
