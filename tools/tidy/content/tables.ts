import ts from 'typescript';
import { roleOf } from '../code/boundaries.ts';
import { walk, type Source } from '../source.ts';
import { isTest, lineAt, sliceOf, type Problem, type Tree } from '../tree.ts';

/** Only ids of these may be referenced across schemas (architecture.md §1, settled homes). */
const REFERENCED = new Set(['accounts', 'compliance']);
const QUERIES = new Set([
  'selectFrom',
  'insertInto',
  'updateTable',
  'deleteFrom',
  'mergeInto',
  'innerJoin',
  'leftJoin',
  'rightJoin',
  'fullJoin',
]);
const CREATES = /create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?([\w.]+)\s*\(/gi;
/** Statements that touch a schema, with the name they touch. */
const TOUCHES = new RegExp(
  '\\b(create\\s+schema|(?:create|alter|drop)\\s+(?:or\\s+replace\\s+)?(?:unlogged\\s+)?'
    + '(?:table|type|sequence|function|view)|insert\\s+into|update|delete\\s+from|truncate|from|join'
    + '|references)\\s+'
    + '(?:if\\s+(?:not\\s+)?exists\\s+|only\\s+)?([a-z_]+)(?:\\.([a-z_0-9]+))?',
  'gi',
);
const WALL_CLOCK =
  /\b(?:now\s*\(\s*\)|current_timestamp|current_date|clock_timestamp|statement_timestamp|localtimestamp)/i;

/** A slice's PostgreSQL schema has its name, with underscores. */
const schemaOf = (slice: string): string => slice.replaceAll('-', '_');
const schemasOf = (tree: Tree): Set<string> => new Set(tree.slices.map(schemaOf));

const withoutComments = (text: string): string =>
  text.replace(/--[^\n]*/g, (found) => ' '.repeat(found.length))
    .replace(/\/\*[\s\S]*?\*\//g, (found) => found.replace(/[^\n]/g, ' '));

/** One owner per table: a slice's SQL stands in store.ts and tables/, and names its own schema only. */
export function tableOwners(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const [file, text] of tree.files) {
    const own = sliceOf(file);
    if (own && own.inside.startsWith('tables/')) {
      problems.push(...migrationFaults(tree, file, schemaOf(own.slice), text));
    }
  }
  for (const source of tree.sources.values()) {
    const own = sliceOf(source.path);
    if (own) problems.push(...sourceFaults(tree, source, schemaOf(own.slice), own.inside));
  }
  return problems;
}

function migrationFaults(tree: Tree, file: string, slice: string, raw: string): Problem[] {
  const text = withoutComments(raw);
  const problems: Problem[] = [];
  const fault = (offset: number, rule: string, advice: string): void =>
    void problems.push({ file, line: lineAt(text, offset), rule, advice });
  for (const match of text.matchAll(TOUCHES)) {
    const [, verb = '', schema = '', name] = match;
    const known = schemasOf(tree).has(schema);
    if (/schema/i.test(verb)) {
      if (schema !== slice) {
        fault(match.index, 'table owner', `a slice creates the schema ${slice}, not ${schema}`);
      }
    } else if (known && schema !== slice && name && !(/references/i.test(verb) && REFERENCED.has(schema))) {
      fault(
        match.index,
        'table owner',
        `${schema}.${name} belongs to ${schema}; refer to ids of accounts and compliance only`,
      );
    } else if (/table$/i.test(verb) && !name) {
      fault(match.index, 'table owner', `write ${slice}.${schema}: every table carries its schema`);
    }
  }
  for (const match of text.matchAll(CREATES)) {
    const table = match[1] ?? '';
    const body = text.slice(match.index, text.indexOf(';', match.index));
    if (!/\boperator_id\s+bigint\s+not\s+null/i.test(body)) {
      fault(match.index, 'tenancy', `${table} needs operator_id bigint not null, in its composite keys too`);
    }
    // What is read before an operator is known has keys of its own.
    if (isGiven(text, table, 'open_table')) continue;
    const key = /primary\s+key\s*(\([^)]*\))?/i.exec(body);
    if (key && !/\boperator_id\b/.test(key[1] ?? '')) {
      fault(match.index + key.index, 'tenancy', `the primary key of ${table} includes operator_id`);
    }
    if (!isGiven(text, table, 'own_table')) {
      fault(
        match.index,
        'row-level security',
        `call select platform.own_table('${table}') after its creation`,
      );
    }
  }
  const clock = WALL_CLOCK.exec(text);
  if (clock) fault(clock.index, 'time in SQL', 'SQL takes the time as a parameter, from tx.now');
  return problems;
}

