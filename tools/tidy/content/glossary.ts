import ts from 'typescript';
import { walk, type Source } from '../source.ts';
import { lineAt, type Problem, type Tree } from '../tree.ts';

const GLOSSARY = 'docs/glossary.md';
/** Records of what was, the specification's own words, and the glossary itself. */
const EXEMPT = /^(?:docs\/(?:decisions|history|progress|proofs|glossary|protocol)|spec\/|LICENSES|CHANGELOG)/;
/** Applied migrations never change, and columns keep their names. */
const READ = /^(?!.*\/tables\/\d|.*\/store\/tables\.ts).*\.(?:tsx?|mjs|sql|md)$/;
/** Ordinary English around a refused word. */
const ORDINARY = /\b(?:of course|outstanding|longstanding)\b/gi;

/** A refused word and the one to use, as a row of the glossary says. */
interface Replaced {
  readonly word: string;
  readonly use: string;
}

/** Words in backquotes in the last column of the glossary's tables, each with the word in the first. */
function replacedWords(glossary: string): Replaced[] {
  return glossary.split('\n').filter(
    (line) => line.startsWith('| ') && !line.startsWith('| Word'),
  ).flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    return [...(cells[3] ?? '').matchAll(/`([a-z]+)`/g)].map((match) => ({
      word: match[1] ?? '',
      use: cells[1] ?? '',
    }));
  });
}

/** The words of an identifier or a file name: `sendTheTip` → send, the, tip. */
const wordsIn = (name: string): string[] =>
  name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z]+/).map((word) => word.toLowerCase());

interface Place {
  readonly line: number;
  readonly text: string;
}

/** Names that a file declares; property names of a contract are the wire's. */
function declaredNames(source: Source): Place[] {
  const found: Place[] = [];
  const inContract = /\/contract(?:\.ts|\/)/.test(source.path);
  walk(source.ast, (node) => {
    const name = (node as { readonly name?: ts.Node }).name;
    if (!name || !(ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) return;
    if (ts.isPropertyAccessExpression(node) || ts.isJsxAttribute(node) || ts.isImportSpecifier(node)) return;
    if (ts.isPropertyAssignment(node) && inContract) return;
    found.push({ line: source.lineOf(name), text: wordsIn(name.text).join(' ') });
  });
  return found;
}

/** Comments of a source file. */
function comments(source: Source): Place[] {
  const found: Place[] = [];
  const seen = new Set<number>();
  const add = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      source.text.slice(pos, end).split('\n').forEach((text, at) => {
        found.push({ line: lineAt(source.text, pos) + at, text });
      });
    }
  };
  const visit = (node: ts.Node): void => {
    add(ts.getLeadingCommentRanges(source.text, node.getFullStart()));
    add(ts.getTrailingCommentRanges(source.text, node.end));
    node.getChildren(source.ast).forEach(visit);
  };
  visit(source.ast);
  return found;
}

/** Titles of tests are sentences too. */
function titles(source: Source): Place[] {
  const found: Place[] = [];
  walk(source.ast, (node) => {
    if (!ts.isCallExpression(node) || !/^(?:it|test|describe)\b/.test(node.expression.getText())) return;
    const [title] = node.arguments;
    if (title && ts.isStringLiteralLike(title)) found.push({ line: source.lineOf(title), text: title.text });
  });
  return found;
}

const proseOf = (path: string, text: string): Place[] =>
  text.split('\n').map(
    (line, at) => ({ line: at + 1, text: path.endsWith('.sql') ? (line.split('--')[1] ?? '') : line }),
  );

/** One word per idea: names, comments, test titles and documents use the glossary's. */
export function glossary(tree: Tree): Problem[] {
  const replaced = new Map(replacedWords(tree.files.get(GLOSSARY) ?? '').map(({ word, use }) => [word, use]));
  const problems: Problem[] = [];
  for (const [file, text] of tree.files) {
    if (EXEMPT.test(file) || !READ.test(file)) continue;
    const source = tree.sources.get(file);
    const places = [
      { line: 1, text: wordsIn(file.split('/').at(-1) ?? '').join(' ') },
      ...(source ? [...declaredNames(source), ...comments(source), ...titles(source)] : proseOf(file, text)),
    ];
    for (const place of places) {
      const prose = place.text.replaceAll(/`[^`]*`/g, '').replaceAll(ORDINARY, '').toLowerCase();
      for (const word of prose.match(/[a-z]+/g) ?? []) {
        const use = replaced.get(word);
        if (use === undefined) continue;
        problems.push(
          { file, line: place.line, rule: 'glossary', advice: `"${word}": ${use} (${GLOSSARY})` },
        );
      }
    }
  }
  return problems;
}
