import ts from 'typescript';
import { roleOf } from '../code/boundaries.ts';
import { LOCALES } from '../code/names.ts';
import { walk, type Source } from '../source.ts';
import { isTest, sliceOf, type Problem, type Tree } from '../tree.ts';

interface Declared {
  readonly name: string;
  readonly source: Source;
  readonly line: number;
  readonly slice: string;
  readonly argument: ts.Expression | undefined;
}

/** Exported constants made by `call(…)`, `refusal(…)` and the like in the contracts. */
function declared(tree: Tree, maker: string): Declared[] {
  const found: Declared[] = [];
  for (const source of tree.sources.values()) {
    const own = sliceOf(source.path);
    if (!own || roleOf(own.inside) !== 'contract') continue;
    walk(source.ast, (node) => {
      if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || !node.initializer) return;
      const made = node.initializer;
      if (!ts.isCallExpression(made) || made.expression.getText() !== maker) return;
      const argument = made.arguments[0];
      found.push({ name: node.name.text, source, line: source.lineOf(node), slice: own.slice, argument });
    });
  }
  return found;
}

/** Functions that bind a call to its handler. */
const BINDERS = new Set(['handleCall', 'handleStream']);

/** Every call has exactly one handler, and a test speaks of it. */
export function callsAnswered(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  const handlers = new Map<string, string[]>();
  for (const source of tree.sources.values()) {
    if (isTest(source.path)) continue;
    walk(source.ast, (node) => {
      if (!ts.isCallExpression(node) || !BINDERS.has(node.expression.getText())) return;
      const name = node.arguments[0]?.getText() ?? '';
      handlers.set(name, [...(handlers.get(name) ?? []), `${source.path}:${source.lineOf(node)}`]);
    });
  }
  const tested = testedNames(tree);
  for (const { name, source, line } of declared(tree, 'call')) {
    const places = handlers.get(name) ?? [];
    const file = source.path;
    if (places.length === 0) {
      problems.push({ file, line, rule: 'one handler', advice: `bind handleCall(${name})(…) in server.ts` });
    }
    if (places.length > 1) {
      problems.push(
        { file, line, rule: 'one handler', advice: `${name} is answered at ${places.join(' and ')}` },
      );
    }
    if (!tested.has(name)) {
      problems.push({ file, line, rule: 'one test', advice: `no test makes the call ${name}` });
    }
  }
  return problems;
}

/** Names tests use, and names used by those scenario verbs of the testkit that tests use. */
function testedNames(tree: Tree): Set<string> {
  const names = new Set<string>();
  const verbs = new Map<string, Set<string>>();
  for (const source of tree.sources.values()) {
    const kit = sliceOf(source.path)?.slice === 'testkit' && !isTest(source.path);
    if (!kit && !isTest(source.path) && !/^(?:e2e|bench)\//.test(source.path)) continue;
    walk(source.ast, (node) => {
      if (!ts.isIdentifier(node)) return;
      if (!kit) names.add(node.text);
      for (const verb of kit ? enclosing(node) : []) {
        verbs.set(verb, (verbs.get(verb) ?? new Set<string>()).add(node.text));
      }
    });
  }
  // A verb may be made of verbs, so this runs until nothing is added.
  for (let before = -1; before !== names.size;) {
    before = names.size;
    for (const [verb, used] of verbs) if (names.has(verb)) { for (const name of used) names.add(name); }
  }
  return names;
}

/** Names of the functions, methods and properties a node stands in. */
function enclosing(node: ts.Node): string[] {
  const names: string[] = [];
  for (let up = node.parent; up; up = up.parent) {
    if (
      ts.isMethodDeclaration(up) || ts.isPropertyAssignment(up) || ts.isPropertyDeclaration(up)
      || ts.isFunctionDeclaration(up) || ts.isVariableDeclaration(up)
    ) {
      if (up.name && ts.isIdentifier(up.name)) names.push(up.name.text);
    }
  }
  return names;
}

type Texts = { readonly [key: string]: string | Texts };

function flat(texts: Texts, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === 'string' ? [[prefix + key, value] as const] : [...flat(value, `${prefix}${key}.`)]
    ),
  );
}

