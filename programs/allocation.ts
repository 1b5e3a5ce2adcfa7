/**
 * How the C library allocates memory in the site's process; it reads these once, at the start. Compilers of
 * JavaScript and WebAssembly take a hundred megabytes for moments, on many threads, and small pieces that
 * stay in use between them would hold all of it. Fewer arenas, and larger pieces mapped one by one, are
 * returned to the system. The number of maps stays far below what Linux allows a process (65,530). Other C
 * libraries ignore this.
 */
export const ALLOCATION: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_MMAP_MAX_: '8192',
};

/** Children of this process allocate as usual: media reuses large buffers, and mapping each costs time. */
export function allocateAsUsualInChildren(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(ALLOCATION)) if (env[name] === value) delete env[name];
}
