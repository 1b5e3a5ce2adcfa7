import { functionFileProblem } from '#platform/data/schema/function-files.ts';
import { lineAt, type Problem, type Tree } from '../tree.ts';

/**
 * The last migration of a folder that may define functions. Later ones, and those of other folders, hold
 * tables and data: each function has one file, which is applied after the last migration (decision 18).
 */
const LAST_WITH_FUNCTIONS: Readonly<Record<string, number>> = {
  'platform/data/tables': 5, 'product/billing/tables': 6, 'product/ledger/tables': 12,
};
const MIGRATION = /^(.*\/tables)\/(\d{4})-[a-z0-9-]+\.sql$/u;
const FUNCTION_FILE = /\/tables\/functions\/[^/]+\.sql$/u;
const DEFINES = new RegExp(
  String.raw`\b(?:create\s+(?:or\s+replace\s+)?(?:constraint\s+)?|alter\s+)`
  + String.raw`(?:function|procedure|routine|aggregate|trigger)\b`, 'iu',
);

/** Functions and triggers stand in files of their own, not in migrations. */
export function sqlFunctions(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const [file, text] of tree.files) {
    const [, folder = '', number = ''] = MIGRATION.exec(file) ?? [];
    if (number !== '' && Number(number) > (LAST_WITH_FUNCTIONS[folder] ?? 0)) {
      const found = DEFINES.exec(text.replaceAll(/--[^\n]*/gu, (comment) => ' '.repeat(comment.length)));
      const advice = `migrations hold tables and data; define it in ${folder}/functions/<name>.sql`;
      if (found) problems.push({ file, line: lineAt(text, found.index), rule: 'SQL functions', advice });
    }
    const advice = FUNCTION_FILE.test(file) ? functionFileProblem(file, text) : null;
    if (advice !== null) problems.push({ file, line: 1, rule: 'SQL functions', advice });
  }
  return problems;
}
