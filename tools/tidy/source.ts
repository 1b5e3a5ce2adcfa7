import { posix } from 'node:path';
import ts from 'typescript';

/** One import, re-export, dynamic import, or string that names a source file. */
export interface Import {
  /** As written, e.g. `./store.ts`, `#platform/data/data.ts` or `kysely`. */
  readonly specifier: string;
  /** Path of the file in the tree; null for packages and for what does not exist. */
  readonly target: string | null;
  readonly line: number;
  readonly typeOnly: boolean;
  /** Names taken; `*` for all of them. */
  readonly names: readonly string[];
  /** `path` is a string that names a file: a route module, a worker, a child program. */
  readonly kind: 'import' | 'dynamic' | 'path';
}

/** One exported name. */
export interface Export {
  readonly name: string;
  readonly line: number;
  readonly isType: boolean;
}

/** A parsed source file with what the rules ask most. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly ast: ts.SourceFile;
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
  /** Fills the targets of imports once all files are known. */
  readonly resolve: (files: ReadonlyMap<string, string>) => void;
  readonly lineOf: (node: ts.Node) => number;
}

const NAMES_A_FILE = /^(?:[\w$./-]+\.(?:tsx?|mjs|json)|\.{1,2}\/[\w$./-]+)$/;

/** Parses one file; never type-checks. */
export function parseSource(path: string, text: string): Source {
  const kind = path.endsWith('x')
    ? ts.ScriptKind.TSX
    : path.endsWith('.ts')
    ? ts.ScriptKind.TS
    : ts.ScriptKind.JS;
  const ast = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, kind);
  const lineOf = (node: ts.Node): number => ast.getLineAndCharacterOfPosition(node.getStart(ast)).line + 1;
  let imports: Import[] = [];
  const constants = constantsOf(ast);
  walk(ast, (node) => {
    const found = importOf(node, lineOf(node), constants);
    // The tidy rules speak of files without using them.
    if (found && !(found.kind === 'path' && path.startsWith('tools/tidy'))) imports.push(found);
  });
  return {
    path,
    text,
    ast,
    lineOf,
    get imports() {
      return imports;
    },
    exports: ast.statements.flatMap((statement) => exportsOf(statement, lineOf(statement))),
    resolve: (files) => {
      imports = imports.map((item) => ({ ...item, target: targetOf(path, item, files) }));
    },
  };
}

/** Visits a node and everything below it. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** Strings by the name of their constant, for paths such as `${pages}/login-page.tsx`. */
function constantsOf(ast: ts.SourceFile): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  walk(ast, (node) => {
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name)) return;
    if (node.initializer && ts.isStringLiteral(node.initializer)) {
      found.set(node.name.text, node.initializer.text);
    }
  });
  return found;
}

/** The text of a string, or of a template that begins with a constant. */
function textOf(node: ts.Node, constants: ReadonlyMap<string, string>): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  const [span, ...more] = node.templateSpans;
  if (!span || more.length > 0 || node.head.text !== '' || !ts.isIdentifier(span.expression)) return null;
  const start = constants.get(span.expression.text);
  return start === undefined ? null : start + span.literal.text;
}

function importOf(node: ts.Node, line: number, constants: ReadonlyMap<string, string>): Import | null {
  const made = (
    text: string,
    typeOnly: boolean,
    names: string[],
    kind: Import['kind'] = 'import',
  ): Import => ({ specifier: text, target: null, line, typeOnly, names, kind });
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const clause = node.importClause;
    const bindings = clause?.namedBindings;
    const named = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
    const names = named.map((element) => (element.propertyName ?? element.name).text);
    if (clause?.name) names.push('default');
    if (bindings && ts.isNamespaceImport(bindings)) names.push('*');
    return made(node.moduleSpecifier.text, clause?.phaseModifier === ts.SyntaxKind.TypeKeyword, names);
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
    const clause = node.exportClause;
    const names = clause && ts.isNamedExports(clause)
      ? clause.elements.map((element) => (element.propertyName ?? element.name).text)
      : ['*'];
    return made(node.moduleSpecifier.text, node.isTypeOnly, names);
  }
  if (
    ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
    && ts.isStringLiteral(node.argument.literal)
  ) {
    return made(node.argument.literal.text, true, ['*']);
  }
  const text = textOf(node, constants);
  if (text === null || ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent)) {
    return null;
  }
  if (ts.isCallExpression(node.parent) && node.parent.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return made(text, false, ['*'], 'dynamic');
  }
  return NAMES_A_FILE.test(text) ? made(text, false, [], 'path') : null;
}

/** Path that a specifier names: `#product/tips/rules.ts` from the root, `./rules.ts` beside the file. */
export const pathOf = (
  from: string,
  specifier: string,
): string => (specifier.startsWith('#') ? specifier.slice(1) : posix.join(posix.dirname(from), specifier));

/** Strings may name a file relative to their own, to the root, or by its name alone in the same folder. */
function targetOf(from: string, one: Import, files: ReadonlyMap<string, string>): string | null {
  const beside = pathOf(from, one.specifier);
  if (one.kind !== 'path') return /^[.#]/.test(one.specifier) && files.has(beside) ? beside : null;
  const found = [beside, `${beside}.ts`, one.specifier].find((path) => files.has(path));
  return found === undefined || found === from ? null : found;
}

function exportsOf(statement: ts.Statement, line: number): Export[] {
  if (ts.isExportAssignment(statement)) return [{ name: 'default', line, isType: false }];
  if (ts.isExportDeclaration(statement)) {
    if (!statement.exportClause) return [{ name: '*', line, isType: statement.isTypeOnly }];
    if (ts.isNamespaceExport(statement.exportClause)) {
      return [{ name: '*', line, isType: statement.isTypeOnly }];
    }
    return statement.exportClause.elements
      .map(
        (element) => ({ name: element.name.text, line, isType: statement.isTypeOnly || element.isTypeOnly }),
      );
  }
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  if (!modifiers.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (modifiers.some((modifier) => modifier.kind === ts.SyntaxKind.DefaultKeyword)) {
    return [{ name: 'default', line, isType: false }];
  }
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap((declaration) => boundNames(declaration.name))
      .map((name) => ({ name, line, isType: false }));
  }
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
    return [{ name: statement.name.text, line, isType: true }];
  }
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
    return statement.name ? [{ name: statement.name.text, line, isType: false }] : [];
  }
  return [];
}

function boundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap(
    (element) => (ts.isOmittedExpression(element) ? [] : boundNames(element.name)),
  );
}
