import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { inMessageFiles, inOrder, inWiring } from './slice/register.ts';
import { skeleton } from './slice/skeleton.ts';
import { boundaries } from './tidy/code/boundaries.ts';
import { vocabulary } from './tidy/code/names.ts';
import { contractsDeclare, rulesArePure } from './tidy/code/purity.ts';
import { sizes } from './tidy/code/sizes.ts';
import { tableOwners } from './tidy/content/tables.ts';
import { callsAnswered, messages } from './tidy/content/wire.ts';
import { isTest, isWeb, readFiles, treeOf, type Problem } from './tidy/tree.ts';

const root = new URL('..', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const SENTENCE = 'Gifts: what people\'s admirers send.';
const files = new Map([
  ...skeleton('gift-boxes', SENTENCE),
  ['product/order.ts', inOrder(read('product/order.ts'), 'gift-boxes', SENTENCE)] as const,
  ['product/wiring.ts', inWiring(read('product/wiring.ts'), 'gift-boxes')] as const,
  ['product/message-files.d.ts', inMessageFiles(read('product/message-files.d.ts'), 'gift-boxes')] as const,
]);

/** Whether a rule about a new slice may read that file: not another slice's test, page or store. */
const mayConcern = (path: string): boolean =>
  !isTest(path) && !isWeb(path)
  && !/^(?:e2e|bench|tools|programs)\/|\/store\//.test(path);

describe('a new slice', () => {
  const copy = mkdtempSync(join(tmpdir(), 'candela-new-slice-'));
  afterAll(() => rmSync(copy, { recursive: true }));

  it('keeps every convention from its first minute', { timeout: 180_000 }, () => {
    const tree = treeOf(new Map([...[...readFiles(root)].filter(([path]) => mayConcern(path)), ...files]));
    const rules = [
      boundaries,
      vocabulary,
      contractsDeclare,
      rulesArePure,
      sizes,
      tableOwners,
      callsAnswered,
      messages,
    ];
    const own = (problem: Problem): boolean => problem.file.startsWith('product/gift-boxes/');
    expect(rules.flatMap((rule) => rule(tree)).filter(own)).toEqual([]);
    expect(tree.slices.slice(-3)).toEqual(['gift-boxes', 'screens', 'testkit']);
  });

  it('adds its texts to those whose keys compile, in the order of the alphabet', () => {
    const lines = files.get('product/message-files.d.ts')?.split('\n') ?? [];
    const after = (line: string): string | undefined => lines[lines.indexOf(line) + 1];
    expect(after('import type fanclubs from \'./fanclubs/messages/en.json\';'))
      .toBe('import type giftBoxes from \'./gift-boxes/messages/en.json\';');
    expect(
      after('    readonly fanclubs: typeof fanclubs;'),
    ).toBe('    readonly \'gift-boxes\': typeof giftBoxes;');
  });

  it('compiles where it was registered, and answers and keeps what its tests say', () => {
    for (const path of ['platform', 'product', 'package.json', 'vitest.config.ts', 'tools']) {
      cpSync(join(root, path), join(copy, path), { recursive: true });
    }
    cpSync(join(root, 'tsconfig.base.json'), join(copy, 'tsconfig.base.json'));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    // Databases of its own tests start from the empty one that is there already.
    mkdirSync(join(root, '.cache/data'), { recursive: true });
    mkdirSync(join(copy, '.cache'));
    symlinkSync(join(root, '.cache/data'), join(copy, '.cache/data'));
    for (const [path, text] of files) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), text);
    }
    const run = (...args: string[]): string => {
      try {
        return execFileSync(
          process.execPath,
          args,
          {
            cwd: copy,
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'pipe'],
            timeout: 120_000,
            killSignal: 'SIGKILL',
          },
        );
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        return stdout + stderr;
      }
    };
    // What is shared knows nothing of Node, here as in the project.
    const own = [...files.keys()].filter((file) => file.endsWith('.ts'));
    const shared = own.filter((file) => /\/(?:contract|rules|order)\.ts$/.test(file));
    for (const [types, compiled] of [[[], shared], [['node'], own]] as const) {
      writeFileSync(
        join(copy, 'tsconfig.json'),
        JSON.stringify({
          extends: './tsconfig.base.json',
          files: compiled,
          compilerOptions: {
            lib: ['ES2023'],
            types,
            composite: false,
            emitDeclarationOnly: false,
            noEmit: true,
          },
        }),
      );
      expect(run('node_modules/ts7/bin/tsc', '-p', 'tsconfig.json')).toBe('');
    }
    const tests = (...args: string[]): string =>
      run(
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project',
        'unit',
        '--no-color',
        '--reporter=default',
        ...args,
      );
    expect(tests('product/gift-boxes')).toMatch(/Test Files {2}2 passed/);
    // What the suite asks of every slice's tables.
    expect(tests('product/screens/screens-erasure.test.ts', '-t', 'every table with a column of a person'))
      .toMatch(/Tests {2}1 passed/);
  }, 180_000);
});
