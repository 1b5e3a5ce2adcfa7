import { transformSync } from 'esbuild';
import { readFileSync } from 'node:fs';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';
import { order } from '../../product/order.ts';
import { contractFiles } from '../../product/testkit/contracts.ts';
import { lean } from './lean-contracts.ts';

const contracts = order.flatMap(([slice]) => contractFiles(slice))
  .map((file) => [file.replace(/^.*\/product\//u, ''), readFileSync(file, 'utf8')] as const);
const scriptOf = (source: string): string => transformSync(source, { loader: 'ts' }).code;

describe('lean', () => {
  it('keeps what a page needs to make a call and cuts the rest', () => {
    const source = scriptOf(`
      const Shape = z.object({ id: z.int() }).partial();
      export const sendTip = call({ name: 'tips.sendTip', method: 'POST', path: '/tip', output: Shape,
        refusals: [no],
        description: 'Sends.' });`);
    expect(lean(source, parseAst).replaceAll(/\s+/gu, ' ')).toBe(
      'const Shape = z; export const sendTip = /* @__PURE__ */ call({ name: "tips.sendTip", method: "POST", '
      + 'path: "/tip", }); ',
    );
  });

  it.each(contracts)('leaves a script that parses, without texts for readers: %s', (_slice, source) => {
    const result = lean(scriptOf(source), parseAst);
    expect(() => parseAst(result)).not.toThrow();
    expect(result).not.toMatch(/description:|requirements:/u);
  });

  it.each(contracts)('keeps every exported name: %s', (_slice, source) => {
    const exported = (text: string) =>
      [...text.matchAll(/^(?:export )?(?:const|var) (\w+)/gmu)].map(([, name]) => name);
    expect(exported(lean(scriptOf(source), parseAst))).toEqual(exported(scriptOf(source)));
  });
});
