import ts from 'typescript';
import { walk, type Source } from '../source.ts';
import { isClient, isTest, sliceOf, type Problem, type Tree } from '../tree.ts';

/** What runs by itself: programs, tests, benches, tools named in package.json, configuration. */
const ROOTS = [
  /^[\w.-]+\.config\.ts$/, /^programs\/[^/]+\.ts$/,
  /^bench\/(?:(?:(?:media|tips|frames|notices|shows)\/)?[^/]+|.*-child)\.ts$/,
  /^product\/screens\/web\/(?:routes|root|entry)\b.*$/,
];
/** Names the router asks of a route module. */
const ROUTE_NAMES = new Set([
  'default', 'loader', 'clientLoader', 'action', 'clientAction', 'meta', 'links', 'headers', 'handle',
  'middleware',
  'ErrorBoundary', 'HydrateFallback', 'Layout', 'shouldRevalidate', 'streamTimeout', 'handleError',
  'handleDataRequest',
]);

const isRoot = (tree: Tree, path: string): boolean =>
  ROOTS.some((root) => root.test(path)) || isTest(path)
  || (tree.files.get('package.json') ?? '').includes(path)
  || (tree.files.get('.ci/run') ?? '').includes(path) || path.endsWith('.d.ts');

/** No file that nothing reaches, and no export that nothing imports. */
export function deadCode(tree: Tree): Problem[] {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const one of tree.sources.get(path)?.imports ?? []) if (one.target) visit(one.target);
  };
  for (const path of tree.sources.keys()) if (isRoot(tree, path)) visit(path);
  const problems: Problem[] = [];
  const taken = takenNames(tree, reached);
  for (const source of tree.sources.values()) {
    if (isClient(source.path)) continue;
    if (!reached.has(source.path)) {
      const advice = 'no program, route, test or tool reaches it; use it or delete it';
      problems.push({ file: source.path, line: 1, rule: 'dead file', advice });
    } else if (!isRoot(tree, source.path)) {
      problems.push(...deadExports(source, taken.get(source.path) ?? new Set()));
    }
  }
  return problems;
}

/**
 * Per file, the names others import; `*` where a file is named as a whole. A client is generated from its
 * contract: whoever imports a name of it imports that of the contract.
 */
function takenNames(tree: Tree, reached: ReadonlySet<string>): Map<string, Set<string>> {
  const taken = new Map<string, Set<string>>();
  for (const source of tree.sources.values()) {
    if (!reached.has(source.path)) continue;
    for (const one of source.imports) {
      if (!one.target || (isClient(source.path) && one.names.includes('*'))) continue;
      for (const target of isClient(one.target) ? contractsOf(tree, one.target) : [one.target]) {
        const names = taken.get(target) ?? new Set<string>();
        taken.set(target, names);
        for (const name of one.names) names.add(name);
        if (one.kind === 'path') for (const name of ROUTE_NAMES) names.add(name);
      }
    }
  }
  return taken;
}

/** The files a client is generated from: those it imports beside the platform's types. */
const contractsOf = (tree: Tree, client: string): readonly string[] =>
  (tree.sources.get(client)?.imports ?? []).flatMap(({ target, names }) =>
    (target && names.includes('*') ? [target] : []));

function deadExports(source: Source, taken: ReadonlySet<string>): Problem[] {
  if (taken.has('*')) return [];
  return source.exports.filter((one) => !taken.has(one.name) && one.name !== '*')
    // A type that this file's other exports are made of is part of their signature,
    // and a contract's shapes are its vocabulary once one of its calls speaks them.
    .filter((one) => !(one.isType || isContract(source.path)) || timesUsed(source, one.name) < 2)
    .map((one) => ({
      file: source.path, line: one.line, rule: 'dead export',
      advice: `nothing imports ${one.name}; delete it, or drop the word export`,
    }));
}

const isContract = (path: string): boolean =>
  /^contract(?:\.ts|\/)/.test(sliceOf(path)?.inside ?? '');

function timesUsed(source: Source, name: string): number {
  let count = 0;
  walk(source.ast, (node) => {
    if (ts.isIdentifier(node) && node.text === name) count += 1;
  });
  return count;
}

/** Imports never run in a circle, types included. */
export function cycles(tree: Tree): Problem[] {
  const state = new Map<string, 'open' | 'done'>();
  const problems: Problem[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    state.set(path, 'open');
    for (const one of tree.sources.get(path)?.imports ?? []) {
      if (!one.target || one.kind === 'path' || !tree.sources.has(one.target)) continue;
      if (state.get(one.target) === 'open') {
        const circle = [...trail.slice(trail.indexOf(one.target)), one.target].join(' → ');
        problems.push({ file: path, line: one.line, rule: 'import cycle', advice: `break ${circle}` });
      } else if (!state.has(one.target)) visit(one.target, [...trail, one.target]);
    }
    state.set(path, 'done');
  };
  for (const path of tree.sources.keys()) if (!state.has(path)) visit(path, [path]);
  return problems;
}
