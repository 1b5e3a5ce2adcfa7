import ts from 'typescript';
import { walk } from '../source.ts';
import { isTest, type Problem, type Tree } from '../tree.ts';

/** A title that claims more proves less. */
const MAX_IDS_PER_TITLE = 2;
const BRACKET = /\[([^\]]*\b[ABC]-\d+[^\]]*)\]/g;

/** The requirement ids a test title claims, e.g. `refuses a tip to oneself [A-229, A-230]`. */
export const idsOf = (title: string): string[] =>
  [...title.matchAll(BRACKET)].flatMap((match) => (match[1] ?? '').match(/\b[ABC]-\d+\b/g) ?? []);

/** One row of a `requirements-*.tsv`. */
export interface Requirement {
  readonly id: string;
  readonly area: string;
  /** `call`, `constant`, `entity`, `error`, `event`, `modal`, `permission`, `route`, `rule`, `screen`, … */
  readonly kind: string;
  readonly text: string;
  /** Section of the text it is from. */
  readonly source: string;
}

/** The rows of a `requirements-*.tsv`. */
export function requirementsOf(tsv: string): Requirement[] {
  return tsv.split('\n').slice(1).filter(Boolean).map((row) => {
    const [id = '', area = '', kind = '', text = '', source = ''] = row.split('\t');
    return { id, area, kind, text, source };
  });
}

/** What is wrong with the ids a title claims; null when nothing is. */
export function titleFault(title: string, known: ReadonlySet<string>): string | null {
  const ids = idsOf(title);
  if (ids.length > MAX_IDS_PER_TITLE) {
    return `claims ${ids.length} ids, at most ${MAX_IDS_PER_TITLE}: split the test`;
  }
  const unknown = ids.filter((id) => !known.has(id));
  return unknown.length > 0
    ? `claims ${unknown.join(', ')}, which spec/requirements-*.tsv does not have`
    : null;
}

/** Test titles claim only ids that exist, at most two, and suites claim none. */
export function titles(tree: Tree): Problem[] {
  const known = new Set(
    [1, 2, 3].flatMap((part) =>
      requirementsOf(tree.files.get(`spec/requirements-${part}.tsv`) ?? '').map((row) => row.id)
    ),
  );
  const problems: Problem[] = [];
  for (const source of tree.sources.values()) {
    if (source.path.startsWith('tools/')) continue;
    walk(source.ast, (node) => {
      if (!ts.isCallExpression(node) || !node.arguments[0] || !ts.isStringLiteralLike(node.arguments[0])) {
        return;
      }
      const title = node.arguments[0].text;
      const caller = node.expression.getText();
      const line = source.lineOf(node);
      if (/^describe\b/.test(caller) && idsOf(title).length > 0) {
        problems.push(
          { file: source.path, line, rule: 'ids', advice: 'claim ids in the titles of single tests' },
        );
      }
      const fault = /^(?:it|test)\b/.test(caller) && isTest(source.path) ? titleFault(title, known) : null;
      if (fault) problems.push({ file: source.path, line, rule: 'ids', advice: fault });
    });
  }
  return problems;
}
