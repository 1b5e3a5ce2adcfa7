import ts from 'typescript';
import { walk, type Source } from '../source.ts';
import { isTest, isWeb, partOf, sliceOf, type Problem, type Tree } from '../tree.ts';
import { roleOf } from './boundaries.ts';

const MUTATORS = new Set([
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'sort',
  'reverse',
  'fill',
  'copyWithin',
  'set',
  'add',
  'delete',
  'clear',
]);
const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);
/** Where time is made or passes: the clock, programs, and test peers that live in the world outside. */
const MAY_READ_TIME =
  /^(?:platform\/data\/clock\.ts|platform\/streaming\/conformance\/|programs\/|bench\/|e2e\/|tools\/)/;
/** The one place of a page that reads the browser's clock, which may be wrong. */
const CLOCK_OF_PAGES = 'platform/ui/time/server-clock.ts';
/** Reads a clock that somebody may set. */
const readsWall = (node: ts.Node): boolean =>
  (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
  || (ts.isCallExpression(node) && node.expression.getText() === 'Date')
  || (ts.isPropertyAccessExpression(node)
    && /^(?:(?:globalThis|window)\.)?(?:Date\.now|performance\.timeOrigin)$/.test(node.getText()))
  || (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name)
    && node.initializer?.getText() === 'Date');

const BROWSER_CLOCK = 'a browser\'s clock may be wrong: ask useServerClock, or runningMs';

/** The explicit places of randomness. */
const MAY_ROLL_DICE = /^(?:platform\/data\/ids\.ts|bench\/|tools\/)/;
const TIMERS = new Set(['setTimeout', 'setInterval']);

const at = (source: Source, node: ts.Node, rule: string, advice: string): Problem => ({
  file: source.path,
  line: source.lineOf(node),
  rule,
  advice,
});

const overSources = (tree: Tree, judge: (source: Source) => Problem[]): Problem[] =>
  [...tree.sources.values()].flatMap(judge);

/** No state at module level: two sites in one process must not meet there. */
export function moduleState(tree: Tree): Problem[] {
  return overSources(tree, (source) => (isTest(source.path) || isMain(source) ? [] : stateOf(source)));
}

/** What exports nothing is a program or a worker: its module level is its run. */
const isMain = (source: Source): boolean => source.exports.length === 0;

function stateOf(source: Source): Problem[] {
  const rule = 'module state';
  const problems: Problem[] = [];
  const changed = changedNames(source.ast);
  for (const statement of source.ast.statements) {
    if (!ts.isVariableStatement(statement) || isDeclared(statement)) continue;
    if (!(statement.declarationList.flags & ts.NodeFlags.Const)) {
      problems.push(at(source, statement, rule, 'a module-level let; keep it in what you build and return'));
      continue;
    }
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!ts.isIdentifier(name) || !initializer) continue;
      if (isEmptyCollection(initializer) || (isCollection(initializer) && changed.has(name.text))) {
        problems.push(
          at(source, name, rule, `${name.text} is filled at run time; keep it in what you build`),
        );
      }
    }
  }
  walk(source.ast, (node) => {
    if (!ts.isPropertyDeclaration(node)) return;
    const kinds = node.modifiers?.map((modifier) => modifier.kind) ?? [];
    if (kinds.includes(ts.SyntaxKind.StaticKeyword) && !kinds.includes(ts.SyntaxKind.ReadonlyKeyword)) {
      problems.push(at(source, node, rule, 'a static field that changes; make it readonly or a field'));
    }
  });
  return problems;
}

const isDeclared = (statement: ts.VariableStatement): boolean =>
  !!statement.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.DeclareKeyword);

/** `x as T`, `x satisfies T` and `(x)` are x. */
function bare(node: ts.Expression): ts.Expression {
  return ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)
    ? bare(node.expression)
    : node;
}

function isCollection(initializer: ts.Expression): boolean {
  const node = bare(initializer);
  return ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node)
    || (ts.isNewExpression(node) && COLLECTIONS.has(node.expression.getText()));
}

