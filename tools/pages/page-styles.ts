import { PAGE_STYLES, type DisplayRule } from '#product/testkit/page-styles.ts';
import { compile } from '@tailwindcss/node';
import { Scanner } from '@tailwindcss/oxide';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postcss, { type AtRule, type Container, type Rule } from 'postcss';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = join(ROOT, '.cache/page-styles.json');

const REM_PX = 16;

/** `(width >= 40rem)` in the syntax of Media Queries 3, which the DOM's `matchMedia` reads. */
const olderSyntax = (query: string): string =>
  query
    .replace(/\(width\s*>=\s*([^)]+)\)/gu, '(min-width: $1)')
    .replace(/\(width\s*<\s*([\d.]+)(rem|px)\)/gu, (_all, size: string, unit: string) =>
      `(max-width: ${Number(size) * (unit === 'rem' ? REM_PX : 1) - 0.02}px)`);

/** `:is(a b)` as a whole selector is `a b`: the DOM of page tests takes its compounds for alternatives. */
const withoutIs = (selector: string): string =>
  selector.replace(/^:is\((?<inside>[^,]* [^,]*)\)$/u, '$<inside>');

/** The rules of a stylesheet that set `display` or `visibility`, in their order. */
function displayRules(css: string): readonly DisplayRule[] {
  const rules: DisplayRule[] = [];
  postcss.parse(css).walkDecls(/^(?:display|visibility)$/u, (declaration) => {
    const media: string[] = [];
    let selector = '';
    let at = declaration.parent as Container | undefined;
    for (; at && at.type !== 'root'; at = at.parent as Container | undefined) {
      if (at.type === 'rule') selector = (at as Rule).selector + selector.replaceAll('&', '');
      else if ((at as AtRule).name === 'media') media.push(olderSyntax((at as AtRule).params));
      // What depends on the size of a box has no answer without layout.
      else if ((at as AtRule).name === 'container') return;
    }
    if (selector.includes('::')) return;
    const hides = ['none', 'hidden'].includes(declaration.value);
    rules.push({ media, selector: withoutIs(selector), hides, isImportant: declaration.important === true });
  });
  return rules;
}

/** Before the first page test: compiles the styles as the build does, and reads their rules for all pages. */
const setUp = async (): Promise<void> => {
  const folder = join(ROOT, 'platform/ui');
  const compiler = await compile(readFileSync(join(folder, 'tokens.css'), 'utf8'), {
    base: folder,
    onDependency: () => undefined,
  });
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const css = compiler.build(new Scanner({ sources: compiler.sources }).scan());
  writeFileSync(FILE, JSON.stringify(displayRules(css)));
  process.env[PAGE_STYLES] = FILE;
};

export default setUp;
