import { execFileSync, spawnSync } from 'node:child_process';

/**
 * Installs a Debian package when this process may: as root, where apt-get is.
 * @param {string} name
 * @returns {boolean} whether apt-get said it is installed
 */
export function installWithApt(name) {
  const possible = process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
  if (!possible) return false;
  const options = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  console.error(`installing ${name} with apt-get`);
  try {
    execFileSync('apt-get', ['update', '-q'], options);
    execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], options);
    return true;
  } catch {
    return false;
  }
}
