import { describe, expect, it } from 'vitest';
import { boundaries } from './code/boundaries.ts';
import { names, vocabulary } from './code/names.ts';
import {
  contractsDeclare,
  moduleState,
  namedExports,
  platformWords,
  rulesArePure,
  timeAndChance,
} from './code/purity.ts';
import { sizes } from './code/sizes.ts';
import { storedKeys } from './code/stored.ts';
import { registry, words } from './code/words.ts';
import { cacheWriters } from './content/cache.ts';
import { documentPaths, wiringFollowsOrder } from './content/documents.ts';
import { extensionPoints } from './content/extensions.ts';
import { sqlFunctions } from './content/functions.ts';
import { glossary } from './content/glossary.ts';
import { tableOwners, testsWrite } from './content/tables.ts';
import { titles } from './content/titles.ts';
import {
  formsUseTheLayer,
  keysPassTheGuard,
  literalText,
  pagesLoadNoShapes,
  thirdParties,
} from './content/web.ts';
import { callsAnswered, messages } from './content/wire.ts';
import { typedNames } from './texts/typed.ts';
import { treeOf, type Problem, type Tree } from './tree.ts';

const shown = (problems: readonly Problem[]): string[] =>
  problems.map(({ file, line, rule, advice }) => `${file}:${line}  ${rule}: ${advice}`).sort();

/** A small tree with the first three slices, and what a case adds. */
function sketch(files: Record<string, string>): Tree {
  const order =
    'export const order = [\n  [\'accounts\', \'\'],\n  [\'rooms\', \'\'],\n  [\'tips\', \'\'],\n] as '
    + 'const;\n';
  return treeOf(new Map(Object.entries({ 'product/order.ts': order, ...files })));
}

const IN_ROOMS = 'product/rooms/extension-points.ts';
/** The slice `rooms` with one extension point, called by it, and what a case adds. */
const withPoint = (declaration: string, more: Record<string, string> = {}): Record<string, string> => ({
  [IN_ROOMS]: `export const guard = ${declaration}`,
  'product/rooms/server.ts': 'import * as extensionPoints from \'./extension-points.ts\';\n'
    + 'export const f = (x) => x.one(extensionPoints.guard);',
  ...more,
});
const REQUIRED = 'required.single<X>({ name: \'rooms.guard\', description: \'\' });';
const optionalWith = (more: string): string =>
  `optional.single<X>({ name: 'rooms.guard', description: '', byDefault: 'a', safeBecause: 'b', ${more}});`;
const implementedIn = (file: string): Record<string, string> => ({
  [file]: 'import { guard } from \'#product/rooms/extension-points.ts\';\n'
    + 'export const e = [implement(guard, f)];',
});

