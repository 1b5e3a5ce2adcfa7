import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Tests take less time on this Node than on the oldest one that Candela runs on (decision 40). */
const FAST_MAJOR = 24;
const LOCKED = fileURLToPath(new URL('node', import.meta.url));
const INSTALLED = fileURLToPath(new URL('../../.cache/node', import.meta.url));
/** A download that takes longer than this is given up: the tests run without it. */
const INSTALL_MS = 180_000;

/**
 * The Node that tests run on: this one where it is new enough, else the locked one of npm, installed on first
 * use below `.cache`. Falls back to this one where npm has none for the machine.
 * @returns {string} path of the program
 */
export function fastNode() {
  if (Number(process.versions.node.split('.')[0]) >= FAST_MAJOR) return process.execPath;
  const program = `${INSTALLED}/node_modules/node-${process.platform}-${process.arch}/bin/node`;
  if (!existsSync(program)) install();
  return existsSync(program) ? program : process.execPath;
}

function install() {
  console.error(`installing Node ${FAST_MAJOR} for the tests, below .cache`);
  mkdirSync(INSTALLED, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    cpSync(`${LOCKED}/${file}`, `${INSTALLED}/${file}`);
  }
  try {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--no-bin-links'], {
      cwd: INSTALLED,
      stdio: ['ignore', 2, 2],
      timeout: INSTALL_MS,
      killSignal: 'SIGKILL',
    });
  } catch {
    console.error(`Node ${FAST_MAJOR} could not be installed: the tests run on ${process.versions.node}`);
  }
}
