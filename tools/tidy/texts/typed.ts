import ts from 'typescript';
import { walk } from '../source.ts';
import { isTest, isWeb, type Problem, type Tree } from '../tree.ts';

/** What people typed to be shown, as answers and events have it: their names, topics, bios, remarks. */
const TYPED_TEXTS = new Set([
  'displayName',
  'display_name',
  'subjectText',
  'subject_text',
  'limited_message',
  'about',
  'comment',
]);
/** Titles that performers typed; others are ours. */
const TYPED_TITLES = /\b(?:goal|item)\.title$/u;
/** Isolates what stands in it. */
const ISOLATES = new Set(['Typed', 'bdi']);
const OR_ELSE: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);
/** Names of sites are the operator's. */
const OF_SITES = /\bsite\b/iu;

/** Properties of components that are given such texts, as `Component.property`. */
type Given = Set<string>;

/** What people typed stands in `<Typed>`: else an Arabic name turns the numbers beside it around. */
export function typedNames(tree: Tree): Problem[] {
  const pages = [...tree.sources.values()].filter(({ path }) => isWeb(path) && !isTest(path));
  const given: Given = new Set();
  // A component may pass on what it is given.
  for (let known = -1; known < given.size;) {
    known = given.size;
    for (const { ast } of pages) walk(ast, (node) => gather(node, given));
  }
  return pages.flatMap(({ path, ast, lineOf }) => {
    const problems: Problem[] = [];
    walk(ast, (node) => {
      const shown = shownBy(node);
      if (!shown || !isTyped(shown, given)) return;
      problems.push({
        file: path,
        line: lineOf(node),
        rule: 'typed names',
        advice: 'show it within <Typed>',
      });
    });
    return problems;
  });
}

/** What a node shows as it is: within an element that does not isolate it, or alone in a cell of a table. */
function shownBy(node: ts.Node): ts.Expression | null {
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'cell') {
    const { initializer: cell } = node;
    return ts.isArrowFunction(cell) && !ts.isBlock(cell.body) ? cell.body : null;
  }
  if (!ts.isJsxExpression(node) || !node.expression || ts.isJsxAttribute(node.parent)) return null;
  const isIsolated = ts.isJsxElement(node.parent)
    && ISOLATES.has(node.parent.openingElement.tagName.getText());
  return isIsolated ? null : node.expression;
}

/** Adds a property of a component, `<Tile name={user.display_name} />`; elements have attributes instead. */
function gather(node: ts.Node, given: Given): void {
  if (!ts.isJsxAttribute(node) || !node.initializer || !ts.isJsxExpression(node.initializer)) return;
  const { expression } = node.initializer;
  const element = node.parent.parent.tagName.getText();
  if (!expression || !/^[A-Z]/u.test(element) || !isTyped(expression, given)) return;
  given.add(`${element}.${node.name.getText()}`);
}

/** Whether an expression is such a text, has one among others, or chooses one. */
function isTyped(node: ts.Expression, given: Given): boolean {
  if (ts.isIdentifier(node)) return TYPED_TEXTS.has(node.text) || isOtherName(node, given);
  if (ts.isPropertyAccessExpression(node)) {
    return (TYPED_TEXTS.has(node.name.text) || TYPED_TITLES.test(node.getText()))
      && !OF_SITES.test(node.expression.getText());
  }
  if (ts.isConditionalExpression(node)) {
    return isTyped(node.whenTrue, given) || isTyped(node.whenFalse, given);
  }
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.some(({ expression }) => isTyped(expression, given));
  }
  // `about || t('none')`
  if (ts.isBinaryExpression(node) && OR_ELSE.has(node.operatorToken.kind)) {
    return isTyped(node.left, given) || isTyped(node.right, given);
  }
  return ts.isParenthesizedExpression(node) && isTyped(node.expression, given);
}

/** Whether a name was given to such a text: `const name = user.display_name`, `{ display_name: name }`. */
function isOtherName({ text, parent: from }: ts.Identifier, given: Given): boolean {
  for (let scope: ts.Node = from; scope; scope = scope.parent) {
    if (!ts.isFunctionLike(scope)) continue;
    let [isBound, isSuch] = [false, false];
    walk(scope, (node) => {
      const isHere = (ts.isBindingElement(node) || ts.isVariableDeclaration(node))
        && ts.isIdentifier(node.name) && node.name.text === text;
      if (!isHere) return;
      isBound = true;
      isSuch ||= ts.isBindingElement(node)
        ? isTypedProperty(node, given)
        : node.initializer !== undefined && isTyped(node.initializer, given);
    });
    if (isBound) return isSuch;
  }
  return false;
}

/** Whether what is taken out of an object, or out of the properties of a component, is such a text. */
function isTypedProperty(node: ts.BindingElement, given: Given): boolean {
  const name = (node.propertyName ?? node.name).getText();
  if (TYPED_TEXTS.has(name)) return true;
  const parameter = node.parent.parent;
  if (!ts.isParameter(parameter)) return false;
  const { parent: component } = parameter;
  // `function Tile(…)`, or `const Tile = (…) => …`
  const named = ts.isFunctionDeclaration(component)
    ? component.name
    : ts.isVariableDeclaration(component.parent)
    ? component.parent.name
    : undefined;
  return given.has(`${named?.getText() ?? ''}.${name}`);
}
