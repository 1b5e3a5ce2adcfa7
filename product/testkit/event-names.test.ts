import type { AnyEvent } from '#platform/contract/event.ts';
import * as lobby from '#platform/contract/sockets/lobby.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { declaredBySlices } from './contracts.ts';

const SPEC = new URL('../../spec/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, SPEC), 'utf8');

const isEvent = (value: unknown): value is AnyEvent =>
  typeof value === 'object' && value !== null && 'socket' in value && 'from' in value && 'name' in value;

/** Events that one text of the specification describes and another names (spec 1 §7, spec 2 §7.1). */
const READINGS: Readonly<Record<string, string>> = {
  'C-168': 'v3.chat.userlist.start',
  'C-169': 'v3.chat.userlist.stop',
  'C-170': 'v3.user.invisible-mode',
  'C-325': 'v3.epoch_oneclick_error',
  'C-343': 'v3.chat.app_panels',
  'C-344': 'v3.chat.subject',
  'C-345': 'v3.chat.history',
  'C-346': 'v3.app.koth',
  'C-347': 'v3.chat.user_list',
  'C-348': 'v3.chat.user_joined',
  'C-349': 'v3.chat.user_left',
  'C-353': 'v3.chat.user_count',
};

/** The name that a requirement gives an event; all carry `v3.` on the wire (`spec/readings.md`). */
function nameIn(id: string, text: string): string | null {
  const literal = READINGS[id] ?? /\bv3(?:\.[\w-]+)+/u.exec(text)?.[0];
  if (literal !== undefined) return literal;
  const error = /named error event ([\w.]+)/u.exec(text)?.[1];
  const words = /[Ee]vent '([^']+)'/u.exec(text)?.[1]?.replace('private show ', 'private ');
  const name = error ?? words?.replaceAll(' ', '.');
  return name === undefined ? null : `v3.${name}`;
}

const texts = [1, 2, 3].flatMap((part) => read(`requirements-${part}.tsv`).split('\n'))
  .map((line) => line.split('\t')).filter(([, , kind]) => kind === 'event')
  .flatMap(([id = '', , , text = '']) => {
    const name = nameIn(id, text);
    return name === null ? [] : [{ id, name }];
  });

it('names each event of the specification that is due as it does', async () => {
  const due = new Set(
    readdirSync(new URL('milestones/', SPEC)).map((file) => read(`milestones/${file}`))
      .filter((text) => text.includes('# due')).flatMap((text) => text.match(/^[ABC]-\d{3}$/gmu) ?? []),
  );
  const open = new Set(read('open.tsv').split('\n').map((line) => line.split('\t')[0]));
  const events = [...await declaredBySlices(), ...Object.values(lobby)].filter(isEvent);
  const declared = new Set(events.map(({ name }) => name));
  const asked = texts.filter(({ id }) => due.has(id) && !open.has(id));
  expect(asked.length).toBeGreaterThan(70);
  expect(asked.filter(({ name }) => !declared.has(name))).toEqual([]);
  // An event's own description starts with the name of that requirement, due or not.
  const named = new Map(texts.map(({ id, name }) => [id, name]));
  const wrong = events.flatMap(({ name, requirements }) =>
    requirements.map((id) => ({ id, name, asked: named.get(id) ?? name }))
  )
    .filter(({ name, asked: wanted }) => name !== wanted);
  expect(wrong).toEqual([]);
});
