import type { Plugin } from 'vite';

/** What a page uses of a declaration; the rest (shapes, refusals, texts for the documentation) is the server's. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  call: ['name', 'method', 'path', 'root', 'media'],
  event: ['name', 'socket', 'from'],
  refusal: ['slice', 'code', 'kind'],
  fact: ['name'],
  slot: ['name'],
};

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}
interface Declaration extends Node {
  readonly callee: { readonly name?: string };
  readonly arguments: readonly (Node & { readonly properties?: readonly Property[] })[];
}
interface Property extends Node {
  readonly key?: { readonly name?: string };
}

const isDeclaration = (node: Node): node is Declaration =>
  node.type === 'CallExpression' && ((node as Declaration).callee.name ?? '') in KEPT;

function* declarationsIn(node: unknown): Generator<Declaration> {
  if (typeof node !== 'object' || node === null) return;
  if (isDeclaration(node as Node)) yield node as Declaration;
  for (const child of Object.values(node)) yield* declarationsIn(child);
}

/** Cuts from each declaration of a contract what no page uses: a build of the same constants, a third of the size. */
export function lean(code: string, parse: (code: string) => unknown): string {
  const cuts = [...declarationsIn(parse(code))].flatMap((declaration) => {
    const kept = KEPT[declaration.callee.name ?? ''] ?? [];
    const properties = declaration.arguments[0]?.properties ?? [];
    return properties.filter(({ key }) => key && !kept.includes(key.name ?? ''));
  });
  let text = code;
  for (const { start, end } of cuts.toSorted((a, b) => b.start - a.start)) {
    const comma = /^\s*,/u.exec(text.slice(end))?.[0].length ?? 0;
    text = text.slice(0, start) + text.slice(end + comma);
  }
  return text;
}

/** Vite plugin: contracts reach the pages {@link lean}. */
export function leanContracts(): Plugin {
  return {
    name: 'candela:lean-contracts',
    transform(code, id) {
      if (!/\/contract\.ts$|\/contract\/refusal\.ts$/u.test(id)) return null;
      return { code: lean(code, (text) => this.parse(text)), map: null };
    },
  };
}
