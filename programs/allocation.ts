/**
 * How the C library gives memory to the site's process; it reads these once, as a process starts. Compilers
 * of JavaScript and WebAssembly take a hundred megabytes for moments, on many threads, and pieces between
 * them that stay in use would hold all of it: fewer arenas, and larger pieces mapped one by one, go back to
 * the system. The number of maps stays far below what Linux allows a process (65,530). Other C libraries
 * ignore this.
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
