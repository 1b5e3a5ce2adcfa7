// `npm start`: builds when sources have changed since the last build, then runs the supervisor. With `admin`
// as its first argument, as `npm run admin` gives it, it runs that program instead.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Candela needs Node 20.19 or later; this is ${process.versions.node}.`);
  process.exit(1);
}
if (!existsSync(fileURLToPath(new URL('../node_modules/esbuild', import.meta.url)))) {
  console.error('The libraries are missing: run `npm ci` first.');
  process.exit(1);
}

const { buildAll, isBuilt } = await import('./build.mjs');
if (!isBuilt()) {
  console.log('Building Candela …');
  const startedAt = performance.now();
  await buildAll().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
  console.log(`Built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
}
const isAdmin = process.argv[2] === 'admin';
if (isAdmin) process.argv.splice(2, 1);
await import(isAdmin ? '../dist/admin.js' : '../dist/all.js');
