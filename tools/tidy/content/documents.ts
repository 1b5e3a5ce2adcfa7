import { posix } from 'node:path';
import type { Problem, Tree } from '../tree.ts';

/** Documents that speak of the tree as it is; decisions and progress were true when they were written. */
const DOCUMENT = /^(?:[\w-]+|docs\/[\w-]+|docs\/proofs\/[\w-]+|(?!docs\/)(?:[\w-]+\/)+README)\.md$/;
/** A code span that could be a path: it has a folder or a suffix, and no space, placeholder or wildcard. */
const SPAN = /`((?:#?[\w@.-]+\/)*[\w@.-]+\/?)`|\]\(([^)#\s:]+)(?:#[^)\s]*)?\)/g;
const SUFFIX = /\.(?:tsx?|mts|mjs|sql|md|css|tsv|ids|json|webp)$/;
const ROOTS = new Set(['platform', 'product', 'programs', 'bench', 'e2e', 'tools', 'docs', 'spec']);
/** Written by the build or by a run, so not in the tree. */
const MADE = /^(?:dist|var|\.cache|node_modules|build)\/|^openapi\.json$|^docs\/protocol\.md$/;
/** The slice that the documents make as an example. */
const EXAMPLE = /^product\/gifts(?:\/|$)/;

/** Every path that a README or a document names exists. */
export function documentPaths(tree: Tree): Problem[] {
  const places = placesOf(tree);
  return [...tree.files].filter(([path]) => DOCUMENT.test(path)).flatMap(([path, text]) =>
    text.split('\n').flatMap((line, at) =>
      [...line.matchAll(SPAN)].flatMap(([, span, link]) => {
        const named = span ?? link ?? '';
        return named !== '' && isMissing(places, path, named, link !== undefined)
          ? [{
            file: path,
            line: at + 1,
            rule: 'document path',
            advice: `${named} does not exist; name what took its place`,
          }]
          : [];
      })
    )
  );
}

interface Places {
  readonly paths: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

/** All files and folders by path, and by their last name. */
function placesOf(tree: Tree): Places {
  const paths = new Set<string>();
  for (const file of tree.files.keys()) {
    for (let path = file; path !== '.'; path = posix.dirname(path)) paths.add(path);
  }
  return { paths, names: new Set([...paths].map((path) => posix.basename(path))) };
}

function isMissing({ paths, names }: Places, from: string, named: string, isLink: boolean): boolean {
  const path = named.replace(/^#/, '').replace(/\/$/, '');
  const isPath = isLink || SUFFIX.test(path) || (path.includes('/') && ROOTS.has(path.split('/')[0] ?? ''));
  if (!isPath || MADE.test(path) || EXAMPLE.test(path)) return false;
  if (!path.includes('/')) return !names.has(path);
  const folder = posix.dirname(from);
  if (['', folder, 'product', 'platform'].some((base) => paths.has(posix.join(base, path)))) return false;
  // The README of a slice or part names what is below it without the folders in between.
  return folder === '.' || folder === 'docs'
    || ![...paths].some((text) => text.startsWith(`${folder}/`) && text.endsWith(`/${path}`));
}

/** `wiring.ts` adds the slices in the order of `order.ts`. */
export function wiringFollowsOrder(tree: Tree): Problem[] {
  const text = tree.files.get('product/wiring.ts') ?? '';
  const added = [...text.matchAll(/^\s+\.add\('(\w+)'/gm)].map((match) =>
    (match[1] ?? '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  );
  const wanted = tree.slices.filter((slice) => added.includes(slice));
  const wrong = added.findIndex((slice, at) => slice !== wanted[at]);
  return wrong < 0 ? [] : [{
    file: 'product/wiring.ts',
    line: 1,
    rule: 'wiring',
    advice: `add ${wanted[wrong] ?? ''} where ${added[wrong] ?? ''} stands: product/order.ts has it so`,
  }];
}
