import ts from 'typescript';
import { walk, type Source } from '../source.ts';
import type { Problem, Tree } from '../tree.ts';
import { englishTexts, isFor, keysOf, namespacesOf, speaking, type KeyPattern, type Text } from './uses.ts';

/** Every text is used: by a key written out, a template, `keyOf`, a refusal, or a kind of email. */
export function unusedTexts(tree: Tree): Problem[] {
  const texts = englishTexts(tree);
  const known = new Set(texts.map(({ namespace }) => namespace));
  const unused = new Map(texts.map((text) => [`${text.namespace}:${text.key}`, text]));
  const refused = [...refusals(tree).values()].flat();
  for (const name of [...refused, ...writtenOut(tree, known)]) unused.delete(name);
  const patterns: KeyPattern[] = [];
  for (const source of speaking(tree)) {
    const namespaces = namespacesOf(source, known);
    walk(source.ast, (node) => {
      const keys = keysOf(node, namespaces);
      if (keys !== null && !keys.isExact) patterns.push(keys);
    });
  }
  const mails = mailPatterns(tree, known);
  return [...unused.values()].filter((text) => ![...patterns, ...mails].some((keys) => isFor(keys, text)))
    .map(({ namespace, key }) => ({
      file: fileOf(tree, namespace),
      line: 1,
      rule: 'unused text',
      advice: `nothing uses ${key}; delete it`,
    }));
}

const fileOf = (tree: Tree, namespace: string): string =>
  [`product/${namespace}/messages/en.json`, `platform/${namespace}/messages/en.json`]
    .find((file) => tree.files.has(file)) ?? namespace;

/** Parts of the texts that a name stands for: `accounts:mails.welcome` has a subject and a text. */
const NAMED = [
  { start: String.raw`^(?:mails\.`, parts: 'subject|text' },
  { start: String.raw`^(?:notices\.`, parts: 'label|title|text' },
];

/** A kind of email or notice uses all its texts. */
const mailPatterns = (
  tree: Tree,
  known: ReadonlySet<string>,
): KeyPattern[] =>
  speaking(tree).flatMap((source) => {
    const found: KeyPattern[] = [];
    walk(source.ast, (node) => {
      const keys = keysOf(node, known);
      const parts = NAMED.find(({ start }) => keys?.pattern.source.startsWith(start))?.parts;
      if (keys === null || parts === undefined) return;
      found.push({ ...keys, pattern: new RegExp(`${keys.pattern.source.slice(0, -1)}\\.(?:${parts})$`) });
    });
    return found;
  });

/** Keys of the texts of refusals, by the name of their constant; several slices may use one name. */
function refusals(tree: Tree): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const source of speaking(tree)) {
    const slice = /const slice = '([\w-]+)'/.exec(source.text)?.[1];
    walk(source.ast, (node) => {
      if (!ts.isCallExpression(node) || node.expression.getText() !== 'refusal') return;
      const [argument] = node.arguments;
      const code = propertyOf(argument, 'code');
      if (!code || !ts.isStringLiteral(code)) return;
      const own = propertyOf(argument, 'slice');
      const namespace = own && ts.isStringLiteral(own) ? own.text : slice;
      const { parent } = node;
      const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
      const name = isNamed ? parent.name.getText() : '';
      found.set(name, [...(found.get(name) ?? []), `${namespace}:refusals.${code.text}`]);
    });
  }
  return found;
}

function propertyOf(node: ts.Node | undefined, name: string): ts.Expression | undefined {
  if (!node || !ts.isObjectLiteralExpression(node)) return undefined;
  for (const one of node.properties) {
    if (ts.isPropertyAssignment(one) && one.name.getText() === name) return one.initializer;
    if (ts.isShorthandPropertyAssignment(one) && one.name.text === name) return one.name;
  }
  return undefined;
}

/** What a call gives a text: the names it knows of, and whether it may give more. */
interface Given {
  readonly names: ReadonlySet<string>;
  readonly isOpen: boolean;
}

/** A text is given each `{{placeholder}}` it has, and nothing else. */
export function textValues(tree: Tree): Problem[] {
  const texts = englishTexts(tree);
  const known = new Set(texts.map(({ namespace }) => namespace));
  const written = writtenOut(tree, known);
  const problems = refusalValues(tree, texts);
  for (const source of speaking(tree)) {
    const spoken = translators(source);
    walk(source.ast, (node) => {
      if (!ts.isCallExpression(node)) return;
      const use = useOf(node, spoken);
      if (use === null) return;
      const given = givenBy(use.values);
      const namespaces = use.namespaces.size > 0 ? use.namespaces : namespacesOf(source, known);
      for (const key of branches(use.key)) {
        const keys = keysOf(key, namespaces);
        // A text named elsewhere is not what data names here: `limits.title` beside `limits.${period}`.
        const meant = keys === null ? [] : texts.filter((text) =>
          isFor(keys, text)
          && (keys.isExact || !written.has(`${text.namespace}:${text.key}`))
        );
        const at = { file: source.path, line: source.lineOf(node), rule: 'values of texts' };
        const found = mistakes(meant, given, branches(use.key).length > 1);
        problems.push(...found.map((advice) => ({ ...at, advice })));
      }
    });
  }
  return problems;
}

