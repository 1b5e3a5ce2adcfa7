import ts from 'typescript';
import { walk } from '../source.ts';
import { isTest, isWeb, type Problem, type Tree } from '../tree.ts';

/** Names that people chose to be shown by, as answers and events have them. */
const DISPLAY_NAMES = new Set(['displayName', 'display_name']);
/** Isolates what stands in it. */
const ISOLATES = new Set(['Typed', 'bdi']);
/** Names of sites are the operator's. */
const OF_SITES = /\bsite\b/u;

/** Display names stand in `<Typed>`: else an Arabic one turns the numbers beside it around. */
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
        file: path, line: lineOf(node), rule: 'typed names', advice: 'show the name within <Typed>',
      });
    });
  }
  return problems;
}

/** Whether an expression is a display name, or chooses one. */
function isNameOf(node: ts.Expression): boolean {
  if (ts.isIdentifier(node)) return DISPLAY_NAMES.has(node.text);
  if (ts.isPropertyAccessExpression(node)) {
    return DISPLAY_NAMES.has(node.name.text) && !OF_SITES.test(node.expression.getText());
  }
  if (ts.isConditionalExpression(node)) return isNameOf(node.whenTrue) || isNameOf(node.whenFalse);
  return ts.isParenthesizedExpression(node) && isNameOf(node.expression);
}
