import { order } from '#product/order.ts';
import { chatUpdate, getRoom } from '#product/rooms/contract.ts';
import type { RoomPart } from '#product/rooms/rules/room-part.ts';
import { composedGetRoom, composedUpdate } from '#product/rooms/server.ts';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Paths of a slice's contract: `contract.ts`, then the files of `contract/` beside it. */
export function contractFiles(slice: string): readonly string[] {
  const at = (path: string): string => fileURLToPath(new URL(`../${slice}/${path}`, import.meta.url));
  const folder = at('contract');
  const parts = existsSync(folder) ? readdirSync(folder, { encoding: 'utf8', recursive: true }) : [];
  const files = parts.filter((path) => path.endsWith('.ts')).map((path) => `contract/${path}`);
  return ['contract.ts', ...files.toSorted()].map(at).filter((file) => existsSync(file));
}

/** The exports of a slice's contract, by name; empty for a slice without one. */
async function exportedBy(slice: string): Promise<Readonly<Record<string, unknown>>> {
  const files = await Promise.all(
    contractFiles(slice)
      .map((file) => import(pathToFileURL(file).href) as Promise<Record<string, unknown>>),
  );
  return Object.assign({}, ...files) as Record<string, unknown>;
}

export const isRoomPart = (value: unknown): value is RoomPart =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'room part';

/** Like {@link exportedBy}, but the room's call and update include every room part. */
export async function declaredBy(slice: string): Promise<Readonly<Record<string, unknown>>> {
  const exported = await exportedBy(slice);
  if (!Object.values(exported).includes(getRoom)) return exported;
  const all = await Promise.all(order.map(([other]) => exportedBy(other)));
  const parts = all.flatMap((declared) => Object.values(declared)).filter(isRoomPart);
  const composed = new Map<unknown, unknown>([
    [getRoom, composedGetRoom(parts)],
    [chatUpdate, composedUpdate(parts)],
  ]);
  return Object.fromEntries(
    Object.entries(exported).map(([name, value]) => [name, composed.get(value) ?? value]),
  );
}

/** Everything the contracts of all slices declare: calls, events, refusals, shapes. */
export async function declaredBySlices(): Promise<readonly unknown[]> {
  const declared = await Promise.all(order.map(([slice]) => declaredBy(slice)));
  return declared.flatMap((exported) => Object.values(exported));
}
