import ts from 'typescript';
import { walk, type Source } from '../source.ts';
import { isTest, type Problem, type Tree } from '../tree.ts';

/** The one list of what is stored in browsers. */
const LIST = 'product/consent/rules/stored.ts';
/** What the list names: `cookie('session', …)`. The files of the app worker are no source that is parsed. */
const LISTED = /\b(?:cookie|inBrowser|inTab)\('([^']+)'/g;
/** Functions that store what they are named by their first argument. */
const WRITERS = new Set(['setItem', 'setCookie', 'keep']);
/** Where a writer stores what its own caller names, or a script writes a cookie by itself. */
const PASSES_ON = new Set([
  'product/accounts/web/preferences.ts',
  'product/accounts/web/settings/quick-exit.tsx',
  'product/billing/web/destination.ts',
]);

/** Every cookie and every key that is stored in a browser stands in the list, and the list has no other. */
export function storedKeys(tree: Tree): Problem[] {
  const list = tree.files.get(LIST);
  if (list === undefined) return [];
  const listed = new Set([...list.matchAll(LISTED)].map(([, name]) => name ?? ''));
  const problems: Problem[] = [];
  const named = new Set<string>();
  for (const source of tree.sources.values()) {
    if (!isShipped(source.path)) continue;
    // What a reader or a wrapper is given counts as written, so that the list may name it.
    for (const [, text = ''] of source.text.matchAll(/'([\w.-]+)'/g)) named.add(text);
    walk(source.ast, (node) => {
      const problem = problemOf(tree, source, node, listed);
      if (problem !== null) {
        const line = source.lineOf(node);
        problems.push({ file: source.path, line, rule: 'stored keys', advice: problem });
      }
    });
  }
  for (const name of listed) {
    if (!named.has(name)) {
      problems.push({ file: LIST, line: 1, rule: 'stored keys', advice: `nothing stores ${name}` });
    }
  }
  return problems;
}

const isShipped = (path: string): boolean =>
  /^(?:product|platform\/ui)\//.test(path) && path !== LIST && !path.startsWith('product/testkit/')
  && !isTest(path);

function problemOf(
  tree: Tree,
  source: Source,
  node: ts.Node,
  listed: ReadonlySet<string>,
): string | null {
  if (isCookieWrite(node) && !PASSES_ON.has(source.path)) return 'write cookies with keep() of accounts';
  const key = keyOf(node);
  if (key === null) return null;
  const name = textOf(tree, source, key);
  if (name === null) {
    return PASSES_ON.has(source.path) ? null : `name it by a constant: ${key.getText(source.ast)}`;
  }
  return listed.has(name) ? null : `${name} is not in ${LIST}: add it, with its purpose`;
}

/** `document.cookie = …` */
const isCookieWrite = (node: ts.Node): boolean =>
  ts.isBinaryExpression(node)
  && node.operatorToken.kind === ts.SyntaxKind.EqualsToken && /\bdocument\.cookie$/.test(node.left.getText());

/** What a call stores something by; null for every other node. */
function keyOf(node: ts.Node): ts.Expression | null {
  if (!ts.isCallExpression(node)) return null;
  const [first, second] = node.arguments;
  const callee = node.expression.getText();
  const name = callee.split('.').at(-1) ?? '';
  if (!first || !WRITERS.has(name)) return null;
  if (name === 'setItem') return callee.endsWith('Storage.setItem') ? first : null;
  // Other functions of the name take something else first, or nothing beside it.
  return second && callee !== 'sessions.setCookie' ? first : null;
}

/** The text of a literal, or of a constant of this file or of one it imports. */
function textOf(tree: Tree, source: Source, key: ts.Expression): string | null {
  if (ts.isStringLiteralLike(key)) return key.text;
  if (!ts.isIdentifier(key)) return null;
  const imported = source.imports.find(({ names }) => names.includes(key.text))?.target ?? null;
  const from = imported === null ? source : tree.sources.get(imported);
  return from ? constantOf(from, key.text) : null;
}

function constantOf({ ast }: Source, name: string): string | null {
  let text: string | null = null;
  walk(ast, (node) => {
    if (
      ts.isVariableDeclaration(node) && node.name.getText() === name && node.initializer
      && ts.isStringLiteralLike(node.initializer)
    ) text = node.initializer.text;
  });
  return text;
}
