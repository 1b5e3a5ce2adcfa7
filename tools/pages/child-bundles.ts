import { CHILD_BUNDLES } from '#platform/streaming/child-entry.ts';
import { build, type Plugin } from 'esbuild';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLES = join(ROOT, '.cache/children');

/** Every source goes on knowing where it stands, so that it finds its files from a bundle too. */
const ownAddress: Plugin = {
  name: 'own address',
  setup: (bundler) => {
    bundler.onLoad({ filter: /\/platform\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    }));
  },
};

/**
 * Before the first test: bundles the programs that tests start hundreds of, for each would spend half a
 * second of a processor on stripping its types.
 */
const setUp = async (): Promise<void> => {
  const folder = 'platform/streaming';
  const programs = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('-child.ts'));
  await build({
    absWorkingDir: ROOT,
    entryPoints: programs.map((file) => join(folder, file)),
    outdir: BUNDLES,
    outbase: '.',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    plugins: [ownAddress],
    logLevel: 'warning',
  });
  process.env[CHILD_BUNDLES] = BUNDLES;
};

export default setUp;
