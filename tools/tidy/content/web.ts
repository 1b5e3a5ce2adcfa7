import ts from 'typescript';
import { walk, type Source } from '../source.ts';
import { isTest, isWeb, lineAt, type Problem, type Tree } from '../tree.ts';

const LETTER = /\p{L}/u;
/** Attributes with text for people, on screen or by screen reader. */
const SPOKEN = new Set([
  'aria-label',
  'aria-description',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'title',
  'placeholder',
  'alt',
  'label',
]);
/** Names of vocabularies, not addresses anybody fetches. */
const VOCABULARIES = /^https?:\/\/(?:www\.w3\.org|schema\.org)\//;
const ADDRESS = /\b(?:https?|wss?):\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)+[^\s'"`)]*/gi;

/** No literal user text in components: every word comes from messages/. */
export function literalText(tree: Tree): Problem[] {
  const rule = 'no literal text';
  const problems: Problem[] = [];
  for (const source of tree.sources.values()) {
    if (!source.path.endsWith('.tsx') || isTest(source.path)) continue;
    walk(source.ast, (node) => {
      for (const text of textsOf(node)) {
        const advice = `"${text.trim().slice(0, 40)}": put the words in messages/ and use t()`;
        problems.push({ file: source.path, line: source.lineOf(node), rule, advice });
      }
    });
  }
  return problems;
}

/** User-visible literals that stand directly in a JSX node. */
function textsOf(node: ts.Node): string[] {
  if (ts.isJsxText(node)) return LETTER.test(withoutEntities(node.text)) ? [node.text] : [];
  if (ts.isJsxAttribute(node)) {
    return SPOKEN.has(node.name.getText()) && node.initializer ? literals(node.initializer) : [];
  }
  if (!ts.isJsxExpression(node) || !node.expression) return [];
  return ts.isJsxElement(node.parent) || ts.isJsxFragment(node.parent) ? literals(node.expression) : [];
}

const withoutEntities = (text: string): string => text.replace(/&\w+;/g, '');

/** Literals an expression can become: both sides of `a ? 'x' : 'y'` and of `a && 'x'`, and templates. */
function literals(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return LETTER.test(node.text) ? [node.text] : [];
  if (ts.isTemplateExpression(node)) {
    const fixed = [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join(' ');
    return LETTER.test(fixed) ? [fixed] : [];
  }
  if (ts.isJsxExpression(node)) return node.expression ? literals(node.expression) : [];
  if (ts.isParenthesizedExpression(node)) return literals(node.expression);
  if (ts.isConditionalExpression(node)) return [...literals(node.whenTrue), ...literals(node.whenFalse)];
  if (ts.isBinaryExpression(node)) {
    const gives = [
      ts.SyntaxKind.AmpersandAmpersandToken,
      ts.SyntaxKind.BarBarToken,
      ts.SyntaxKind.QuestionQuestionToken,
      ts.SyntaxKind.PlusToken,
    ].includes(node.operatorToken.kind);
    return gives ? [...literals(node.left), ...literals(node.right)] : [];
  }
  return [];
}

/**
 * The shapes of contracts, and zod with them, are no part of a page: they weigh more than React. A form
 * fetches the shape of its call when somebody enters it, in its setting `shape`.
 */
export function pagesLoadNoShapes(tree: Tree): Problem[] {
  const shapes = /^(?:product\/[^/]+\/contract(?:\.ts$|\/)|platform\/contract\/sockets\/lobby\.ts$)/;
  return [...tree.sources.values()]
    .filter(({ path }) =>
      !isTest(path) && (isWeb(path)
        || /^platform\/(?:realtime\/client|contract\/(?:sockets|client))\//.test(path))
    )
    .flatMap((source) => {
      const ofForms = shapesOfForms(source);
      return source.imports
        .filter(({ target, typeOnly, kind, line }) =>
          target !== null && !typeOnly && shapes.test(target)
          && !(kind === 'dynamic' && ofForms.has(line))
        )
        .map(({ line, target }) => ({
          file: source.path,
          line,
          rule: 'pages load no shapes',
          advice: `import calls and events of ${target} from client.ts beside it, and types with import `
            + 'type; a form fetches it in its setting `shape`',
        }));
    });
}

/** Where keys come before the guard: itself, and the script that leaves a page at once. */
const BEFORE_THE_GUARD = /^platform\/ui\/(?:forms\/composing|early\/leaving)\.ts$/u;
/** The rest of a press: what an input method took is no more to be seen in it, in any browser. */
const UNGUARDED = /^(?:on)?key(?:up|press)(?:capture)?$/iu;

/**
 * Whatever listens to keys gets those of input methods too, but for the guard of `platform/ui/forms`, which
 * holds them: it listens to `keydown` on the window, before all others. So nothing listens there before it,
 * nor to what follows a `keydown`.
 */
export function keysPassTheGuard(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const source of tree.sources.values()) {
    const { path } = source;
    if (!isWeb(path) || isTest(path) || BEFORE_THE_GUARD.test(path)) continue;
    walk(source.ast, (node) => {
      const at = { file: path, line: source.lineOf(node), rule: 'keys pass the guard' };
      const named = ts.isJsxAttribute(node) || ts.isPropertyAssignment(node) ? node.name.getText() : '';
      const target = targetOf(node);
      if (UNGUARDED.test(named) || (target && UNGUARDED.test(target.event))) {
        problems.push({ ...at, advice: 'use keydown: nothing else says that an input method took the key' });
      }
      if (target?.event === 'keydown' && target.isFirst) {
        problems.push({ ...at, advice: 'listen on an element, or without capture: the guard is first' });
      }
    });
  }
  return problems;
}

/** The event that a call listens to; `isFirst` on the window, while it is on its way down. */
function targetOf(node: ts.Node): { readonly event: string; readonly isFirst: boolean } | null {
  if (!ts.isCallExpression(node)) return null;
  const [event, , options] = node.arguments;
  const listens = /^(?:(.+)\.)?addEventListener$/su.exec(node.expression.getText());
  if (!listens || !event || !ts.isStringLiteralLike(event)) return null;
  const isWindow = listens[1] === undefined || /^(?:globalThis|window)$/u.test(listens[1]);
  return { event: event.text, isFirst: isWindow && /true|capture/u.test(options?.getText() ?? '') };
}

/** Lines where a form fetches the shape of its call: `shape: async () => (await import('…')).call`. */
function shapesOfForms(source: Source): ReadonlySet<number> {
  const lines = new Set<number>();
  walk(source.ast, (node) => {
    if (!ts.isPropertyAssignment(node) && !ts.isJsxAttribute(node)) return;
    if (node.name.getText() !== 'shape') return;
    walk(node, (inner) => {
      if (ts.isCallExpression(inner) && inner.expression.kind === ts.SyntaxKind.ImportKeyword) {
        lines.add(source.lineOf(inner));
      }
    });
  });
  return lines;
}

/**
 * The exceptions of decision 23: card data, which no browser may send by itself, the chat input, and the
 * amount of a tip in the bar of every room.
 */
const FORMS_OF_THEIR_OWN = new Set([
  'product/age-checks/web/card/card-fields.tsx',
  'product/billing/web/card/card-fields.tsx',
  'product/rooms/web/chat/input/input.tsx',
  'product/tips/web/tip-panel.tsx',
]);

/** Forms are those of `platform/ui/forms`, which checks, sends and keeps what was typed. */
export function formsUseTheLayer(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const source of tree.sources.values()) {
    const { path } = source;
    if (!isWeb(path) || isTest(path) || path.startsWith('platform/ui/')) continue;
    walk(source.ast, (node) => {
      const at = { file: path, line: source.lineOf(node), rule: 'forms use the layer' };
      if (
        ts.isNewExpression(node) && node.expression.getText() === 'FormData'
        && node.arguments?.length
      ) {
        problems.push({ ...at, advice: 'useForm and useFields of platform/ui/forms read the fields' });
      }
      if (isForm(node) && !FORMS_OF_THEIR_OWN.has(path) && !isOfLayer(node)) {
        const advice = 'submit with useForm or useFields of platform/ui/forms: <form {...form.props}>, '
          + 'without an onSubmit of its own';
        problems.push({ ...at, advice });
      }
    });
  }
  return problems;
}

const isForm = (node: ts.Node): node is ts.JsxOpeningLikeElement =>
  (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) && node.tagName.getText() === 'form';

/** Whether a form takes what the layer gives it, and nothing else submits it. */
const isOfLayer = ({ attributes: { properties } }: ts.JsxOpeningLikeElement): boolean =>
  properties.some((item) => ts.isJsxSpreadAttribute(item) && /\bprops$/.test(item.expression.getText()))
  && !properties.some((property) => ts.isJsxAttribute(property) && property.name.getText() === 'onSubmit');

/** A page asks nobody but its own site for anything. */
export function thirdParties(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const [file, text] of tree.files) {
    if (isTest(file) || !isWeb(file) || !/\.(?:tsx?|css|json|html)$/.test(file)) continue;
    const source = tree.sources.get(file);
    for (const match of (source ? strings(source) : [{ text, offset: 0 }]).flatMap(addresses)) {
      const advice = `${match.address}: serve it ourselves, or take it from the site's configuration`;
      problems.push({ file, line: lineAt(text, match.offset), rule: 'no third parties', advice });
    }
  }
  return problems;
}

interface Literal {
  readonly text: string;
  readonly offset: number;
}

const addresses = ({ text, offset }: Literal): { address: string; offset: number }[] =>
  [...text.matchAll(ADDRESS)].filter((match) => !VOCABULARIES.test(match[0]))
    .map((match) => ({ address: match[0], offset: offset + match.index }));

/** String literals of a source, so that comments may cite. */
function strings(source: Source): Literal[] {
  const found: Literal[] = [];
  walk(source.ast, (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isJsxText(node)) {
      found.push({ text: node.text, offset: node.getStart(source.ast) });
    }
  });
  return found;
}
