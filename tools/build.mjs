// Builds what `npm start` runs: the server as bundles beside each other in dist/, the pages in dist/web.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Holds the hash of the sources that were built last. */
const STAMP = join(root, 'dist/.sources');
const LOCK = join(root, 'dist/.building');
const LOCK_POLL_MS = 200;

const SOURCE_FOLDERS = ['platform', 'product', 'programs'];
const SOURCE_FILES = ['package-lock.json', 'vite.config.ts', 'react-router.config.ts', 'tools/build.mjs'];
const NOT_BUILT = /\.(?:test\.tsx?|md|sql|sha256)$/;

/** Smaller files gain nothing: they fit into one packet as they are. */
const MIN_COMPRESSED_BYTES = 1024;
const COMPRESSED = /\.(?:js|css|svg|json|html|txt|webmanifest)$/;

/**
 * Programs, and the children and threads they start, each a file of its own. Libraries stay in node_modules.
 */
async function buildServer() {
  // Loaded for a build alone: what starts a site that is built stays, as its supervisor.
  const { build, stop } = await import('esbuild');
  try {
    await build({
      absWorkingDir: root,
      entryPoints: [
        'programs/all.ts',
        'programs/site.ts',
        'programs/web.ts',
        'programs/gateway.ts',
        'programs/worker.ts',
        'programs/admin.ts',
        'platform/data/drivers/pglite-worker.ts',
        'platform/streaming/embedded/relay/relay-child.ts',
        'platform/streaming/loop-publisher/loop-publisher-child.ts',
        'platform/streaming/rtmp/process/rtmp-child.ts',
        'platform/streaming/rtmp/media/transcode/transcode-child.ts',
        'platform/streaming/outputs/media/probe-child.ts',
        'platform/streaming/outputs/hls/hls-child.ts',
        'platform/streaming/outputs/recording/recording-child.ts',
        'platform/streaming/outputs/rendition/rendition-child.ts',
        'platform/streaming/outputs/pictures/thumbnail-child.ts',
        'platform/streaming/outputs/pictures/preview-child.ts',
      ],
      outdir: 'dist',
      entryNames: '[name]',
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: 'linked',
      logLevel: 'warning',
    });
  } finally {
    await stop();
  }
}

/**
 * Pages for browsers and for server-side rendering, with compressed neighbours beside every larger file. They
 * are
 * built aside and swapped in, so that a running site always finds whole pages.
 */
function buildPages() {
  const [next, pages, old] = ['web.next', 'web', 'web.old'].map((name) => join(root, 'dist', name));
  for (const folder of [next, old]) rmSync(folder, { recursive: true, force: true });
  const cli = join(createRequire(import.meta.url).resolve('@react-router/dev/package.json'), '../bin.js');
  const built = spawnSync(process.execPath, [cli, 'build'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production', CANDELA_PAGES_DIR: 'dist/web.next' },
  });
  if (built.status !== 0) throw new Error(`the pages do not build:\n${built.stdout}${built.stderr}`);
  compress(join(next, 'client'));
  if (existsSync(pages)) renameSync(pages, old);
  renameSync(next, pages);
  rmSync(old, { recursive: true, force: true });
}

function compress(client) {
  for (const name of readdirSync(client, { recursive: true, encoding: 'utf8' })) {
    const file = join(client, name);
    if (!COMPRESSED.test(name) || statSync(file).size < MIN_COMPRESSED_BYTES) continue;
    const bytes = readFileSync(file);
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
  }
}

/** Content hash of everything a build reads. */
function hashSources() {
  const hash = createHash('sha256');
  const files = SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !NOT_BUILT.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
  );
  for (const file of [...files, ...SOURCE_FILES.map((name) => join(root, name))].sort()) {
    hash.update(file.slice(root.length)).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Whether the last build was made of these very sources. */
export const isBuilt = () => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hashSources();

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Two builds at once would write into each other: the second waits, or takes over from a dead one. */
async function lock() {
  mkdirSync(join(root, 'dist'), { recursive: true });
  for (;;) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      return () => rmSync(LOCK, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAlive(Number(readFileSync(LOCK, 'utf8')))) await setTimeout(LOCK_POLL_MS);
    else rmSync(LOCK, { force: true });
  }
}

/** Builds everything, unless another process has done so while this one waited for its turn. */
export async function buildAll() {
  const unlock = await lock();
  try {
    if (isBuilt()) return;
    const sources = hashSources();
    // A build that is cut short leaves no stamp.
    rmSync(STAMP, { force: true });
    await buildServer();
    buildPages();
    writeFileSync(STAMP, sources);
  } finally {
    unlock();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
