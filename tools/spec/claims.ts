import ts from 'typescript';
import { idsOf } from '../tidy/content/titles.ts';

/** A test whose title claims requirements. */
export interface Claim {
  readonly file: string;
  readonly line: number;
  /** As written: `%s` and `${…}` of a test with a table stay in it. */
  readonly title: string;
  readonly ids: readonly string[];
  /** Source text of the whole call, with the table its titles come from. */
  readonly body: string;
}

const ID = /\b[ABC]-\d+\b/gu;

/** The tests of one file that claim requirements, in the order of the file. */
export function claimsOf(file: string, text: string): Claim[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const ast = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true, kind);
  const claims: Claim[] = [];
  const visit = (node: ts.Node): void => {
    const test = testOf(node);
    if (test && test.ids.length > 0) {
      const line = ast.getLineAndCharacterOfPosition(node.getStart(ast)).line + 1;
      claims.push({ file, line, ...test });
    }
    ts.forEachChild(node, visit);
  };
  visit(ast);
  return claims;
}

/**
 * Title, ids and text of `it('…')`, `test('…')`, `it.each(…)('…')` and of tests in a loop; null of all else.
 */
function testOf(node: ts.Node): Pick<Claim, 'title' | 'ids' | 'body'> | null {
  const [title] = ts.isCallExpression(node) ? node.arguments : [];
  if (!ts.isCallExpression(node) || !title || !/^(?:it|test)\b/u.test(node.expression.getText())) return null;
  if (ts.isStringLiteralLike(title)) {
    // `it.each(table)(title)`: ids may be in the rows.
    const rows = ts.isCallExpression(
        node.expression,
      ) && /%|\$/u.test(title.text)
      ? node.expression.getText()
      : '';
    return {
      title: title.text,
      ids: [...idsOf(title.text), ...(rows.match(ID) ?? [])],
      body: node.getText(),
    };
  }
  if (!ts.isTemplateExpression(title)) return null;
  const loop = ts.findAncestor(node, ts.isForOfStatement);
  const written = title.getText().slice(1, -1);
  return {
    title: written,
    ids: [...idsOf(written), ...(loop?.expression.getText().match(ID) ?? [])],
    body: (loop ?? node).getText(),
  };
}
