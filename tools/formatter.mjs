/**
 * dprint, with the options of this tree. Its plugin comes by npm as WebAssembly and runs in this process, so
 * that nothing is downloaded. Biome and oxfmt were tried too: both make the tree longer by a fifth.
 *
 * It takes away a space at the beginning or end of an element, as in `<> · {text}</>`: write it as `{' · '}`.
 */
import { createContext } from '@dprint/formatter';
import typescript from '@dprint/typescript';
import { readFileSync } from 'node:fs';

const LINE_WIDTH = 110;
const INDENT_WIDTH = 2;
/** A call that was broken once may be broken differently the next time: three passes are the most so far. */
const MAX_PASSES = 6;

const OPTIONS = {
  quoteStyle: 'alwaysSingle',
  'jsx.quoteStyle': 'preferDouble',
  semiColons: 'prefer',
  trailingCommas: 'onlyMultiLine',
  'arrowFunction.useParentheses': 'force',
  nextControlFlowPosition: 'sameLine',
  operatorPosition: 'maintain',
  'conditionalExpression.operatorPosition': 'nextLine',
  singleBodyPosition: 'sameLine',
  useBraces: 'whenNotSingleLine',
  quoteProps: 'preserve',
  'forOfStatement.preferHanging': true,
  'module.sortImportDeclarations': 'caseInsensitive',
  'module.sortExportDeclarations': 'maintain',
  'importDeclaration.sortTypeOnlyImports': 'last',
  'exportDeclaration.sortTypeOnlyExports': 'last',
};

const formatter = createContext({ lineWidth: LINE_WIDTH, indentWidth: INDENT_WIDTH });
formatter.addPlugin(readFileSync(typescript.getPath()), OPTIONS);

/**
 * The text of a TypeScript or JavaScript file as it should stand. Throws when the text does not parse.
 * @param {string} filePath by its ending the language is known
 * @param {string} fileText
 * @returns {string}
 */
export function formattedText(filePath, fileText) {
  let text = fileText;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const next = formatter.formatText({ filePath, fileText: text });
    if (next === text) return text;
    text = next;
  }
  throw new Error(`${filePath}: formatting does not settle in ${MAX_PASSES} passes`);
}
