import type { AnyCall } from '#platform/contract/call.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { declaredBySlices } from './contracts.ts';

const SPEC = new URL('../../spec/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, SPEC), 'utf8');

const isCall = (value: unknown): value is AnyCall =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** Differences in the specification's notation: `{path}` is any path of a listing. */
const READINGS: Readonly<Record<string, string>> = {
  'C-248': 'GET /browse/react/*',
  'C-249': 'GET /browse/react/v2/*',
};

/** `GET user/{name}?x=1` and `GET /user/:id` are the same address. */
const normal = (address: string): string =>
  address.replace(/\?.*$/u, '')
    .replace(/ (?!\/)/u, ' /').replaceAll(/\{\w+\}|:\w+/gu, '{}');

it('answers each call of the specification that is due at its method and path', async () => {
  const due = readdirSync(new URL('milestones/', SPEC)).map((file) => read(`milestones/${file}`))
    .filter((text) => text.includes('# due')).flatMap((text) => text.match(/^[ABC]-\d{3}$/gmu) ?? []);
  const open = new Set(read('open.tsv').split('\n').map((line) => line.split('\t')[0]));
  const answered = new Set(
    (await declaredBySlices()).filter(isCall)
      .map(({ method, path }) => normal(`${method} ${path}`)),
  );
  const texts = new Map(
    [1, 2, 3].flatMap((part) => read(`requirements-${part}.tsv`).split('\n'))
      .map((line) => line.split('\t')).map(([id, , kind, text]) => [id, kind === 'call' ? text ?? '' : '']),
  );
  const asked = due.filter((id) => !open.has(id)).flatMap((id) => {
    const address = READINGS[id] ?? /^(?:GET|POST|DELETE) \S+/u.exec(texts.get(id) ?? '')?.[0];
    return address === undefined ? [] : [{ id, address }];
  });
  expect(asked.length).toBeGreaterThan(25);
  expect(asked.filter(({ address }) => !answered.has(normal(address)))).toEqual([]);
});
