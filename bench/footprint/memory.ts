import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Memory of a process in MB, by what it is; see proc_pid_smaps(5). */
export interface Memory {
  readonly rss: number;
  readonly pss: number;
  /** Of no file: what ends with the process. */
  readonly own: number;
  /** Of that, what the C library's allocator holds. */
  readonly malloc: number;
  /** The rest of that: heaps of V8, its code, WebAssembly's memory, stacks. */
  readonly engine: number;
  readonly files: number;
}

export const NOTHING: Memory = { rss: 0, pss: 0, own: 0, malloc: 0, engine: 0, files: 0 };

export const add = (a: Memory, b: Memory): Memory => ({
  rss: a.rss + b.rss,
  pss: a.pss + b.pss,
  own: a.own + b.own,
  malloc: a.malloc + b.malloc,
  engine: a.engine + b.engine,
  files: a.files + b.files,
});

const KB_PER_MB = 1_024;
/** glibc reserves an arena at a multiple of its size (malloc/arena.c, HEAP_MAX_SIZE). */
const ARENA_BYTES = 64n * 1_024n * 1_024n;

/** One range of addresses. */
interface Mapping {
  readonly start: bigint;
  readonly end: bigint;
  readonly permissions: string;
  readonly name: string;
  readonly pss: number;
}

function mappingsOf(pid: number): readonly Mapping[] {
  return readFileSync(`/proc/${pid}/smaps`, 'utf8').split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/u).map((text) => {
    const [range = '', permissions = '', , , , name = ''] = text.split('\n', 1)[0]!.split(/\s+/u);
    const [start = 0n, end = 0n] = range.split('-').map((address) => BigInt(`0x${address}`));
    const pss = Number(/^Pss:\s+(\d+)/mu.exec(text)?.[1] ?? 0) / KB_PER_MB;
    return { start, end, permissions, name, pss };
  });
}

/**
 * The allocator's own heap and its arenas, which end where they are reserved to. What it maps for one large
 * piece looks like any other memory, and is counted there.
 */
function isMalloc({ start, end, name }: Mapping, next: Mapping | undefined): boolean {
  if (name === '[heap]') return true;
  if (name !== '' || start % ARENA_BYTES !== 0n || end - start > ARENA_BYTES) return false;
  return end - start === ARENA_BYTES
    || (next !== undefined && next.start === end && next.permissions.startsWith('---')
      && next.end === start + ARENA_BYTES);
}

/** Memory of a process now. */
export function memoryOf(pid: number): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'mu').exec(rollup)?.[1] ?? 0) / KB_PER_MB;
  const [rss, pss, own] = [field('Rss'), field('Pss'), field('Pss_Anon')];
  const mappings = mappingsOf(pid);
  const malloc = mappings.reduce(
    (sum, mapping, at) => (isMalloc(mapping, mappings[at + 1]) ? sum + mapping.pss : sum),
    0,
  );
  return { rss, pss, own, malloc, engine: own - malloc, files: pss - own };
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  );
}

/** A process and all that descend from it, by the names of their programs. */
export function processesOf(pid: number): readonly { readonly pid: number; readonly name: string }[] {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  const name = basename(words.find((word) => /\.m?js$/u.test(word)) ?? words[0] ?? '', '.js');
  return [{ pid, name }, ...childrenOf(pid).flatMap(processesOf)];
}
