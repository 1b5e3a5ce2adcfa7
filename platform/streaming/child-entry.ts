import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Names the folder of prebuilt bundles of the child programs, each at the path of its source. Set where a
 * test starts very many children from source.
 */
export const CHILD_BUNDLES = 'CANDELA_CHILD_BUNDLES';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** How a child program is started: its file, and the flags Node needs to run it. */
export interface ChildEntry {
  readonly path: string;
  readonly execArgv: readonly string[];
}

/**
 * The entry of a child program beside the calling module. From source it is the TypeScript file, run through
 * tsx, or its bundle where one was built (see {@link CHILD_BUNDLES}). In a build it is the bundle of the same
 * name beside the calling bundle (`dist/relay-child.js`).
 *
 * @param from `import.meta.url` of the caller
 * @param name file name without its ending, relative to the caller in source
 */
export function childEntry(from: string, name: string): ChildEntry {
  if (!from.endsWith('.ts')) {
    return { path: fileURLToPath(new URL(`./${basename(name)}.js`, from)), execArgv: [] };
  }
  const source = fileURLToPath(new URL(`${name}.ts`, from));
  const bundles = process.env[CHILD_BUNDLES];
  if (bundles !== undefined) {
    return { path: join(bundles, relative(ROOT, source).replace(/ts$/u, 'js')), execArgv: [] };
  }
  const tsx = pathToFileURL(createRequire(from).resolve('tsx')).href;
  return { path: source, execArgv: ['--import', tsx] };
}
