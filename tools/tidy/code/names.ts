import { sliceOf, type Problem, type Tree } from '../tree.ts';

export const LOCALES = ['en', 'de', 'es', 'fr', 'it', 'nl'];
/** Names that say nothing about what is inside. */
const FORBIDDEN = new Set([
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'shared',
  'misc',
  'lib',
  'core',
  'base',
  'manager',
  'index',
]);
/** Kebab-case words joined by dots: `seal.test.ts`, `entry.server.tsx`, `.oxlintrc.json`. */
const KEBAB = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/;
const DOCUMENT = /^[A-Z]+(?:\.md)?$/;
/** A slice's README fits a screen. */
const README_LINES = 40;

const problem = (
  file: string,
  rule: string,
  advice: string,
  line = 1,
): Problem => ({ file, line, rule, advice });

/** Every file and folder has a name of its own, in kebab-case. */
export function names(tree: Tree): Problem[] {
  return [...tree.files.keys()].flatMap((path) =>
    path.split('/').flatMap((segment) => {
      const stem = segment.replace(/^\./, '').split('.')[0] ?? '';
      const last = stem.split('-').at(-1) ?? '';
      if (FORBIDDEN.has(stem) || (FORBIDDEN.has(last) && stem !== last && last !== 'base')) {
        return [problem(path, 'forbidden name', `${segment} says nothing; name it after what it does`)];
      }
      if (KEBAB.test(segment) || DOCUMENT.test(segment)) return [];
      return [problem(path, 'kebab-case', `rename ${segment} to lower-case words joined by hyphens`)];
    })
  );
}

/** Whether a path inside a slice is one of the names every slice uses. */
function known(slice: string, inside: string): boolean {
  return inside === 'README.md' || inside === 'rules.test.ts'
    || /^(?:contract|client|rules|store|extension-points|server)\.ts$/.test(inside)
    || /^(?:contract|server|rules|store)(?:\/[a-z0-9-]+){1,2}\.ts$/.test(inside)
    // What does not fit on the screen of the slice's README, such as a drawing.
    || /^server\/[a-z0-9-]+\/README\.md$/.test(inside)
    // Data that is dated or long: region policies, common passwords.
    || /^[a-z0-9-]+\.(?:json|txt)$/.test(inside)
    || /^tables\/(?:(?:\d{4}-|functions\/)[a-z0-9-]+\.sql|\d{4}-[a-z0-9-]+\.sha256)$/.test(inside)
    || (inside.startsWith('messages/') && LOCALES.some((locale) => inside === `messages/${locale}.json`))
    || inside.startsWith('web/')
    || inside === `${slice}.test.ts`
    || (inside.startsWith(`${slice}-`)
      && /^[a-z0-9-]+\.(?:(?:test|prove)\.ts|page\.test\.tsx)$/.test(inside));
}

/** The same file names in every slice, each slice in order.ts, each with a README of one screen. */
export function vocabulary(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  const found = new Set<string>();
  for (const [path, text] of tree.files) {
    const own = sliceOf(path);
    if (!own) continue;
    if (!found.has(own.slice) && !tree.slices.includes(own.slice)) {
      problems.push(problem(path, 'slices', `list ${own.slice} in product/order.ts, with one sentence`));
    }
    found.add(own.slice);
    if (own.slice !== 'testkit' && !known(own.slice, own.inside)) {
      problems.push(
        problem(
          path,
          'slice vocabulary',
          'a slice has README.md contract.ts client.ts rules.ts messages/ tables/ store.ts server.ts '
            + '(or contract/<noun>.ts, rules/<noun>.ts, server/<noun>.ts, store/<noun>.ts) web/ '
            + `rules.test.ts ${own.slice}.test.ts (or ${own.slice}-<noun>.test.ts)`,
        ),
      );
    }
    if (own.inside === 'README.md' && text.trimEnd().split('\n').length > README_LINES) {
      problems.push(problem(path, 'one screen', `shorten it to ${README_LINES} lines`));
    }
  }
  for (const slice of tree.slices) {
    if (!tree.files.has(`product/${slice}/README.md`)) {
      problems.push(
        problem(
          `product/${slice}/README.md`,
          'slice README',
          'write it: purpose, flow, invariants, extension points',
        ),
      );
    }
  }
  return problems;
}
