/**
 * `npm test`: Vitest on the Node on which it is fastest. Takes Vitest's own arguments.
 *
 *   npm test                                   everything
 *   npm test -- --project unit product/tips    some of it
 *   NODE_OF_TESTS=own npm test                 on the Node that runs npm
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fastNode } from '../machine/node.mjs';

const node = process.env['NODE_OF_TESTS'] === 'own' ? process.execPath : fastNode();
// A young generation of 64 MB: with the usual one a tenth of the time goes into garbage collection.
const tests = spawn(node, [
  '--max-semi-space-size=64',
  'node_modules/vitest/vitest.mjs',
  'run',
  ...process.argv.slice(2),
], { cwd: fileURLToPath(new URL('../..', import.meta.url)), stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void tests.kill(signal));
tests.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
