import { build } from 'esbuild';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { start as startSource, type Child } from '../processes/children.ts';

/** Bundles a child as the product's programs are, so that a restart doesn't include compiling sources. */
export async function bundled(file: string): Promise<string> {
  const outfile = fileURLToPath(new URL(`../../.cache/bench/${file}.mjs`, import.meta.url));
  await build({
    entryPoints: [fileURLToPath(new URL(`./${file}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return outfile;
}

/** Starts a bundle. */
export const startBundle = <Sent>(path: string, ...args: string[]): Child<Sent> =>
  fork(path, args, { env: { ...process.env, NODE_ENV: 'production' } });

/** Starts a source of this folder that can measure its memory. */
export const start = <Sent>(file: string, ...args: string[]): Child<Sent> =>
  startSource(new URL(`./${file}.ts`, import.meta.url), args, ['--expose-gc']);
