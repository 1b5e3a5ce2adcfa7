import { functionFileProblem } from '#platform/data/schema/function-files.ts';
import { lineAt, type Problem, type Tree } from '../tree.ts';

/**
 * The one migration that defines a function: tables of the platform need it before functions are applied.
 * All others hold tables and data: each function has one file, applied after the last migration
 * (decision 18).
 */
const WITH_FUNCTION = 'platform/data/tables/0001-baseline.sql';
const MIGRATION = /^(.*\/tables)\/\d{4}-[a-z0-9-]+\.sql$/u;
const FUNCTION_FILE = /\/tables\/functions\/[^/]+\.sql$/u;
const DEFINES = new RegExp(
  String.raw`\b(?:create\s+(?:or\s+replace\s+)?(?:constraint\s+)?|alter\s+)`
    + String.raw`(?:function|procedure|routine|aggregate|trigger)\b`,
  'iu',
);

/** Functions and triggers stand in files of their own, not in migrations. */
export function sqlFunctions(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const [file, text] of tree.files) {
    const folder = MIGRATION.exec(file)?.[1];
    if (folder !== undefined && file !== WITH_FUNCTION) {
      const found = DEFINES.exec(text.replaceAll(/--[^\n]*/gu, (comment) => ' '.repeat(comment.length)));
      const advice = `migrations hold tables and data; define it in ${folder}/functions/<name>.sql`;
      if (found) problems.push({ file, line: lineAt(text, found.index), rule: 'SQL functions', advice });
    }
    const advice = FUNCTION_FILE.test(file) ? functionFileProblem(file, text) : null;
    if (advice !== null) problems.push({ file, line: 1, rule: 'SQL functions', advice });
  }
  return problems;
}