/** Whether the platform's procedure takes charge of a table (platform/data/tables/functions). */
const isGiven = (text: string, table: string, procedure: string): boolean =>
  new RegExp(`\\bplatform\\.${procedure}\\s*\\(\\s*'${table.replace('.', '\\.')}'`, 'i').test(text);

/** A statement that writes, in SQL or by the query builder, with the table it writes to. */
const WRITES = [
  new RegExp(
    '\\b(?:insert\\s+into|merge\\s+into|update|delete\\s+from|truncate(?:\\s+table)?'
      + '|(?:alter|drop)\\s+table)\\s+(?:if\\s+exists\\s+|only\\s+)?"?([a-z_]+)"?\\."?([a-z_]+)',
    'gi',
  ),
  /\b(?:insertInto|updateTable|deleteFrom|mergeInto|replaceInto)\s*\(\s*['"`]([a-z_]+)\.([a-z_]+)/g,
];

/** What this rule refuses stands there as text. */
const BREACHES = 'tools/tidy/tidy-breaches.test.ts';

/** Tests write no tables but those of their own slice: scenario verbs of the testkit do it for them. */
export function testsWrite(tree: Tree): Problem[] {
  const tests = [...tree.sources.values()]
    .filter(({ path }) => (isTest(path) || path.startsWith('e2e/')) && path !== BREACHES);
  return tests.flatMap((source) => {
    const own = sliceOf(source.path);
    const found = WRITES.flatMap((write) => [...source.text.matchAll(write)]);
    return found.flatMap(({ index, 1: schema = '', 2: name = '' }) => {
      if ((own && schema === schemaOf(own.slice)) || !schemasOf(tree).has(schema)) return [];
      return [{
        file: source.path,
        line: lineAt(source.text, index),
        rule: 'table owner',
        advice: `${schema}.${name} belongs to ${schema}: write a scenario verb in product/testkit`,
      }];
    });
  });
}

function sourceFaults(tree: Tree, source: Source, slice: string, inside: string): Problem[] {
  const problems: Problem[] = [];
  const store = roleOf(inside) === 'store';
  const fault = (node: ts.Node, rule: string, advice: string): void =>
    void problems.push({ file: source.path, line: source.lineOf(node), rule, advice });
  walk(source.ast, (node) => {
    const queries = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)
      && (QUERIES.has(node.expression.name.text) || /\btx\.sql$/.test(node.expression.getText()));
    const template = ts.isTaggedTemplateExpression(node) && /^sql\b/.test(node.tag.getText());
    if ((queries || template) && !store && !isTest(source.path)) {
      fault(node, 'SQL in store.ts', 'move the query to the slice\'s store.ts');
    }
    if (template && WALL_CLOCK.test(node.template.getText())) {
      fault(node, 'time in SQL', 'pass tx.now as a parameter');
    }
    if (isTest(source.path)) return;
    const text = template ? node.template.getText() : store && ts.isStringLiteral(node) ? node.text : '';
    const imported = ts.isStringLiteral(node) && ts.isImportDeclaration(node.parent);
    if (!text || imported) return;
    for (const [, schema = '', name = ''] of text.matchAll(/(?<![\w./-])([a-z_]+)\.([a-z_]+)/g)) {
      // What no call can bring about in a test, a day that has passed, is written by the testkit's store.
      if (schema === slice || slice === 'testkit' || !schemasOf(tree).has(schema)) continue;
      fault(
        node,
        'table owner',
        `${schema}.${name} belongs to ${schema}; call its service, or handle its facts`,
      );
    }
  });
  return problems;
}
