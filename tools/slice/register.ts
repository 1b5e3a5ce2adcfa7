import { camel } from './skeleton.ts';

/** The slices that gather all others stay last. */
const BEFORE = 'screens';

function edited(text: string, file: string, at: RegExp, change: (found: string) => string): string {
  const found = at.exec(text)?.[0];
  if (found === undefined) throw new Error(`${file} has changed its form: ${at} is not in it`);
  // A function, because `$` in a plain replacement has a meaning.
  return text.replace(at, () => change(found));
}

/** `product/order.ts` with the slice in it, before `screens`. */
export function inOrder(text: string, slice: string, sentence: string): string {
  const row = `  ['${slice}', '${sentence.replaceAll('\\', '\\\\').replaceAll('\'', '\\\'')}'],\n`;
  return edited(text, 'product/order.ts', new RegExp(`^ {2}\\['${BEFORE}',`, 'm'), (found) => row + found);
}

/** `product/wiring.ts` with the slice made after the others, so that its calls are answered. */
export function inWiring(text: string, slice: string): string {
  const name = camel(slice);
  const file = 'product/wiring.ts';
  const taken = `import { ${name}Slice } from './${slice}/server.ts';`;
  const steps: [RegExp, (found: string) => string][] = [
    [
      /(?:^import .* from '\.\/[\w-]+\/(?:server|rules)\.ts';\n)+/m,
      (found) =>
        `${
          [...found.trimEnd().split('\n'), taken].sort((a, b) => (fromOf(a) < fromOf(b) ? -1 : 1))
            .join('\n')
        }\n`,
    ],
    [
      /\n {4}\.add\('\w+', \w+\);/,
      (found) => `${found.slice(0, -1)}\n    .add('${name}', ${name}Slice);`,
    ],
  ];
  return steps.reduce((now, [at, change]) => edited(now, file, at, change), text);
}

/** `product/message-files.d.ts` with the texts of the slice: only keys it lists compile. */
export function inMessageFiles(text: string, slice: string): string {
  const file = 'product/message-files.d.ts';
  const name = camel(slice);
  const taken = `import type ${name} from './${slice}/messages/en.json';`;
  const key = name === slice ? slice : `'${slice}'`;
  const sorted = (found: string, added: string): string =>
    `${[...found.trimEnd().split('\n'), added].sort(byName).join('\n')}\n`;
  const steps: [RegExp, (found: string) => string][] = [
    [/(?:^import type .*\n)+/m, (found) => sorted(found, taken)],
    [/(?:^ {4}readonly .*\n)+/m, (found) => sorted(found, `    readonly ${key}: typeof ${name};`)],
  ];
  return steps.reduce((now, [at, change]) => edited(now, file, at, change), text);
}

/** Lines by the slice they name, without quotes. */
const byName = (
  text: string,
  other: string,
): number => (text.replaceAll('\'', '') < other.replaceAll('\'', '') ? -1 : 1);

const fromOf = (line: string): string => /'(.*)'/.exec(line)?.[1] ?? '';
