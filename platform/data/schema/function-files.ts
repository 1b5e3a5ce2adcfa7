import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One SQL function as its file defines it: `product/tips/tables/functions/add-tip.sql` is `tips.add_tip`. */
export interface SqlFunction {
  /** With its schema. */
  readonly name: string;
  /** The statement that creates it, or replaces it. */
  readonly definition: string;
  /** The statements after it: grants and triggers. */
  readonly further: readonly string[];
  /** SHA-256 of the file. */
  readonly sha256: string;
  /** Names of other functions that it mentions. */
  readonly calls: readonly string[];
}

const DEFINITION = /^create\s+or\s+replace\s+(?:function|aggregate)\s+([a-z_]+\.[a-z0-9_]+)\s*\(/u;
/** A constraint trigger cannot be replaced, so its file drops it first. */
const FURTHER = new RegExp(
  String.raw`^(?:grant\s+execute\s+on\s+function|create\s+or\s+replace\s+trigger`
    + String.raw`|drop\s+trigger\s+if\s+exists|create\s+constraint\s+trigger)\s`,
  'u',
);
/** Literals and comments, in which a semicolon ends no statement. */
const OPAQUE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1/gu;

const withoutComments = (sql: string): string =>
  sql.replaceAll(/--[^\n]*/gu, '').replaceAll(/\/\*[\s\S]*?\*\//gu, '');

/** The statements of a script, with the comments before them. */
function statementsOf(script: string): string[] {
  const ends: number[] = [];
  const masked = script.replaceAll(OPAQUE, (found) => ' '.repeat(found.length));
  for (let at = masked.indexOf(';'); at >= 0; at = masked.indexOf(';', at + 1)) ends.push(at + 1);
  return [...ends, script.length]
    .map((end, nth) => script.slice(ends[nth - 1] ?? 0, end).trim())
    .filter((statement) => withoutComments(statement).trim() !== '');
}

/** What is wrong with a function file, as a text; null when it is fine. */
export function functionFileProblem(path: string, script: string): string | null {
  const [definition = '', ...further] = statementsOf(script).map((text) => withoutComments(text).trim());
  const name = DEFINITION.exec(definition)?.[1];
  if (name === undefined) return 'it begins with `create or replace function <schema>.<name>(`';
  const file = `${name.replace(/^[^.]*\./u, '').replaceAll('_', '-')}.sql`;
  if (!path.endsWith(`/${file}`)) return `it defines ${name}, so its name is ${file}`;
  const other = further.find((statement) => !FURTHER.test(statement));
  return other === undefined
    ? null
    : 'after the definition come only `grant execute on function`, `create or replace trigger`, and '
      + '`drop trigger if exists` with `create constraint trigger`';
}

function readFunction(path: string, script: string): Omit<SqlFunction, 'calls'> {
  const problem = functionFileProblem(path, script);
  if (problem !== null) throw new Error(`${path}: ${problem}`);
  const [definition = '', ...further] = statementsOf(script);
  const name = DEFINITION.exec(withoutComments(definition).trim())?.[1] ?? '';
  return { name, definition, further, sha256: createHash('sha256').update(script).digest('hex') };
}

/**
 * Reads the functions of folders that each hold `<name>.sql`. They are in the order of the folders, and
 * within a folder callees come before callers, because PostgreSQL checks SQL functions against existing ones.
 */
export function readFunctions(root: string, folders: readonly string[]): SqlFunction[] {
  const read = folders.flatMap((folder) => {
    const path = join(root, folder);
    if (!existsSync(path)) return [];
    const files = readdirSync(path).filter((file) => file.endsWith('.sql')).sort();
    return files.map((file) => readFunction(`${folder}/${file}`, readFileSync(join(path, file), 'utf8')));
  });
  const names = new Set(read.map(({ name }) => name));
  return inOrder(read.map((item) => {
    const code = withoutComments([item.definition, ...item.further].join('\n'));
    const mentioned = new Set(Array.from(code.matchAll(/\b[a-z_]+\.[a-z0-9_]+\b/gu), ([found]) => found));
    return { ...item, calls: [...mentioned].filter((name) => name !== item.name && names.has(name)) };
  }));
}

function inOrder(functions: readonly SqlFunction[]): SqlFunction[] {
  const byName = new Map(functions.map((item) => [item.name, item]));
  const ordered = new Set<SqlFunction>();
  const visit = (one: SqlFunction, path: readonly string[]): void => {
    if (ordered.has(one)) return;
    const way = [...path, one.name];
    if (path.includes(one.name)) throw new Error(`functions call each other in a circle: ${way.join(' → ')}`);
    for (const name of one.calls) visit(byName.get(name) as SqlFunction, way);
    ordered.add(one);
  };
  for (const one of functions) visit(one, []);
  return [...ordered];
}
