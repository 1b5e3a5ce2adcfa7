import ts from 'typescript';
import { pathOf, walk, type Source } from '../source.ts';
import { isTest, sliceOf, type Problem, type Tree } from '../tree.ts';

const ROADMAP = 'docs/roadmap.md';
const FILE = 'extension-points.ts';
/** `required.single`, `optional.many` … */
const DECLARES = /^(required|optional)\.(single|many)$/;

/** An extension point as its declaration, its implementers and its callers say. */
export interface Point {
  /** `rooms.guard`. */
  readonly name: string;
  /** Name of the constant. */
  readonly constant: string;
  readonly owner: string;
  readonly file: string;
  readonly line: number;
  readonly kind: 'required' | 'optional';
  readonly implementers: 'single' | 'many';
  /** Texts of the declaration by field: description, byDefault, safeBecause. */
  readonly texts: ReadonlyMap<string, string>;
  readonly milestone: number | null;
  /** Slices, in order of their names. */
  readonly implementedBy: readonly string[];
  readonly calledBy: readonly string[];
  readonly isTested: boolean;
}

/** A test, or what stands in for the product in tests. */
const isOfTests = (path: string): boolean => isTest(path) || path.startsWith('product/testkit/');

type Declared = Omit<Point, 'implementedBy' | 'calledBy' | 'isTested'>;

/** Every extension point of the product, in the order of the slices. */
export function pointsOf(tree: Tree): Point[] {
  const declared = tree.slices.flatMap((slice) => declaredIn(tree, slice));
  const uses = [...tree.sources.values()].flatMap(usesIn);
  return declared.map((point) => {
    const own = uses.filter(({ file, constant }) => file === point.file && constant === point.constant);
    const slicesOf = (how: Use['how']): string[] =>
      [
        ...new Set(
          own.flatMap((
            use,
          ) => (use.how === how && !isOfTests(use.from) ? sliceOf(use.from)?.slice ?? [] : [])),
        ),
      ].toSorted();
    return {
      ...point,
      implementedBy: slicesOf('implements'),
      calledBy: slicesOf('calls'),
      isTested: own.some(({ how, from }) => how === 'implements' && isOfTests(from)),
    };
  });
}

function declaredIn(tree: Tree, slice: string): Declared[] {
  const file = `product/${slice}/${FILE}`;
  const source = tree.sources.get(file);
  const found: Declared[] = [];
  for (const statement of source?.ast.statements ?? []) {
    if (!source || !ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!initializer || !ts.isCallExpression(initializer)) continue;
      const made = DECLARES.exec(initializer.expression.getText());
      if (!made) continue;
      const fields = fieldsOf(initializer.arguments[0]);
      found.push({
        file,
        owner: slice,
        line: source.lineOf(name),
        constant: name.getText(),
        kind: made[1] as Point['kind'],
        implementers: made[2] as Point['implementers'],
        name: fields.get('name') ?? '',
        texts: fields,
        milestone: fields.has('milestone') ? Number(fields.get('milestone')) : null,
      });
    }
  }
  return found;
}

/** Fields of an object literal that are texts, joined by `+` or not, and numbers. */
function fieldsOf(argument: ts.Expression | undefined): Map<string, string> {
  const properties = argument && ts.isObjectLiteralExpression(argument) ? argument.properties : [];
  return new Map(properties.flatMap((property) => (ts.isPropertyAssignment(property)
    ? [[property.name.getText(), textOf(property.initializer)] as const]
    : [])
  ));
}

function textOf(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text;
  return ts.isBinaryExpression(node) ? textOf(node.left) + textOf(node.right) : '';
}

interface Use {
  /** File and constant of the extension point. */
  readonly file: string;
  readonly constant: string;
  readonly from: string;
  readonly how: 'implements' | 'calls';
}

