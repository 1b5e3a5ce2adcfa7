import { spawn, spawnSync } from 'node:child_process';

/** From the range reserved for benchmarks (RFC 2544). */
const ADDRESS = '198.18.0.1';
/** A pair of virtual interfaces with one end's address, and loopback. */
const SET_UP = 'ip link set lo up && ip link add bench0 type veth peer name bench1'
  + ` && ip addr add ${ADDRESS}/32 dev bench0 && ip link set bench0 up && ip link set bench1 up && exec "$@"`;
const inNetwork = (
  command: readonly string[],
): string[] => ['--map-root-user', '--net', 'sh', '-c', SET_UP, 'sh', ...command];

/**
 * Runs this program again in its own network namespace, where it has an address that isn't loopback and that
 * nobody else can reach, and exits with its status. Returns the reason if the machine doesn't allow it.
 */
export async function runInNetwork(entry: string, args: readonly string[]): Promise<string> {
  const probe = spawnSync('unshare', inNetwork(['true']), { encoding: 'utf8' });
  if (probe.status !== 0) return (probe.error?.message ?? probe.stderr.trim()) || 'unshare failed';
  const command = [process.execPath, ...process.execArgv, entry, ...args, '--address', ADDRESS];
  // The channel ends with this process, and the other program with the channel.
  const child = spawn('unshare', inNetwork(command), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? 1)));
  process.exit(code);
}
