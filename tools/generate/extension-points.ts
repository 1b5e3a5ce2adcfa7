import { pointsOf, type Point } from '../tidy/content/extensions.ts';
import type { Tree } from '../tidy/tree.ts';

/** Its file. */
export const EXTENSION_POINTS_PAGE = 'docs/extension-points.md';

const INTRODUCTION = `# Extension points

Generated from each slice's \`extension-points.ts\` by \`npm run generate\`; do not edit.

A slice declares an interface; later slices implement it. The site does not start when a *required*
extension point is not implemented, or when two slices implement a *single* one. An *optional* one states
what happens without an implementer, and why that is safe.`;

const slices = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

function rowOf(point: Point): string {
  const implementers = point.implementedBy.length > 0
    ? slices(point.implementedBy)
    : `none before milestone ${point.milestone}`;
  const cells = [
    `\`${point.name}\``,
    `${point.kind}, ${point.implementers}`,
    `\`${point.owner}\``,
    implementers,
    slices(point.calledBy),
  ];
  return `| ${cells.join(' | ')} |`;
}

function detailsOf({ name, texts }: Point): string {
  const byDefault = texts.get('byDefault');
  const rest = byDefault === undefined
    ? []
    : ['', `By default: ${byDefault} Safe because: ${texts.get('safeBecause')}`];
  return [`## \`${name}\``, '', texts.get('description') ?? '', ...rest].join('\n');
}

/** The page of all extension points of a tree, in Markdown. */
export function extensionPointsPage(tree: Tree): string {
  const points = pointsOf(tree);
  return `${
    [
      INTRODUCTION,
      [
        '| Extension point | Kind | Owner | Implementers | Callers |',
        '|---|---|---|---|---|',
        ...points.map(rowOf),
      ].join('\n'),
      ...points.map(detailsOf),
    ].join('\n\n')
  }\n`;
}
