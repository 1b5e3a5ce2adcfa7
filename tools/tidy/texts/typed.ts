import ts from 'typescript';
import { walk } from '../source.ts';
import { isTest, isWeb, type Problem, type Tree } from '../tree.ts';

/** What people typed to be shown, as answers and events have it: their names, topics and bios. */
const TYPED_TEXTS = new Set([
  'displayName', 'display_name', 'subjectText', 'subject_text', 'limited_message', 'about',
]);
/** Isolates what stands in it. */
const ISOLATES = new Set(['Typed', 'bdi']);
const OR_ELSE: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken,
]);
/** Names of sites are the operator's. */
const OF_SITES = /\bsite\b/u;

/** What people typed stands in `<Typed>`: else an Arabic name turns the numbers beside it around. */
export function typedNames(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const { path, ast, lineOf } of tree.sources.values()) {
    if (!isWeb(path) || isTest(path)) continue;
    walk(ast, (node) => {
      if (!ts.isJsxExpression(node) || !node.expression || !isNameOf(node.expression)) return;
      const { parent } = node;
      if (ts.isJsxAttribute(parent)) return;
      if (ts.isJsxElement(parent) && ISOLATES.has(parent.openingElement.tagName.getText())) return;
      problems.push({
        file: path, line: lineOf(node), rule: 'typed names', advice: 'show it within <Typed>',
      });
    });
  }
  return problems;
}

/** Whether an expression is such a text, or chooses one. */
function isNameOf(node: ts.Expression): boolean {
  if (ts.isIdentifier(node)) return TYPED_TEXTS.has(node.text);
  if (ts.isPropertyAccessExpression(node)) {
    return TYPED_TEXTS.has(node.name.text) && !OF_SITES.test(node.expression.getText());
  }
  if (ts.isConditionalExpression(node)) return isNameOf(node.whenTrue) || isNameOf(node.whenFalse);
  // `about || t('none')`
  if (ts.isBinaryExpression(node) && OR_ELSE.has(node.operatorToken.kind)) {
    return isNameOf(node.left) || isNameOf(node.right);
  }
  return ts.isParenthesizedExpression(node) && isNameOf(node.expression);
}
