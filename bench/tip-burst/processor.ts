/** Processor time of a PostgreSQL cluster, from /proc: unlike a rate, it hardly depends on other load. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of /proc/<pid>/stat per second (sysconf _SC_CLK_TCK; 100 on every Linux of today). */
const TICKS_PER_SECOND = 100;

/** Fields of a process after its name: parent, then times of its own and of its children that ended. */
function statOf(pid: string): { parent: number; ticks: number; endedTicks: number } | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? [];
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, ticks: user + system, endedTicks: endedUser + endedSystem };
  } catch {
    return null;
  }
}

/** Processor seconds of a server and its children so far; NaN without /proc. */
export function processorSeconds(serverPid: number): number {
  const server = statOf(String(serverPid));
  if (!server) return Number.NaN;
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(statOf)
    .filter((stat) => stat?.parent === serverPid);
  const ticks = children.reduce((sum, stat) => sum + (stat?.ticks ?? 0), server.ticks + server.endedTicks);
  return ticks / TICKS_PER_SECOND;
}