function isEmptyCollection(initializer: ts.Expression): boolean {
  const node = bare(initializer);
  return ts.isNewExpression(node) && COLLECTIONS.has(node.expression.getText()) && !node.arguments?.length;
}

/**
 * Names whose content is changed somewhere in the file: `x.push(…)`, `x[k] = …`, `x.y += …`, `delete x[k]`.
 */
function changedNames(ast: ts.SourceFile): Set<string> {
  const changed = new Set<string>();
  const note = (node: ts.Expression): void => {
    if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) return;
    if (ts.isIdentifier(node.expression)) changed.add(node.expression.text);
  };
  walk(ast, (node) => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      if (MUTATORS.has(node.expression.name.text)) note(node.expression);
      const first = node.arguments[0];
      if (node.expression.getText() === 'Object.assign' && first && ts.isIdentifier(first)) {
        changed.add(first.text);
      }
    }
    if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) note(node.left);
    if (ts.isDeleteExpression(node)) note(node.expression);
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
      const steps = node.operator === ts.SyntaxKind.PlusPlusToken
        || node.operator === ts.SyntaxKind.MinusMinusToken;
      if (steps && ts.isExpression(node.operand)) note(node.operand);
    }
  });
  return changed;
}

const isAssignment = (kind: ts.SyntaxKind): boolean =>
  kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;

/** Time and randomness come through ports, so that tests and replays own them. */
export function timeAndChance(tree: Tree): Problem[] {
  return overSources(tree, (source) => {
    const problems: Problem[] = [];
    const browser = isWeb(source.path);
    walk(source.ast, (node) => {
      const text = ts.isCallExpression(node) || ts.isNewExpression(node) ? node.expression.getText() : '';
      if (MAY_READ_TIME.test(source.path)) return;
      if (browser && !isTest(source.path) && source.path !== CLOCK_OF_PAGES && readsWall(node)) {
        problems.push(at(source, node, 'time', BROWSER_CLOCK));
      }
      if (!text) return;
      const now = text === 'Date.now'
        || (ts.isNewExpression(node) && text === 'Date' && !node.arguments?.length);
      const timer = TIMERS.has(text.replace(/^(?:globalThis|window)\./, ''));
      if (!browser && now) {
        problems.push(at(source, node, 'time', 'take the time from the Clock (or tx.now)'));
      }
      if (!browser && timer) {
        problems.push(at(source, node, 'time', 'use clock.after or clock.every; tests never sleep'));
      }
    });
    walk(source.ast, (node) => {
      if (!ts.isCallExpression(node) || node.expression.getText() !== 'Math.random') return;
      if (MAY_ROLL_DICE.test(source.path)) return;
      problems.push(
        at(source, node, 'chance', 'randomness is an input: take it as a parameter, or use node:crypto'),
      );
    });
    return problems;
  });
}

const WIRE_TYPES = new Set(
  ['z.date', 'z.bigint', 'z.map', 'z.set', 'z.symbol', 'z.function', 'z.preprocess', 'z.codec'],
);

/** contract.ts only declares, and only what JSON can say. */
export function contractsDeclare(tree: Tree): Problem[] {
  const rule = 'contract declares';
  return overSources(tree, (source) => {
    const own = sliceOf(source.path);
    if (!own || roleOf(own.inside) !== 'contract') return [];
    const problems: Problem[] = [];
    walk(source.ast, (node) => {
      if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) {
        problems.push(at(source, node, rule, 'a decision belongs in rules.ts'));
      }
      if ((ts.isArrowFunction(node) || ts.isFunctionExpression(node)) && !isCheck(node)) {
        problems.push(
          at(source, node, rule, 'only a check of a shape may be a function here; move it to rules.ts'),
        );
      }
      if (!ts.isCallExpression(node)) return;
      const name = node.expression.getText();
      const last = name.split('.').at(-1) ?? '';
      if (
        WIRE_TYPES.has(name) || ['transform', 'pipe', 'overwrite'].includes(last)
        || name.startsWith('z.coerce')
      ) {
        problems.push(
          at(source, node, 'JSON only', `${last} is not JSON in and out; the wire knows no transforms`),
        );
      }
    });
    return problems;
  });
}

