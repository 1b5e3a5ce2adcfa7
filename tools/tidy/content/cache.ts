import ts from 'typescript';
import { walk, type Source } from '../source.ts';
import { isTest, isWeb, type Problem, type Tree } from '../tree.ts';

/** Functions that change cached answers. */
const CHANGES = ['setQueryData', 'setQueriesData', 'changeCached', 'changeCachedPages'];
/** Functions that write to the query cache, or take answers out of it. */
const CACHE_WRITERS = new Set([...CHANGES, 'removeQueries', 'resetQueries']);
/** The `live.ts` files, where events arrive, and the entries of the web, where documents begin. */
const MAY_WRITE_CACHE =
  /\/live(?:-[a-z-]+)?\.ts$|\/entry\.(?:client|server)\.tsx$|^platform\/ui\/calls\/(?:calls|pages)\.ts$/;
/** Calls that run a writer themselves, after an answer or an event, and give none away. */
const RUNS_WRITERS = new Set(['useAction', 'useForm', 'useEvent', 'useJoined', 'useEffect']);
const HOOK = /^use[A-Z]/;

/**
 * Components read the query cache and never write to it, nor through a function that a hook returns: an
 * answer is applied by the call layer (`applied`). Live state is no query that is switched off.
 */
export function cacheWriters(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const source of tree.sources.values()) {
    if (!isWeb(source.path) || isTest(source.path)) continue;
    const mayWrite = MAY_WRITE_CACHE.test(source.path);
    const report = (node: ts.Node, advice: string): void => {
      problems.push({ file: source.path, line: source.lineOf(node), rule: 'cache writers', advice });
    };
    walk(source.ast, (node) => {
      const name = nameIn(node);
      if (!mayWrite && name !== null && CACHE_WRITERS.has(name)) {
        report(node, `${name} belongs in the slice's live.ts, or in a loader`);
      }
      if (ts.isCallExpression(node) && calleeOf(node) === 'useQuery' && node.arguments.some(isSwitchedOff)) {
        report(node, 'a query without a call is live state: use useLiveState');
      }
    });
    if (!mayWrite || source.path.startsWith('platform/')) continue;
    for (const { node, name, writer } of hooksReturningWriters(source)) {
      report(node, `${name} hands ${writer} to components: export an Applied for useAction or useForm`);
    }
  }
  return problems;
}

/** The name that an identifier or a string has, e.g. of `cache['setQueryData']`. */
const nameIn = (
  node: ts.Node,
): string | null => (ts.isIdentifier(node) || ts.isStringLiteralLike(node) ? node.text : null);

const calleeOf = ({ expression }: ts.CallExpression): string => expression.getText().split('.').at(-1) ?? '';

/** Hooks of a file whose result holds a function that changes cached answers. */
function hooksReturningWriters({ ast }: Source): { node: ts.Node; name: string; writer: string }[] {
  const functions = functionsIn(ast);
  // Functions that change cached answers, by themselves or through another function of the file.
  const writers = new Set(CHANGES);
  for (let before = 0; before < writers.size;) {
    before = writers.size;
    for (const { name, node } of functions) {
      if (!HOOK.test(name) && mentioned(node, writers) !== null) writers.add(name);
    }
  }
  return functions.filter(({ name }) => HOOK.test(name)).flatMap(({ name, node }) => {
    const writer = resultsOf(node).map((result) => mentioned(result, writers)).find((item) => item !== null);
    return writer ? [{ node, name, writer }] : [];
  });
}

/** Declarations of a file that are functions, or values made with one, e.g. by `useCallback`. */
function functionsIn(ast: ts.SourceFile): { name: string; node: ts.Node }[] {
  const found: { name: string; node: ts.Node }[] = [];
  walk(ast, (node) => {
    if (ts.isFunctionDeclaration(node) && node.name && node.body) {
      found.push({ name: node.name.text, node: node.body });
    }
    if (!ts.isVariableDeclaration(node) || !node.initializer) return;
    const { initializer } = node;
    const value = ts.isArrowFunction(initializer) ? initializer.body : initializer;
    for (const { name, as } of namesOf(node.name)) found.push({ name, node: value }, { name, node: as });
  });
  return found;
}

/** Names that a declaration binds: one, or those of a pattern, each with where it stands. */
const namesOf = (
  name: ts.BindingName,
  as: ts.Node = name,
): { name: string; as: ts.Node }[] => (ts.isIdentifier(name)
  ? [{ name: name.text, as }]
  : name.elements.flatMap((item) => (ts.isOmittedExpression(item) ? [] : namesOf(item.name, item))));

/** The first of the names that code uses, except in what a call of the layer runs itself. */
function mentioned(node: ts.Node, names: ReadonlySet<string>): string | null {
  if (ts.isCallExpression(node) && RUNS_WRITERS.has(calleeOf(node))) return null;
  const name = nameIn(node);
  if (name !== null && names.has(name) && !isKey(node)) return name;
  return ts.forEachChild(node, (child) => mentioned(child, names) ?? undefined) ?? null;
}

/** A key of an object, as in `{ change: 1 }`, names nothing else. */
const isKey = (node: ts.Node): boolean => ts.isPropertyAssignment(node.parent) && node.parent.name === node;

/** What a hook returns: the expression of an arrow, or those of its own `return` statements. */
function resultsOf(body: ts.Node): ts.Node[] {
  if (!ts.isBlock(body)) return [body];
  const results: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression) results.push(node.expression);
    ts.forEachChild(node, visit);
  };
  visit(body);
  return results;
}

/** A query with a function of its own that never runs; one that reads a call's answer is `...queryOf(…)`. */
const isSwitchedOff = (argument: ts.Expression): boolean =>
  ts.isObjectLiteralExpression(argument) && argument.properties.some((item) =>
    ts.isPropertyAssignment(item)
    && item.name.getText() === 'enabled' && item.initializer.kind === ts.SyntaxKind.FalseKeyword
  )
  && !argument.properties.some(ts.isSpreadAssignment);
