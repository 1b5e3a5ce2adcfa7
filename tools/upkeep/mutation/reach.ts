import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { runTests } from './run-tests.ts';

/** A piece of a source that runs as a whole, by where it stands. */
interface Block {
  readonly from: number;
  readonly to: number;
}
interface Source {
  readonly path: string;
  readonly text: string;
  readonly tests: readonly string[];
}
/** What one test file runs, and how long it takes. */
interface Visit {
  readonly blocks: readonly string[];
  readonly ms: number;
}

/** The test files that run what stands at a place of a source, the quickest first. */
export type Reach = (path: string, at: number) => readonly string[];

/** Every block of a source, and the source that notes which of them run. */
function marked({ path, text }: Source): { blocks: Block[]; instrumented: string } {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const blocks: Block[] = [];
  const inserts: { at: number; text: string }[] = [];
  const note = (node: ts.Node): string => {
    blocks.push({ from: node.getStart(file), to: node.end });
    const id = `'${path}#${blocks.length - 1}\\n'`;
    return `((globalThis.__reached ??= new Set()).has(${id}) || (globalThis.__reached.add(${id}),`
      + `globalThis.process.getBuiltinModule('fs').appendFileSync(globalThis.process.env.REACHED, ${id})))`;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isSourceFile(node)) inserts.push({ at: node.end, text: `\n;${note(node)};\n` });
    if (ts.isBlock(node)) inserts.push({ at: node.getStart(file) + 1, text: `${note(node)};` });
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
      inserts.push({ at: node.body.getStart(file), text: `(${note(node.body)},(` });
      inserts.push({ at: node.body.end, text: '))' });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  // Of two at one place the later one belongs outside when it closes, and inside when it opens.
  const ordered = inserts.map((insert, nth) => ({ ...insert, nth }))
    .sort((a, b) => b.at - a.at || (a.text === '))' ? a.nth - b.nth : b.nth - a.nth));
  const instrumented = ordered.reduce(
    (now, item) => now.slice(0, item.at) + item.text + now.slice(item.at),
    text,
  );
  return { blocks, instrumented };
}

/**
 * Runs every test file once on instrumented sources, so that a mutant meets only the tests that run its
 * block. Results of unchanged test files and sources are stored in `cache`.
 */
export function reachOf(copy: string, sources: readonly Source[], cache: string, url: string): Reach {
  mkdirSync(cache, { recursive: true });
  const marks = new Map(sources.map((source) => [source.path, marked(source)]));
  /** By slice, when the first mutant of it comes. */
  const known = new Map<readonly string[], readonly (readonly [test: string, visit: Visit])[]>();
  const visitsOf = (tests: readonly string[]): readonly (readonly [test: string, visit: Visit])[] => {
    const own = sources.filter((source) => source.tests === tests);
    const visits = known.get(tests) ?? tests.map((test) => [test, visitOf(test, own)] as const);
    known.set(tests, visits);
    return visits;
  };
  return (path, at) => {
    const { blocks = [] } = marks.get(path) ?? {};
    const tests = sources.find((source) => source.path === path)?.tests ?? [];
    const inner = blocks.map((block, nth) => ({ ...block, nth }))
      .filter(({ from, to }) => from <= at && at < to)
      .toSorted((a, b) => (a.to - a.from) - (b.to - b.from))[0];
    const wanted = `${path}#${inner?.nth ?? 0}`;
    return visitsOf(tests).filter(([, visit]) => visit.blocks.includes(wanted))
      .toSorted(([, a], [, b]) => a.ms - b.ms).map(([test]) => test);
  };

  function visitOf(test: string, own: readonly Source[]): Visit {
    const key = createHash('sha256').update(readFileSync(join(copy, test)))
      .update(own.map(({ text }) => text).join('\n')).digest('hex').slice(0, 16);
    const stored = join(cache, `${key}.json`);
    if (existsSync(stored)) return JSON.parse(readFileSync(stored, 'utf8')) as Visit;
    const [log, startedAt] = [join(copy, 'reached.txt'), performance.now()];
    writeFileSync(log, '');
    for (const { path } of own) writeFileSync(join(copy, path), marks.get(path)?.instrumented ?? '');
    try {
      const { killed, by } = runTests({ cwd: copy, tests: [test], url, env: { REACHED: log } });
      if (killed) throw new Error(`${test} fails without any mutant: ${by}`);
      const blocks = [...new Set(readFileSync(log, 'utf8').split('\n').filter(Boolean))];
      const visit = { blocks, ms: Math.round(performance.now() - startedAt) };
      // What was cut short is not all that it runs.
      if (by === '') writeFileSync(stored, JSON.stringify(visit));
      console.log(`${test} runs ${blocks.length} blocks in ${visit.ms} ms`);
      return visit;
    } finally {
      for (const { path, text } of own) writeFileSync(join(copy, path), text);
      rmSync(log);
    }
  }
}