const placeholders = (text: string): string =>
  [...text.matchAll(/\{\{\s*-?\s*([\w.]+)/g)].map((match) => match[1]).sort().join(' ');

/** Where the keys of every slice are typed. */
const MESSAGE_FILES = 'product/message-files.d.ts';

/** Every slice speaks six languages with the same keys and the same values in them, refusals included. */
export function messages(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  const folders = new Set([...tree.files.keys()].flatMap((path) => {
    const match = /^((?:product|platform)\/[^/]+\/messages)\/[a-z-]+\.json$/.exec(path);
    return match?.[1] ? [match[1]] : [];
  }));
  const typed = tree.files.get(MESSAGE_FILES) ?? '';
  for (const folder of folders) {
    if (
      !folder.startsWith('product/') || typed.includes(
        `'./${folder.slice('product/'.length)}/en.json'`,
      )
    ) continue;
    problems.push(
      { file: MESSAGE_FILES, line: 1, rule: 'typed keys', advice: `import ${folder}/en.json in it` },
    );
  }
  for (const one of declared(tree, 'refusal')) folders.add(`product/${one.slice}/messages`);
  const english = new Map<string, Map<string, string>>();
  for (const folder of folders) {
    const spoken = new Map(LOCALES.map((locale) => [locale, readTexts(tree, folder, locale, problems)]));
    const reference = spoken.get('en') ?? new Map<string, string>();
    english.set(folder, reference);
    for (const [locale, texts] of spoken) {
      problems.push(...differences(`${folder}/${locale}.json`, reference, texts));
    }
  }
  const own = declared(tree, 'refusal').map((one) => ({ ...one, folder: `product/${one.slice}/messages` }));
  for (const { argument, folder, source, line } of own) {
    const code = codeOf(argument);
    if (!code || english.get(folder)?.has(`refusals.${code}`)) continue;
    problems.push(
      { file: source.path, line, rule: 'refusal text', advice: `write refusals.${code} in ${folder}/*.json` },
    );
  }
  return problems;
}

function codeOf(argument: ts.Expression | undefined): string | null {
  if (!argument || !ts.isObjectLiteralExpression(argument)) return null;
  for (const property of argument.properties) {
    const coded = ts.isPropertyAssignment(property) && property.name.getText() === 'code';
    if (coded && ts.isStringLiteral(property.initializer)) return property.initializer.text;
  }
  return null;
}

function readTexts(tree: Tree, folder: string, locale: string, problems: Problem[]): Map<string, string> {
  const file = `${folder}/${locale}.json`;
  const text = tree.files.get(file);
  if (text === undefined) {
    problems.push({ file, line: 1, rule: 'six languages', advice: 'write it, with the keys of en.json' });
    return new Map();
  }
  try {
    return flat(JSON.parse(text) as Texts);
  } catch (error) {
    problems.push({ file, line: 1, rule: 'six languages', advice: `not JSON: ${String(error)}` });
    return new Map();
  }
}

function differences(file: string, reference: Map<string, string>, texts: Map<string, string>): Problem[] {
  const rule = 'six languages';
  if (texts.size === 0) return [];
  const problems: Problem[] = [];
  const plural = (key: string): string => key.replace(/_(?:zero|one|two|few|many|other)$/, '');
  const stems = new Set([...texts.keys()].map(plural));
  const known = new Set([...reference.keys()].map(plural));
  for (const key of reference.keys()) {
    if (!stems.has(plural(key))) problems.push({ file, line: 1, rule, advice: `translate ${key}` });
  }
  for (const [key, text] of texts) {
    const original = reference.get(key);
    if (!known.has(plural(key))) problems.push({ file, line: 1, rule, advice: `${key} is not in en.json` });
    if (text.trim() === '') problems.push({ file, line: 1, rule, advice: `${key} says nothing` });
    if (original !== undefined && placeholders(original) !== placeholders(text)) {
      problems.push({ file, line: 1, rule, advice: `${key} has other {{values}} than en.json` });
    }
  }
  return problems;
}
