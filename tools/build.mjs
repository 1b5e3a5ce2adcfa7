// Builds what `npm start` runs: the server as bundles beside each other in dist/, the pages in dist/web.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Smaller files gain nothing: they fit into one packet as they are. */
const MIN_COMPRESSED_BYTES = 1024;
const COMPRESSED = /\.(?:js|css|svg|json|html|txt|webmanifest)$/;

/** Programs, and the children and threads they start, each a file of its own. Libraries stay in node_modules. */
export async function buildServer() {
  await build({
    absWorkingDir: root,
    entryPoints: [
      'programs/all.ts', 'programs/site.ts', 'platform/data/drivers/pglite-worker.ts',
      'platform/streaming/embedded/relay-child.ts',
    ],
    outdir: 'dist', entryNames: '[name]', bundle: true, packages: 'external', platform: 'node', format: 'esm',
    target: 'node20', sourcemap: 'linked', logLevel: 'warning',
  });
}

/** Pages for browsers and for server-side rendering, with compressed neighbours beside every larger file. */
export function buildPages() {
  rmSync(join(root, 'dist/web'), { recursive: true, force: true });
  const cli = join(createRequire(import.meta.url).resolve('@react-router/dev/package.json'), '../bin.js');
  const built = spawnSync(process.execPath, [cli, 'build'], {
    cwd: root, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' },
  });
  if (built.status !== 0) throw new Error(`the pages do not build:\n${built.stdout}${built.stderr}`);
  const client = join(root, 'dist/web/client');
  for (const name of readdirSync(client, { recursive: true, encoding: 'utf8' })) {
    const file = join(client, name);
    if (!COMPRESSED.test(name) || statSync(file).size < MIN_COMPRESSED_BYTES) continue;
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }));
  }
}

export async function buildAll() {
  await buildServer();
  buildPages();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
