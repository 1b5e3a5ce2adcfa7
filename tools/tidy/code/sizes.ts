import ts from 'typescript';
import { walk, type Source } from '../source.ts';
import { isTest, type Problem, type Tree } from '../tree.ts';

const MAX_FILE_LINES = 500;
const MAX_FUNCTION_LINES = 70;
const MAX_LINE_LENGTH = 110;
const CODE = /\.(?:tsx?|mjs|css|sql)$/;

/** Files to 500 lines, functions to 70, lines to 110. */
export function sizes(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const [file, text] of tree.files) {
    if (!CODE.test(file)) continue;
    const lines = text.split('\n');
    const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
    if (count > MAX_FILE_LINES) {
      problems.push(
        { file, line: 1, rule: 'file size', advice: `${count} lines; split by noun at ${MAX_FILE_LINES}` },
      );
    }
    lines.forEach((line, at) => {
      const length = [...line].length;
      if (length <= MAX_LINE_LENGTH) return;
      problems.push(
        { file, line: at + 1, rule: 'line length', advice: `${length} > ${MAX_LINE_LENGTH}; break it` },
      );
    });
  }
  for (const source of tree.sources.values()) problems.push(...longFunctions(source));
  return problems;
}

function longFunctions(source: Source): Problem[] {
  const problems: Problem[] = [];
  walk(source.ast, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body || isSuite(source.path, node)) return;
    const first = source.ast.getLineAndCharacterOfPosition(node.getStart(source.ast)).line;
    const last = source.ast.getLineAndCharacterOfPosition(node.end).line;
    const count = last - first + 1;
    if (count <= MAX_FUNCTION_LINES) return;
    problems.push({
      file: source.path,
      line: first + 1,
      rule: 'function size',
      advice: `${count} lines; take parts with a name of their own out of it (limit ${MAX_FUNCTION_LINES})`,
    });
  });
  return problems;
}

/** The callback of `describe` is a chapter, not a function. */
function isSuite(path: string, node: ts.Node): boolean {
  if (!isTest(path) && !path.includes('conformance')) return false;
  const { parent } = node;
  return ts.isCallExpression(parent) && /^describe\b/.test(parent.expression.getText());
}
