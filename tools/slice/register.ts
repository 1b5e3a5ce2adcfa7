import { camel, pascal } from './skeleton.ts';

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
  const row = `  ['${slice}', '${sentence.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'],\n`;
  return edited(text, 'product/order.ts', new RegExp(`^ {2}\\['${BEFORE}',`, 'm'), (found) => row + found);
}

/** `product/wiring.ts` with the slice made after the others, so that its calls are answered. */
export function inWiring(text: string, slice: string): string {
  const [name, type] = [camel(slice), pascal(slice)];
  const file = 'product/wiring.ts';
  const taken = `import { ${name}Slice, type ${type}Service } from './${slice}/server.ts';`;
  const steps: [RegExp, (found: string) => string][] = [
    [/(?:^import .* from '\.\/[\w-]+\/(?:server|rules)\.ts';\n)+/m, (found) =>
      `${[...found.trimEnd().split('\n'), taken].sort((a, b) => (fromOf(a) < fromOf(b) ? -1 : 1))
        .join('\n')}\n`],
    [/^export interface Services \{\n(?: .*\n)+/m, (found) =>
      `${found}  readonly ${name}: ${type}Service;\n`],
    [/\n {2}const slices: readonly Slice<unknown>\[\] = \[/, (found) =>
      `  const ${name} = ${name}Slice({ data });\n${found}`],
    [/const slices: readonly Slice<unknown>\[\] = \[[^\]]*?,?\s*\];/, (found) =>
      inList(found, name, /,?\s*\];$/)],
    [/const services: Services = \{[^}]*?,?\s*\};/, (found) =>
      inList(found, `${name}: ${name}.service`, /,?\s*\};$/)],
  ];
  return steps.reduce((now, [at, change]) => edited(now, file, at, change), text);
}

const fromOf = (line: string): string => /'(.*)'/.exec(line)?.[1] ?? '';

/** Adds an entry at the end of a list, on a line of its own where the list stands on several. */
function inList(list: string, entry: string, end: RegExp): string {
  const close = /[\]}];$/.exec(list)?.[0] ?? '';
  const several = list.includes('\n');
  const before = list.replace(end, several ? ',\n    ' : ', ');
  return `${before}${entry}${several ? ',\n  ' : ''}${close}`;
}
