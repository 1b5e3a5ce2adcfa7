import { spawnSync } from 'node:child_process';
import { installWithApt } from './apt.mjs';

/** @param {string} name @param {readonly string[]} args */
const runs = (name, args) => spawnSync(name, args, { stdio: 'ignore' }).error === undefined;

/**
 * Programs of the journey through a TURN server: the server, and what makes its certificate. Each one that is
 * there, else one installed with apt-get as root. Throws with what to type when there is neither.
 * @returns {{ turnserver: string, openssl: string }}
 */
export function requireTurnServer() {
  const wanted = /** @type {const} */ ([
    ['turnserver', ['--help'], 'coturn'],
    ['openssl', ['version'], 'openssl'],
  ]);
  for (const [program, args, name] of wanted) {
    if (runs(program, args) || (installWithApt(name) && runs(program, args))) continue;
    throw new Error(`The journey through a TURN server needs ${program}: \`sudo apt-get install ${name}\``);
  }
  return { turnserver: 'turnserver', openssl: 'openssl' };
}