/** Where a file implements or calls extension points: `implement(x, …)`, `one(x)`, `all(x)`. */
function usesIn(source: Source): Use[] {
  const { byName, spaces } = boundNames(source);
  if (byName.size + spaces.size === 0) return [];
  const uses: Use[] = [];
  walk(source.ast, (node) => {
    if (!ts.isCallExpression(node) || !node.arguments[0]) return;
    const callee = node.expression.getText().split('.').at(-1) ?? '';
    if (!['implement', 'one', 'all'].includes(callee)) return;
    const [argument] = node.arguments;
    const how = callee === 'implement' ? 'implements' : 'calls';
    const named = byName.get(argument.getText());
    if (named) uses.push({ ...named, from: source.path, how });
    if (!ts.isPropertyAccessExpression(argument)) return;
    const file = spaces.get(argument.expression.getText());
    if (file !== undefined) uses.push({ file, constant: argument.name.text, from: source.path, how });
  });
  return uses;
}

/** What a file imports of extension-points.ts files: by local name, and as namespaces. */
function boundNames(source: Source) {
  const byName = new Map<string, { readonly file: string; readonly constant: string }>();
  const spaces = new Map<string, string>();
  for (const statement of source.ast.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const file = pathOf(source.path, statement.moduleSpecifier.text);
    const bindings = statement.importClause?.namedBindings;
    if (!file.endsWith(`/${FILE}`) || !bindings) continue;
    if (ts.isNamespaceImport(bindings)) spaces.set(bindings.name.text, file);
    else {
      for (const { name, propertyName } of bindings.elements) {
        byName.set(name.text, { file, constant: (propertyName ?? name).text });
      }
    }
  }
  return { byName, spaces };
}

/** Every extension point is offered by its slice, called, and implemented now or by a stated milestone. */
export function extensionPoints(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  const roadmap = tree.files.get(ROADMAP) ?? '';
  for (const point of pointsOf(tree)) {
    const { file, line } = point;
    const advice = faultOf(point, roadmap);
    if (advice) problems.push({ file, line, rule: 'extension point', advice });
  }
  for (const source of tree.sources.values()) {
    const own = sliceOf(source.path);
    if (own?.inside === FILE) {
      if (!/\bextensionPoints\b/.test(tree.files.get(`product/${own.slice}/server.ts`) ?? '')) {
        const advice = `return \`extensionPoints\` with the slice ${own.slice}: all of this file`;
        problems.push({ file: source.path, line: 1, rule: 'extension point', advice });
      }
    } else problems.push(...declaredElsewhere(source));
  }
  return problems;
}

function faultOf(point: Point, roadmap: string): string | null {
  const { name, owner, implementedBy, calledBy, milestone, kind, texts, isTested } = point;
  if (!name.startsWith(`${owner}.`)) return `${name || 'it'}: begin the name with ${owner}.`;
  if (calledBy.length === 0) return `nothing calls ${name}: delete it`;
  if (kind === 'optional' && !(texts.get('byDefault') && texts.get('safeBecause'))) {
    return `${name}: say in plain strings what happens by default and why that is safe`;
  }
  if (implementedBy.length > 0) {
    return milestone === null
      ? null
      : `${name} is implemented by ${implementedBy.join(', ')}: drop its milestone`;
  }
  if (kind === 'required') return `no slice implements ${name}`;
  if (milestone === null) {
    const who = isTested ? 'only tests implement' : 'nothing implements';
    return `${who} ${name}: name the milestone that will, or delete it`;
  }
  const toCome = roadmap.replace(/^Done:.*$/m, '');
  return new RegExp(`(?<![\\d.])${milestone}\\. `).test(toCome)
    ? null
    : `${name}: ${ROADMAP} has no milestone ${milestone} to come`;
}

/** Declarations stand in extension-points.ts alone. */
function declaredElsewhere(source: Source): Problem[] {
  const problems: Problem[] = [];
  if (!sliceOf(source.path) || isTest(source.path)) return problems;
  walk(source.ast, (node) => {
    if (!ts.isCallExpression(node) || !DECLARES.test(node.expression.getText())) return;
    problems.push({
      file: source.path,
      line: source.lineOf(node),
      rule: 'extension point',
      advice: `declare it in the slice's ${FILE}`,
    });
  });
  return problems;
}
