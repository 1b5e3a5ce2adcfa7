import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { order } from '../order.ts';

/** Paths of the contract of a slice: `contract.ts`, then what stands in `contract/` beside it. */
export function contractFiles(slice: string): readonly string[] {
  const at = (path: string): string => fileURLToPath(new URL(`../${slice}/${path}`, import.meta.url));
  const folder = at('contract');
  const parts = existsSync(folder) ? readdirSync(folder).toSorted().map((file) => `contract/${file}`) : [];
  return ['contract.ts', ...parts].map(at).filter((file) => existsSync(file));
}

/** Everything the contract of a slice exports, by name; nothing for a slice without one. */
export async function declaredBy(slice: string): Promise<Readonly<Record<string, unknown>>> {
  const files = await Promise.all(contractFiles(slice)
    .map((file) => import(pathToFileURL(file).href) as Promise<Record<string, unknown>>));
  return Object.assign({}, ...files) as Record<string, unknown>;
}

/** Everything the contracts of all slices declare: calls, events, refusals, shapes. */
export async function declaredBySlices(): Promise<readonly unknown[]> {
  const declared = await Promise.all(order.map(([slice]) => declaredBy(slice)));
  return declared.flatMap((exported) => Object.values(exported));
}