/** Each line: a rule, a file that breaks it, and a word of the advice. */
const BREACHES: readonly [(tree: Tree) => Problem[], Record<string, string>, RegExp][] = [
  ...[
    ['localStorage.setItem(\'seen\', \'1\');', /seen is not in/],
    ['const KEY = \'seen\'; globalThis.sessionStorage.setItem(KEY, \'1\');', /seen is not in/],
    ['setCookie(\'uid\', value, { maxAgeSeconds: 1 });', /uid is not in/],
    ['document.cookie = \'uid=1\';', /write cookies with keep/],
    ['localStorage.setItem(`seen ${id}`, text);', /by a constant/],
  ].map(([text, advice]) =>
    [storedKeys, {
      'product/consent/rules/stored.ts': 'cookie(\'session\')',
      'product/rooms/web/room.ts': `'session'; ${text}`,
    }, advice] as [(tree: Tree) => Problem[], Record<string, string>, RegExp]
  ),
  [storedKeys, { 'product/consent/rules/stored.ts': 'cookie(\'gone\')' }, /nothing stores gone/],
  [boundaries, {
    'product/accounts/server.ts': 'import { x } from \'#product/tips/contract.ts\';',
    'product/tips/contract.ts': '',
  }, /stands before tips/],
  [boundaries, {
    'product/tips/server.ts': 'import { x } from \'#product/rooms/store.ts\';',
    'product/rooms/store.ts': '',
  }, /not its store/],
  [boundaries, {
    'product/tips/web/panel.tsx': 'import { x } from \'../server.ts\';',
    'product/tips/server.ts': '',
  }, /contract ← rules/],
  [boundaries, {
    'product/tips/web/panel.tsx': 'import { x } from \'#product/rooms/server.ts\';',
    'product/rooms/server.ts': '',
  }, /not its server/],
  [boundaries, {
    'product/tips/server.ts': 'import { x } from \'#product/rooms/server/chat.ts\';',
    'product/rooms/server/chat.ts': '',
  }, /inside rooms/],
  [boundaries, {
    'product/wiring.ts': 'import { x } from \'./rooms/server/chat.ts\';',
    'product/rooms/server/chat.ts': '',
  }, /inside rooms/],
  [boundaries, {
    'platform/data/units.ts': 'import { x } from \'#product/tips/rules.ts\';',
    'product/tips/rules.ts': '',
  }, /knows no product/],
  [boundaries, {
    'platform/streaming/relay.ts': 'import { x } from \'#platform/http/host.ts\';',
    'platform/http/host.ts': '',
  }, /may not import/],
  [boundaries, {
    'platform/time/days.ts': 'import { x } from \'#platform/contract/call.ts\';',
    'platform/contract/call.ts': '',
  }, /platform\/time may not import/],
  [boundaries, { 'platform/text/money.ts': 'import { inspect } from \'node:util\';' }, /is pure/],
  [
    boundaries,
    { 'product/tips/rules.ts': 'import { readFileSync } from \'node:fs\';' },
    /rules may not import node:fs/,
  ],
  [boundaries, { 'product/tips/server.ts': 'import { x } from \'./store\';' }, /with its \.ts/],
  [boundaries, {
    'product/tips/server.ts': 'import { x } from \'../rooms/server.ts\';',
    'product/rooms/server.ts': '',
  }, /write #product\/rooms\/server\.ts/],
  [boundaries, {
    'product/tips/server.ts': 'import { x } from \'#product/tips/rules.ts\';',
    'product/tips/rules.ts': '',
  }, /relative to this file/],
  [boundaries, {
    'product/tips/store.ts': 'type X = import(\'#product/rooms/store.ts\').Y;',
    'product/rooms/store.ts': '',
  }, /not its store/],
  [vocabulary, { 'product/tips/service.ts': '' }, /README\.md contract\.ts/],
  [vocabulary, { 'product/gifts/rules.ts': '' }, /order\.ts/],
  [names, { 'platform/data/sql-helpers.ts': '' }, /says nothing/],
  [names, { 'platform/ui/TipPanel.tsx': '' }, /lower-case/],
  [sizes, { 'platform/data/long.ts': '\n'.repeat(501) }, /501 lines/],
  [sizes, { 'platform/data/long.ts': `const f = () => {${'\n'.repeat(100)}};` }, /101 lines/],
  [sizes, { 'platform/data/wide.ts': `// ${'x'.repeat(108)}` }, /111 > 110/],
  [namedExports, { 'platform/data/a.ts': 'export default 1;' }, /a name/],
  [namedExports, { 'platform/data/a.ts': 'export * from \'./b.ts\';' }, /where it is written/],
  [
    moduleState,
    { 'platform/data/a.ts': 'let count = 0;\nexport const f = () => count;' },
    /module-level let/,
  ],
  [moduleState, { 'platform/data/a.ts': 'export const seen = new Map<string, number>();' }, /seen is filled/],
  [moduleState, {
    'platform/data/a.ts': 'const seen: string[] = [];\nexport const f = () => seen.push("x");',
  }, /seen/],
  [
    moduleState,
    { 'platform/data/a.ts': 'const o = { n: 1 };\nexport const f = () => { o.n += 1; };' },
    /o is filled/,
  ],
  [timeAndChance, { 'product/tips/server.ts': 'const at = new Date();' }, /Clock/],
  ...[
    'Date.now()',
    'new Date()',
    'new Date',
    'Date()',
    'performance.timeOrigin',
    'f(Date.now)',
  ].map((text) =>
    [
      timeAndChance,
      { 'product/tips/web/panel.tsx': `const at = ${text};` },
      /useServerClock/,
    ] as [(tree: Tree) => Problem[], Record<string, string>, RegExp]
  ),
  [timeAndChance, { 'platform/ui/text/amounts.tsx': 'const { now } = Date;' }, /useServerClock/],
  [timeAndChance, { 'product/tips/tips.test.ts': 'setTimeout(done, 5);' }, /never sleep/],
  [timeAndChance, { 'product/tips/rules.ts': 'const x = Math.random();' }, /parameter/],
  [
    contractsDeclare,
    { 'product/tips/contract.ts': 'const s = z.string().transform((v) => v);' },
    /transforms/,
  ],
  [contractsDeclare, { 'product/tips/contract.ts': 'export function f() {}' }, /rules\.ts/],
  [rulesArePure, { 'product/tips/rules.ts': 'export const f = async () => 1;' }, /await/],
  [rulesArePure, { 'product/tips/rules.ts': 'const x = process.env;' }, /process/],
  [platformWords, { 'platform/data/a.ts': 'export const tipAmount = 1;' }, /word of the product/],
  [tableOwners, { 'product/tips/server.ts': 'tx.sql<T>().selectFrom(\'tips.tips\');' }, /store\.ts/],
  [tableOwners, { 'product/tips/store.ts': 'q.selectFrom(\'rooms.bans\');' }, /belongs to rooms/],
  [tableOwners, { 'product/tips/store.ts': 'sql`select 1 from rooms.bans`;' }, /belongs to rooms/],
  [tableOwners, { 'product/tips/store.ts': 'sql`select now()`;' }, /tx\.now/],
  [keysPassTheGuard, { 'product/tips/web/a.tsx': 'const a = <input onKeyUp={send} />;' }, /use keydown/],
  [
    keysPassTheGuard,
    { 'product/tips/web/a.ts': 'field.addEventListener(\'keypress\', send);' },
    /use keydown/,
  ],
  [keysPassTheGuard, { 'product/tips/web/a.ts': 'const more = { onKeyUpCapture: send };' }, /use keydown/],
  [
    keysPassTheGuard,
    { 'product/tips/web/a.ts': 'addEventListener(\'keydown\', send, true);' },
    /guard is first/,
  ],
  [keysPassTheGuard, {
    'product/tips/web/a.ts': 'window.addEventListener(\'keydown\', f, { capture: true });',
  }, /guard is first/],
  [testsWrite, { 'product/tips/tips.test.ts': 'sql`update rooms.rooms set status = 1`;' }, /scenario verb/],
  [testsWrite, { 'product/tips/tips.test.ts': 'sql(\'delete  from rooms.bans\')' }, /belongs to rooms/],
  [testsWrite, { 'e2e/room.test.ts': 'sql`merge into rooms.bans as b`' }, /belongs to rooms/],
  [testsWrite, { 'e2e/stage.ts': 'sql(\'update "rooms"."bans" set until = null\')' }, /belongs to rooms/],
  [testsWrite, { 'product/tips/tips.test.ts': 'db.deleteFrom(\'rooms.bans\')' }, /belongs to rooms/],
  [tableOwners, { 'product/tips/tables/0001-tips.sql': 'create table tips.a (id bigint);' }, /operator_id/],
  [
    tableOwners,
    { 'product/tips/tables/0001-tips.sql': 'create table tips.a (operator_id bigint not null);' },
    /own_table/,
  ],
  [
    tableOwners,
    { 'product/tips/tables/0001-tips.sql': 'alter table rooms.bans add x int;' },
    /belongs to rooms/,
  ],
  [
    sqlFunctions,
    { 'product/tips/tables/0002-more.sql': 'create or replace function tips.f() returns int' },
    /functions\/<name>\.sql/,
  ],
  [
    sqlFunctions,
    { 'product/ledger/tables/0014-more.sql': 'create\ntrigger t after insert on ledger.lots' },
    /0014-more\.sql:1 /,
  ],
  [
    sqlFunctions,
    { 'platform/data/tables/0007-more.sql': 'alter function platform.f set jit = off;' },
    /tables and data/,
  ],
  [
    sqlFunctions,
    { 'product/tips/tables/functions/f.sql': 'create function tips.f() returns int' },
    /create or replace/,
  ],
  [
    sqlFunctions,
    { 'product/tips/tables/functions/g.sql': 'create or replace function tips.f() returns int' },
    /f\.sql/,
  ],
  [
    callsAnswered,
    { 'product/tips/contract.ts': 'export const sendTip = call({});' },
    /bind handleCall\(sendTip\)/,
  ],
  [callsAnswered, { 'product/tips/contract.ts': 'export const sendTip = call({});' }, /no test makes/],
  [callsAnswered, {
    'product/tips/contract.ts': 'export const sendTip = call({});',
    'product/tips/server.ts': 'handleCall(sendTip)(f);\nhandleCall(sendTip)(g);',
  }, /server\.ts:1 and/],
  [
    messages,
    { 'product/tips/contract.ts': 'const own = refusal({ slice, code: \'own_tip\' });' },
    /refusals\.own_tip/,
  ],
  [messages, {
    'product/tips/messages/en.json': '{"a":"x {{n}}"}',
    'product/tips/messages/de.json': '{"a":"x"}',
  }, /\{\{values\}\}/],
  [
    messages,
    { 'product/tips/messages/en.json': '{"a":"x"}', 'product/tips/messages/de.json': '{"b":"x"}' },
    /translate a/,
  ],
  [messages, { 'product/tips/messages/en.json': '{"a":"x"}' }, /write it/],
  [messages, { 'product/tips/messages/en.json': '{"a":"x"}' }, /import product\/tips\/messages\/en\.json/],
  [literalText, { 'product/tips/web/a.tsx': 'const a = <p>Hello</p>;' }, /Hello/],
  [literalText, { 'product/tips/web/a.tsx': 'const a = <p title="Send">{x ? "On" : y}</p>;' }, /Send|On/],
  [pagesLoadNoShapes, {
    'product/tips/web/panel.ts': 'import { sendTip } from \'../contract.ts\';',
    'product/tips/contract.ts': '',
  }, /client\.ts/],
  [pagesLoadNoShapes, {
    'product/tips/web/panel.ts': 'const load = () => import(\'../contract.ts\');',
    'product/tips/contract.ts': '',
  }, /setting `shape`/],
  [pagesLoadNoShapes, {
    'platform/contract/sockets/frame.ts': 'import { type Template } from \'./lobby.ts\';',
    'platform/contract/sockets/lobby.ts': '',
  }, /client\.ts/],
  [documentPaths, { 'docs/style.md': 'Rules are in `platform/data/gone.ts`.' }, /gone\.ts does not exist/],
  [documentPaths, { 'product/tips/README.md': '`rules.ts`; [more](../rooms/README.md).' }, /rules\.ts/],
  [documentPaths, { 'README.md': 'See [how](docs/gone.md).' }, /docs\/gone\.md/],
  [wiringFollowsOrder, {
    'product/wiring.ts': 'const a = b\n  .add(\'accounts\', a)\n  .add(\'tips\', t)\n  .add(\'rooms\', r)',
  }, /add rooms where tips stands/],
  [thirdParties, { 'platform/ui/a.css': '@import "https://fonts.example.com/x.css";' }, /fonts\.example/],
  [cacheWriters, { 'product/tips/web/panel.tsx': 'cache.setQueryData(["tips"], 1);' }, /live\.ts/],
  [cacheWriters, { 'product/tips/web/use-goal.ts': 'client.setQueriesData({}, f);' }, /live\.ts/],
  [cacheWriters, { 'product/tips/web/use-goal.ts': 'changeCached(cache, getGoal, {}, f);' }, /live\.ts/],
  [cacheWriters, { 'product/tips/web/use-goal.ts': 'const { setQueryData: put } = useCache();' }, /live\.ts/],
  [cacheWriters, { 'product/tips/web/use-goal.ts': 'const put = useCache().setQueryData;' }, /live\.ts/],
  [cacheWriters, {
    'product/tips/web/live.ts':
      'export function useGoal() { return (goal) => changeCached(cache, getGoal, {}, () => goal); }',
  }, /hands changeCached/],
  ...([
    'const entries = useQueryClient();\nentries.setQueryData(["tips"], 1);',
    'const { setQueryData } = useQueryClient();',
    'const { setQueryData: put } = useCache();',
    'const put = cache.setQueryData.bind(cache);',
    'cache["setQueryData"](["tips"], 1);',
    'cache?.setQueryData<Tips>(["tips"], 1);',
    'import { changeCached as put } from \'#platform/ui/calls/calls.ts\';',
    'export const usePut = () => { const c = useCache(); return (to) => c.setQueryData(["tips"], to); };',
  ].map((
    text,
  ): (typeof BREACHES)[number] => [cacheWriters, { 'product/tips/web/use-goal.ts': text }, /live\.ts/])),
  ...([
    'export const usePut = () => { const c = useCache(); return (to) => c.setQueryData(["tips"], to); };',
    'export function usePut() { return { put: () => changeCached(cache, getGoal, {}, f) }; }',
    'export function usePut() { const put = useCallback(() => changeCached(c, goal, {}, f)); return put; }',
    'const to = (c) => changeCached(c, getGoal, {}, f);\nexport const usePut = () => () => to(cache);',
    'export const usePut = () => useCache().setQueryData;',
    'export const usePut = () => { const { setQueryData: put } = useCache(); return { put }; };',
  ].map((
    text,
  ): (typeof BREACHES)[number] => [cacheWriters, { 'product/tips/web/live.ts': text }, /export an Applied/])),
  [
    cacheWriters,
    { 'product/tips/web/live.ts': 'useQuery({ queryKey, queryFn, enabled: false });' },
    /useLiveState/,
  ],
  [
    formsUseTheLayer,
    { 'product/tips/web/panel.tsx': 'const typed = new FormData(form);' },
    /read the fields/,
  ],
  [formsUseTheLayer, {
    'product/tips/web/panel.tsx':
      'const [busy, setBusy] = useState(false);\nconst a = <form onSubmit={send} />;',
  }, /submit with useForm/],
  [
    formsUseTheLayer,
    { 'product/tips/web/panel.tsx': 'const a = <form {...form.props} onSubmit={send} />;' },
    /without an onSubmit/,
  ],
  [extensionPoints, withPoint(REQUIRED), /no slice implements rooms\.guard/],
  [extensionPoints, withPoint(REQUIRED, implementedIn('product/tips/tips.test.ts')), /no slice implements/],
  [
    extensionPoints,
    withPoint(optionalWith(''), implementedIn('product/tips/tips.test.ts')),
    /only tests implement rooms\.guard/,
  ],
  [extensionPoints, withPoint(REQUIRED, implementedIn('product/testkit/site.ts')), /no slice implements/],
  [extensionPoints, withPoint(optionalWith('milestone: 9')), /no milestone 9/],
  [
    extensionPoints,
    withPoint(optionalWith('milestone: 2'), {
      'docs/roadmap.md': 'Done: 1. The job. 2. The media plane.\n\nNow: 3. The room.',
    }),
    /no milestone 2 to come/,
  ],
  [
    extensionPoints,
    withPoint(optionalWith('milestone: 9'), implementedIn('product/tips/server.ts')),
    /drop its milestone/,
  ],
  [
    extensionPoints,
    withPoint(
      'optional.many<X>({ name: \'rooms.guard\', description: \'\' });',
    ),
    /why that is safe/,
  ],
  [extensionPoints, withPoint(REQUIRED.replace('rooms.', 'tips.')), /begin the name with rooms/],
  [extensionPoints, {
    [IN_ROOMS]: `export const guard = ${REQUIRED}`,
    ...implementedIn('product/tips/server.ts'),
  }, /nothing calls rooms\.guard/],
  [extensionPoints, { [IN_ROOMS]: '', 'product/rooms/server.ts': '' }, /return `extensionPoints`/],
  [extensionPoints, { 'product/rooms/server.ts': `const guard = ${REQUIRED}` }, /extension-points\.ts/],
  [words, { 'platform/data/a.ts': '// TODO: later' }, /do it now/],
  [words, { 'platform/data/a.test.ts': 'it.only(\'x\', f);' }, /mend/],
  [registry, { 'package-lock.json': '"resolved": "https://mirror.example/x.tgz"' }, /no host/],
  ...([
    ['src/a.ts', '// The queue is told.'],
    ['src/a.ts', 'const tellQueue = 1;'],
    ['src/told.ts', ''],
    ['src/a.test.ts', 'it(\'is told\', f);'],
    ['src/a.md', 'The queue is told.'],
  ] as const).map(([path, text]): (typeof BREACHES)[number] => [(tree) => glossary(tree), {
    [path]: text,
    'docs/glossary.md': '| Word | Meaning | Not |\n|---|---|---|\n| send | x | `told`, `tell` |',
  }, /"(?:told|tell)": send/]),
  [typedNames, { 'product/tips/web/a.tsx': 'export const a = <p>{u.display_name} 12 + 5</p>;' }, /<Typed>/],
  [typedNames, { 'product/tips/web/a.tsx': 'export const a = <p>{u.about || t(\'none\')}</p>;' }, /<Typed>/],
  ...[
    'export function A({ display_name: name }) { return <p>{name} 12 + 5</p>; }',
    'export function A({ user }) { const name = user.display_name ?? t("x"); return <p>{name}</p>; }',
    'export function A({ user }) { return <B name={user.display_name} />; }\n'
    + 'function B({ name }) { return <p>{name}</p>; }',
    'export const A = ({ user }) => <B name={user.display_name} />;\n'
    + 'const B = ({ name: who }) => <p>{who}</p>;',
    'export const a = <p>{`${u.display_name}: 12`}</p>;',
    'export const a = <p>{goal.title}</p>;',
    'export const a = [{ key: \'words\', cell: ({ comment }) => comment }];',
  ].map((text): (typeof BREACHES)[number] => [typedNames, { 'product/tips/web/a.tsx': text }, /<Typed>/]),
  [titles, { 'product/tips/tips.test.ts': 'it(\'tips [A-999]\', f);' }, /A-999/],
  [titles, { 'product/tips/tips.test.ts': 'it(\'tips [A-1, A-2, A-3, A-4, A-5]\', f);' }, /split/],
];

describe('the rules bite', () => {
  it.each(BREACHES.map(([rule, files, advice], at) => ({ at, rule, files, advice, name: rule.name })))(
    '$name, case $at: $advice',
    ({ rule, files, advice }) => {
      expect(shown(rule(sketch(files))).join('\n')).toMatch(advice);
    },
  );

  it('and let good code pass', () => {
    const good = sketch({
      'product/accounts/contract.ts': 'export const X = z.object({});',
      'product/tips/contract.ts': 'import { X } from \'#product/accounts/contract.ts\';\nexport const Y = X;',
      'product/tips/web/panel.tsx':
        'import { Y } from \'../contract.ts\';\nexport const a = <p>{t(\'a\')} ⬡{Y}</p>;',
      'product/tips/web/live.ts': 'cache.setQueryData(key, f);\nuseQuery({ enabled: isOpen });\n'
        + 'const put = (cache, to) => cache.setQueryData(key, to);\n'
        + 'export const usePut = () => { const { run } = useAction(call, put); return { run }; };\n'
        + 'export function useGoal() { useEvent(null, changed, (to) => put(useCache(), to)); return 1; }',
      'product/tips/rules.ts':
        'const LIMITS = { a: 1 };\nexport const of = (process: string) => LIMITS[process];',
      'product/tips/store.ts': 'export const f = (tx: Tx) => tx.sql<T>().selectFrom(\'tips.tips\');',
      'product/tips/tables/0001-tips.sql': 'create table tips.a (operator_id bigint not null, id bigint,\n'
        + 'primary key (operator_id, id), foreign key (operator_id, id) references accounts.people '
        + '(operator_id, id));\n'
        + 'select platform.own_table(\'tips.a\');',
    });
    const rules = [
      boundaries,
      names,
      sizes,
      namedExports,
      moduleState,
      timeAndChance,
      contractsDeclare,
      rulesArePure,
      tableOwners,
      testsWrite,
      extensionPoints,
      sqlFunctions,
      literalText,
      thirdParties,
      cacheWriters,
      words,
    ];
    expect(rules.flatMap((rule) => shown(rule(good)))).toEqual([]);
  });
});
