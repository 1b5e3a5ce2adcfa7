import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Another running process uses the directory. The text is for the person who starts the program. */
export class DirectoryHeld extends Error {
  constructor(directory: string, pid: number) {
    super(
      `${directory} is in use by process ${pid}. One process at a time can use a data directory: `
        + 'stop that one, choose another DATA_DIR, or set DATABASE_URL to share a PostgreSQL database.',
    );
    this.name = 'DirectoryHeld';
  }
}

interface Holder {
  readonly pid: number;
  /**
   * When the kernel started the process, so that a reused pid is not mistaken for the dead process; '' if
   * unknown.
   */
  readonly started: string;
}

/** Field 22 of /proc/<pid>/stat (proc(5)); '' where there is no /proc. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = startOf(pid);
  return started === '' || now === '' || now === started;
}

function readHolder(file: string): Holder | null {
  try {
    const [pid = '', started = ''] = readFileSync(file, 'utf8').trim().split(' ');
    return /^\d+$/.test(pid) ? { pid: Number(pid), started } : null;
  } catch {
    return null;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Tries: each takes over one stale lock at most; more than a few means processes start and die in a loop. */
const LOCK_TRIES = 5;

/**
 * Takes the lock file of a directory and returns its release. A lock of a dead process is taken over.
 * Throws {@link DirectoryHeld} while a living process has it.
 */
export function lockDirectory(directory: string): () => void {
  const lock = join(directory, 'process.lock');
  const mine = `${lock}.${process.pid}`;
  const text = `${process.pid} ${startOf(process.pid)}\n`;
  for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
    try {
      // The file appears together with its content, so nobody reads a partial one.
      writeFileSync(mine, text, { mode: 0o600 });
      linkSync(mine, lock);
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      rmSync(mine, { force: true });
    }
    const holder = readHolder(lock);
    if (holder && isAlive(holder)) throw new DirectoryHeld(directory, holder.pid);
    discardStale(lock, holder, directory);
  }
  throw new DirectoryHeld(directory, readHolder(lock)?.pid ?? 0);
}

/** Removes a dead process's lock, unless another process has already replaced it. */
function discardStale(lock: string, expected: Holder | null, directory: string): void {
  const aside = `${lock}.stale.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const found = readHolder(aside);
  if (found && found.pid !== expected?.pid && isAlive(found)) {
    renameSync(aside, lock);
    throw new DirectoryHeld(directory, found.pid);
  }
  rmSync(aside, { force: true });
}