/** `refuse(tooSoon, { values: { seconds } })` fills the text of the refusal. */
function refusalValues(tree: Tree, texts: readonly Text[]): Problem[] {
  const names = refusals(tree);
  const problems: Problem[] = [];
  for (const source of speaking(tree)) {
    walk(source.ast, (node) => {
      if (!ts.isCallExpression(node) || !/(?:^|\.)refuse$/.test(node.expression.getText())) return;
      const [refusal, detail] = node.arguments;
      const [key, ...others] = names.get(refusal?.getText() ?? '') ?? [];
      if (key === undefined || others.length > 0) return;
      const isKnown = detail === undefined || ts.isObjectLiteralExpression(detail);
      const values = propertyOf(detail, 'values');
      const given = isKnown ? givenBy(values) : { names: new Set<string>(), isOpen: true };
      const meant = texts.filter((text) => `${text.namespace}:${text.key}` === key);
      const at = { file: source.path, line: source.lineOf(node), rule: 'values of texts' };
      problems.push(...mistakes(meant, given, false).map((advice) => ({ ...at, advice })));
    });
  }
  return problems;
}

/** Keys that stand somewhere in the program as they are. */
function writtenOut(tree: Tree, known: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  for (const source of speaking(tree)) {
    const namespaces = namespacesOf(source, known);
    walk(source.ast, (node) => {
      if (!ts.isStringLiteralLike(node)) return;
      const [, own, key] = /^(?:([\w-]+):)?(.+)$/.exec(node.text) ?? [];
      for (const one of own === undefined ? namespaces : [own]) found.add(`${one}:${key}`);
    });
  }
  return found;
}

/** @param isChoice the values are those of several keys, so that one of them may need less */
function mistakes(meant: readonly Text[], { names, isOpen }: Given, isChoice: boolean): string[] {
  if (meant.length === 0) return [];
  const wanted = new Set(
    meant.flatMap(({ values, isPlural }) => [...values, ...(isPlural ? ['count'] : [])]),
  );
  const [first] = meant;
  const key = `${first?.namespace}:${first?.key}`;
  const missing = isOpen ? [] : [...wanted].filter((name) => !names.has(name));
  const unknown = isChoice ? [] : [...names].filter((name) => !wanted.has(name));
  return [
    ...missing.map((name) => `give ${key} its {{${name}}}`),
    ...unknown.map((name) => `${key} has no {{${name}}}`),
  ];
}

/** `a ? b : c` and `a ?? b` can each be two keys. */
function branches(node: ts.Expression): ts.Expression[] {
  if (ts.isParenthesizedExpression(node)) return branches(node.expression);
  if (ts.isConditionalExpression(node)) return [...branches(node.whenTrue), ...branches(node.whenFalse)];
  return [node];
}

interface Use {
  readonly key: ts.Expression;
  readonly values: ts.Expression | undefined;
  /** Empty: any the file names. */
  readonly namespaces: ReadonlySet<string>;
}

/** `t(key, values)` of a page, or `text(locale, key, values)` of the server. */
function useOf(node: ts.CallExpression, spoken: ReadonlyMap<string, ReadonlySet<string>>): Use | null {
  const name = node.expression.getText().split('.').at(-1) ?? '';
  const namespaces = spoken.get(name);
  const [first, second, third] = node.arguments;
  if (namespaces && first) return { key: first, values: second, namespaces };
  if (name === 'text' && second && keysOf(second, new Set())) {
    return { key: second, values: third, namespaces: new Set() };
  }
  return null;
}

/** Names of `t` in a file, each with its namespaces: `const { t: own } = useTranslation('tips')`. */
function translators(source: Source): Map<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>([]);
  walk(source.ast, (node) => {
    if (ts.isParameter(node) && node.name.getText() === 't') found.set('t', found.get('t') ?? new Set());
    if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name) || !node.initializer) return;
    if (!ts.isCallExpression(node.initializer)) return;
    if (node.initializer.expression.getText() !== 'useTranslation') return;
    const [argument] = node.initializer.arguments;
    const namespace = argument && ts.isStringLiteral(argument) ? argument.text : 'ui';
    for (const element of node.name.elements) {
      if ((element.propertyName ?? element.name).getText() !== 't') continue;
      const name = element.name.getText();
      found.set(name, (found.get(name) ?? new Set()).add(namespace));
    }
  });
  return found;
}

/** Names an object literal gives; whatever else stands there may give any. */
function givenBy(node: ts.Expression | undefined): Given {
  if (node === undefined) return { names: new Set(), isOpen: false };
  if (!ts.isObjectLiteralExpression(node)) return { names: new Set(), isOpen: true };
  const named = node.properties.filter((property) => !ts.isSpreadAssignment(property));
  return {
    names: new Set(
      named.map((declaration) => declaration.name?.getText() ?? ''),
    ),
    isOpen: named.length < node.properties.length,
  };
}
