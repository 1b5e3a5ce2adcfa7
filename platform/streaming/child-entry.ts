import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** How a child program is started: its file, and the flags Node needs to run it. */
export interface ChildEntry {
  readonly path: string;
  readonly execArgv: readonly string[];
}

/**
 * The entry of a child program that stands beside the calling module. From source it is the TypeScript file,
 * run through tsx; in a build it is the bundle of the same name beside the bundle that asks
 * (`dist/relay-child.js`).
 *
 * @param from `import.meta.url` of the caller
 * @param name file name without its ending, relative to the caller in source
 */
export function childEntry(from: string, name: string): ChildEntry {
  if (!from.endsWith('.ts')) {
    return { path: fileURLToPath(new URL(`./${basename(name)}.js`, from)), execArgv: [] };
  }
  const tsx = pathToFileURL(createRequire(from).resolve('tsx')).href;
  return { path: fileURLToPath(new URL(`${name}.ts`, from)), execArgv: ['--import', tsx] };
}
