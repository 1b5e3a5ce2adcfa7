import ts from 'typescript';
import { walk, type Source } from '../source.ts';
import { isTest, sliceOf, type Tree } from '../tree.ts';

type Texts = { readonly [key: string]: string | Texts };

/** English texts by namespace and key; the forms of a plural are one key. */
export interface Text {
  readonly namespace: string;
  readonly key: string;
  readonly isPlural: boolean;
  /** Names of the `{{placeholders}}` of all forms, without `count` of a plural. */
  readonly values: ReadonlySet<string>;
}

const FILE = /^(?:product|platform)\/([^/]+)\/messages\/en\.json$/;
const PLURAL = /_(?:zero|one|two|few|many|other)$/;

/** Every English text of the tree. */
export function englishTexts(tree: Tree): Text[] {
  const found = new Map<string, Text>();
  for (const [file, json] of tree.files) {
    const namespace = FILE.exec(file)?.[1];
    if (namespace === undefined) continue;
    for (const [path, text] of flat(JSON.parse(json) as Texts)) {
      const key = path.replace(PLURAL, '');
      const isPlural = key !== path;
      const before = found.get(`${namespace}:${key}`)?.values ?? [];
      const values = new Set([...before, ...placeholdersOf(text)]);
      if (isPlural) values.delete('count');
      found.set(`${namespace}:${key}`, { namespace, key, isPlural, values });
    }
  }
  return [...found.values()];
}

const flat = (texts: Texts, prefix = ''): (readonly [string, string])[] =>
  Object.entries(texts).flatMap((
    [key, value],
  ) => (typeof value === 'string' ? [[prefix + key, value] as const] : flat(value, `${prefix}${key}.`)));

const placeholdersOf = (text: string): string[] =>
  [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1] ?? '');

/** Keys that an expression can be, in some namespaces; `isExact` when it is a text written out. */
export interface KeyPattern {
  readonly namespaces: ReadonlySet<string>;
  readonly pattern: RegExp;
  readonly isExact: boolean;
}

/** A part of a key that is data is one name between dots; a whole beginning may hold dots. */
const NAME = String.raw`[\w-]+`;
const BEGINNING = String.raw`[\w.-]+`;
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Source of a pattern for a string or a template; null for any other expression. */
function patternOf(node: ts.Node): { source: string; isExact: boolean } | null {
  if (ts.isStringLiteralLike(node)) return { source: escaped(node.text), isExact: true };
  if (!ts.isTemplateExpression(node)) return null;
  const fixed = [
    node.head,
    ...node.templateSpans.map(({ literal }) => literal),
  ].map(({ text }) => text).join('');
  // Other templates are no keys: `${path}.${extension}`, or a sentence.
  if (!/\w/.test(fixed) || !/^[\w.:-]*[.:][\w.:-]*$/.test(fixed)) return null;
  const spans = node.templateSpans.map(({ expression, literal }, at) => {
    const isFirst = at === 0 && node.head.text === '';
    return (choicesOf(expression) ?? (isFirst ? BEGINNING : NAME)) + escaped(literal.text);
  });
  return { source: escaped(node.head.text) + spans.join(''), isExact: false };
}

/** `isOpen ? 'open' : 'closed'` is one of two names, also as a constant of a block around the text. */
function choicesOf(node: ts.Expression): string | null {
  if (ts.isStringLiteralLike(node)) return escaped(node.text);
  if (ts.isIdentifier(node)) {
    const made = constantOf(node);
    return made && !ts.isIdentifier(made) ? choicesOf(made) : null;
  }
  if (!ts.isConditionalExpression(node)) return null;
  const [one, other] = [choicesOf(node.whenTrue), choicesOf(node.whenFalse)];
  return one === null || other === null ? null : `(?:${one}|${other})`;
}

/** What the constant of a name is made from, when a block around `node` declares it. */
function constantOf(node: ts.Identifier): ts.Expression | undefined {
  for (let up: ts.Node = node.parent; !ts.isSourceFile(up); up = up.parent) {
    if (!ts.isBlock(up)) continue;
    for (const statement of up.statements.filter(ts.isVariableStatement)) {
      const found = statement.declarationList.declarations.find(({ name }) => name.getText() === node.text);
      if (found) return found.initializer;
    }
  }
  return undefined;
}

/** The keys that a string, a template or `keyOf(…)` in a file can be; null for other expressions. */
export function keysOf(node: ts.Node, namespaces: ReadonlySet<string>): KeyPattern | null {
  if (ts.isCallExpression(node) && node.expression.getText() === 'keyOf') return dataKey(node);
  const made = patternOf(node);
  if (made === null) return null;
  const [, own, rest] = /^([\w-]+):(.+)$/.exec(made.source) ?? [];
  return {
    namespaces: own === undefined ? namespaces : new Set([own]),
    isExact: made.isExact,
    pattern: new RegExp(`^(?:${rest ?? made.source})$`),
  };
}

/** `keyOf('tips', 'history.type', name)`. */
function dataKey({ arguments: [namespace, group, name] }: ts.CallExpression): KeyPattern | null {
  if (!namespace || !group || !name) return null;
  if (!ts.isStringLiteral(namespace) || !ts.isStringLiteral(group)) return null;
  const last = patternOf(name)?.source ?? BEGINNING;
  return {
    namespaces: new Set([namespace.text]),
    isExact: false,
    pattern: new RegExp(`^${escaped(group.text)}\\.${last}$`),
  };
}

/** Whether an expression can be the key of a text. */
export const isFor = ({ namespaces, pattern }: KeyPattern, { namespace, key }: Text): boolean =>
  namespaces.has(namespace) && pattern.test(key);

/** Namespaces whose keys a file may name without a prefix: its own, and those it takes texts of. */
export function namespacesOf(source: Source, known: ReadonlySet<string>): ReadonlySet<string> {
  const own = sliceOf(source.path)?.slice ?? (source.path.startsWith('platform/ui/') ? 'ui' : null);
  const found = new Set<string>(own === null ? [] : [own]);
  walk(source.ast, (node) => {
    if (ts.isStringLiteral(node) && known.has(node.text)) found.add(node.text);
  });
  return found;
}

/** Sources whose strings can name texts: not tests, tools or benches. */
export const speaking = (tree: Tree): Source[] =>
  [...tree.sources.values()].filter(({ path }) =>
    /^(?:product|platform|programs)\//.test(path) && !path.startsWith('product/testkit/') && !isTest(path)
  );
