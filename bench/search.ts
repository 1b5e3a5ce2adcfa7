/**
 * Suggestions while somebody types, over 200,000 performers, 20,000 of them online: p50 and p95, beside
 * SQLite's FTS5 with trigrams (of Python's `sqlite3`) over the same names, topics and tags, without typing
 * errors and without who may see whom, which it cannot do.
 */
import { isOnline } from '#product/browse/rules/listing/entry.ts';
import { SearchIndex, suggestionsFor } from '#product/browse/server.ts';
import { spawnSync } from 'node:child_process';
import { Dice, percentile, populate } from './directory/population.ts';

const smoke = process.argv.includes('--smoke');
const [KNOWN, ONLINE] = smoke ? [20_000, 2_000] : [200_000, 20_000];
const QUERIES = smoke ? 60 : 600;
/** SQLite's trigrams find nothing shorter. */
const MIN_TYPED = 3;

const SQLITE = `
import json, sqlite3, sys, time
given = json.load(sys.stdin)
db = sqlite3.connect(':memory:')
db.execute("create virtual table found using fts5(name, said, tokenize='trigram')")
db.executemany('insert into found (rowid, name, said) values (?, ?, ?)', given['rows'])
times = []
for typed in given['typed']:
    began = time.perf_counter()
    wanted = ('"' + typed + '"',)
    db.execute('select rowid from found where found match ? order by rank limit 10', wanted).fetchall()
    times.append((time.perf_counter() - began) * 1000)
print(json.dumps(sorted(times)))
`;

const now = Date.now();
const directory = populate(KNOWN, ONLINE, now);
const index = new SearchIndex();
for (const entry of directory.all()) index.put(entry);
const all = [...directory.all()];
const dice = new Dice();
const beginnings = Array.from({ length: QUERIES }, () => {
  const [first = 'anna', second = 'anna'] = dice.of(all).displayName.split(' ');
  const name = dice.below(2) === 0 ? first : second;
  return name.slice(0, MIN_TYPED + dice.below(Math.max(1, name.length - MIN_TYPED)));
}).filter((typed) => typed.length >= MIN_TYPED);
const withErrors = beginnings.map((typed) => {
  const at = 1 + dice.below(Math.max(1, typed.length - 2));
  return typed.slice(0, at) + (typed[at + 1] ?? '') + (typed[at] ?? '') + typed.slice(at + 2);
});

function ours(typed: readonly string[]): readonly number[] {
  return typed.map((text) => {
    const began = performance.now();
    suggestionsFor(text, { index, isBlocked: () => false }, () => true);
    return performance.now() - began;
  }).sort((a, b) => a - b);
}

function sqlite(): readonly number[] | null {
  const rows = all.map((
    entry,
  ) => [
    entry.id,
    `${entry.username} ${entry.displayName}`,
    isOnline(entry) ? `${entry.topic} ${entry.tags.join(' ')}` : '',
  ]);
  const { status, stdout, stderr } = spawnSync('python3', ['-c', SQLITE], {
    input: JSON.stringify({ rows, typed: beginnings }),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return JSON.parse(stdout) as number[];
  console.log(`without SQLite: ${stderr?.trim().split('\n').at(-1) ?? 'python3 is missing'}\n`);
  return null;
}

ours(beginnings.slice(0, 30));
const theirs = sqlite();
const rows = [
  ...(theirs ? [['SQLite FTS5, trigrams', theirs] as const] : []),
  ['suggestions', ours(beginnings)] as const,
  ['suggestions, two letters swapped', ours(withErrors)] as const,
];
console.log(`${KNOWN} known, ${ONLINE} online\n`);
console.log('| | p50 ms | p95 ms | p95 of SQLite’s (aim: p95 ≤ 50 ms) |');
console.log('|---|---:|---:|---:|');
for (const [name, times] of rows) {
  const p95 = percentile(times, 0.95);
  console.log(
    `| ${name} | ${percentile(times, 0.5).toFixed(2)} | ${p95.toFixed(2)} | `
      + `${theirs ? (p95 / percentile(theirs, 0.95)).toFixed(2) : '–'} |`,
  );
}