/** The limit of a record, or the check of a body that is not JSON (`media`). */
function isCheck(node: ts.Node): boolean {
  for (let up = node.parent; up; up = up.parent) {
    if (ts.isCallExpression(up) && /^z\.custom\b|\.refine$/.test(up.expression.getText())) {
      return true;
    }
  }
  return false;
}

const IMPURE = /^(?:process|console|crypto|globalThis|fetch|performance)$/;

/** rules.ts decides and touches nothing. */
export function rulesArePure(tree: Tree): Problem[] {
  const rule = 'pure rules';
  return overSources(tree, (source) => {
    const own = sliceOf(source.path);
    if (!own || roleOf(own.inside) !== 'rules') return [];
    const problems: Problem[] = [];
    walk(source.ast, (node) => {
      if (node.kind === ts.SyntaxKind.AsyncKeyword || ts.isAwaitExpression(node)) {
        problems.push(at(source, node, rule, 'nothing to wait for in a rule; await in server.ts'));
      }
      if (!ts.isIdentifier(node)) return;
      const { parent } = node;
      const used = (ts.isPropertyAccessExpression(parent) || ts.isCallExpression(parent))
        && parent.expression === node;
      if (used && IMPURE.test(node.text)) {
        problems.push(at(source, node, rule, `${node.text} is an input, pass it in`));
      }
    });
    return problems;
  });
}

/** Words of the product that no identifier of the platform may contain. */
const PRODUCT_WORDS = new Set([
  'tip',
  'tips',
  'performer',
  'performers',
  'fanclub',
  'ledger',
  'payout',
  'studio',
  'broadcaster',
]);

/** The platform knows no product word. */
export function platformWords(tree: Tree): Problem[] {
  return overSources(tree, (source) => {
    if (!partOf(source.path) || isTest(source.path)) return [];
    const problems: Problem[] = [];
    walk(source.ast, (node) => {
      if (!ts.isIdentifier(node)) return;
      const word = node.text.split(/(?=[A-Z])|_/).find((part) => PRODUCT_WORDS.has(part.toLowerCase()));
      if (word) {
        problems.push(at(source, node, 'platform words', `${node.text}: "${word}" is a word of the product`));
      }
    });
    return problems;
  });
}

/** What a framework asks to be the default export. */
const DEFAULTED = /(?:^[\w.-]+\.config\.ts|\/routes\.ts|\/root\.tsx|\/entry\.(?:client|server)\.tsx)$/;

const DEFAULT_LOADERS = [
  { from: /\/routes\.ts$/, kind: 'path' },
  { from: /^[\w-]+\.config\.ts$/, kind: 'path' },
  { from: /\.tsx$/, kind: 'dynamic' },
] as const;

/**
 * Named exports only, except where a framework demands a default: routes, what `lazy` loads, what vitest
 * loads.
 */
export function namedExports(tree: Tree): Problem[] {
  const demanded = new Set(DEFAULT_LOADERS.flatMap(({ from, kind }) =>
    [...tree.sources.values()]
      .filter((source) => from.test(source.path))
      .flatMap(
        (source) =>
          source.imports.flatMap((item) => (item.kind === kind && item.target ? [item.target] : [])),
      )
  ));
  return overSources(tree, (source) =>
    source.exports.flatMap((item) => {
      if (item.name === '*' && !isTest(source.path)) {
        return [
          {
            file: source.path,
            line: item.line,
            rule: 'no barrels',
            advice: 'import from where it is written',
          },
        ];
      }
      if (item.name !== 'default' || DEFAULTED.test(source.path) || demanded.has(source.path)) return [];
      const types = source.path.endsWith('.d.ts');
      return types
        ? []
        : [{ file: source.path, line: item.line, rule: 'named exports', advice: 'give the export a name' }];
    }));
}
