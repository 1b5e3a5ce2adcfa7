import ts from 'typescript';
import type { Change } from './sql-mutants.ts';

type Swap = readonly [operator: string, text: string];
const { SyntaxKind } = ts;

const BINARY: ReadonlyMap<ts.SyntaxKind, readonly Swap[]> = new Map<ts.SyntaxKind, readonly Swap[]>([
  [SyntaxKind.LessThanToken, [['boundary', '<='], ['comparison', '>=']]],
  [SyntaxKind.LessThanEqualsToken, [['boundary', '<'], ['comparison', '>']]],
  [SyntaxKind.GreaterThanToken, [['boundary', '>='], ['comparison', '<=']]],
  [SyntaxKind.GreaterThanEqualsToken, [['boundary', '>'], ['comparison', '<']]],
  [SyntaxKind.EqualsEqualsEqualsToken, [['comparison', '!==']]],
  [SyntaxKind.ExclamationEqualsEqualsToken, [['comparison', '===']]],
  [SyntaxKind.PlusToken, [['arithmetic', '-']]],
  [SyntaxKind.MinusToken, [['arithmetic', '+']]],
  [SyntaxKind.AsteriskToken, [['arithmetic', '/']]],
  [SyntaxKind.SlashToken, [['arithmetic', '*']]],
  [SyntaxKind.AmpersandAmpersandToken, [['connective', '||']]],
  [SyntaxKind.BarBarToken, [['connective', '&&']]],
  [SyntaxKind.PlusEqualsToken, [['arithmetic', '-=']]],
  [SyntaxKind.MinusEqualsToken, [['arithmetic', '+=']]],
]);

/** Every mutant of a source that one operator makes at one place. Types, imports and texts stay. */
export function typescriptMutants(path: string, source: string): Change[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ES2022, true);
  const changes: Change[] = [];
  const note = (operator: string, node: ts.Node, text: string): void =>
    void changes.push({ operator, from: node.getStart(file), to: node.end, text });
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    mutate(node, note);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return changes;
}

function mutate(node: ts.Node, note: (operator: string, node: ts.Node, text: string) => void): void {
  if (ts.isBinaryExpression(node)) {
    const { left, right, operatorToken } = node;
    const isText = [left, right].some((side) =>
      ts.isStringLiteralLike(side) || ts.isTemplateExpression(side)
    );
    if (isText && operatorToken.kind === SyntaxKind.PlusToken) return;
    for (const [operator, text] of BINARY.get(operatorToken.kind) ?? []) note(operator, operatorToken, text);
    return;
  }
  if (ts.isNumericLiteral(node)) {
    if (isSetting(node)) return;
    note('constant', node, String(Number(node.text.replaceAll('_', '')) + 1));
  } else if (node.kind === SyntaxKind.TrueKeyword) note('constant', node, 'false');
  else if (node.kind === SyntaxKind.FalseKeyword) note('constant', node, 'true');
  else if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
    note('negation', node, node.operand.getText());
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.MinusToken) {
    note('arithmetic', node, node.operand.getText());
  } else if (ts.isConditionalExpression(node)) {
    note('choice', node, `(${node.whenTrue.getText()})`);
    note('choice', node, `(${node.whenFalse.getText()})`);
  } else if (ts.isIfStatement(node)) note('condition', node.expression, 'false');
  else if (ts.isExpressionStatement(node) && isAction(node.expression)) note('statement', node, ';');
  else if (ts.isPropertyAccessExpression(node)) swapCall(node, note);
}

const isAction = (node: ts.Expression): boolean => ts.isCallExpression(node) || ts.isAwaitExpression(node);

/** A named number of its own: whoever uses it uses the name, and another one is another decision. */
function isSetting(node: ts.Node): boolean {
  for (let up = node.parent; up; up = up.parent) {
    if (ts.isFunctionLike(up)) return false;
    if (ts.isVariableStatement(up)) return ts.isSourceFile(up.parent);
  }
  return false;
}

const CALLS: Readonly<Record<string, string>> = {
  'Math.min': 'Math.max',
  'Math.max': 'Math.min',
  'Math.floor': 'Math.ceil',
  'Math.ceil': 'Math.floor',
  'Math.abs': '',
  some: 'every',
  every: 'some',
};

function swapCall(
  node: ts.PropertyAccessExpression,
  note: (operator: string, node: ts.Node, text: string) => void,
): void {
  const whole = CALLS[node.getText()];
  if (whole !== undefined) note('extreme', node, whole);
  const method = CALLS[node.name.text];
  if (method !== undefined && ts.isCallExpression(node.parent)) note('connective', node.name, method);
}
