import type { Plugin } from 'vite';

/**
 * What a page uses of a declaration; the rest (shapes, refusals, texts for the documentation) is the
 * server's.
 */
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
  readonly name?: string;
  readonly callee?: Node;
  readonly object?: Node;
  readonly arguments?: readonly Node[];
  readonly properties?: readonly Node[];
  readonly key?: Node;
  readonly init?: Node;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What the value of a constant is made by: `z` for `z.object({…}).partial()`. */
function rootOf(node: Node | undefined): string | undefined {
  if (node?.type === 'CallExpression') return rootOf(node.callee);
  if (node?.type === 'MemberExpression') return rootOf(node.object);
  return node?.name;
}

function* nodesIn(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  if (typeof (node as Node).type === 'string') yield node as Node;
  for (const child of Object.values(node)) yield* nodesIn(child);
}

/** Length of the comma that follows, with the space before it. */
const commaAt = (rest: string): number => /^\s*,/u.exec(rest)?.[0].length ?? 0;

/** Shapes become the stand-in for zod itself; declarations nobody on a page uses leave the build. */
function editOf(node: Node, code: string): readonly Edit[] {
  if (node.type === 'VariableDeclarator' && node.init && rootOf(node.init) === 'z') {
    return [{ start: node.init.start, end: node.init.end, text: 'z' }];
  }
  const kept = node.type === 'CallExpression' ? KEPT[node.callee?.name ?? ''] : undefined;
  if (!kept) return [];
  const cuts = (node.arguments?.[0]?.properties ?? [])
    .filter(({ key }) => key && !kept.includes(key.name ?? ''))
    .map(({ start, end }) => ({ start, end: end + commaAt(code.slice(end)), text: '' }));
  return [{ start: node.start, end: node.start, text: '/* @__PURE__ */ ' }, ...cuts];
}

/** Cuts from each declaration of a contract what no page uses: the same constants, a third of the size. */
export function lean(code: string, parse: (code: string) => unknown): string {
  const edits = [...nodesIn(parse(code))].flatMap((node) => editOf(node, code));
  return edits.toSorted((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code);
}

/** The contract of a slice, or a part of it beside; and the refusals that every call has. */
const CONTRACT = /\/product\/[\w-]+\/contract(?:\/[\w-]+)?\.ts$|\/contract\/refusal\.ts$/u;

/** Vite plugin: contracts reach the pages {@link lean}. */
export function leanContracts(): Plugin {
  return {
    name: 'candela:lean-contracts',
    transform(code, id) {
      if (!CONTRACT.test(id)) return null;
      return { code: lean(code, (text) => this.parse(text)), map: null };
    },
  };
}
