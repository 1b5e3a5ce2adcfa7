import { execFileSync } from 'node:child_process';

/** Bytes of memory a process has resident. */
export const residentBytes = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim()) * 1_024;
