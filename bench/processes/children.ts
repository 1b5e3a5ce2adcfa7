import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process of a bench, by what it tells. */
export type Child<Told> = ChildProcess & { readonly told?: Told };

/** Starts a source as a process of its own, in production. @param flags of Node, beside what reads sources */
export const start = <Told>(
  source: URL, args: readonly string[], flags: readonly string[] = [],
): Child<Told> => fork(fileURLToPath(source), args, {
  execArgv: ['--import', 'tsx', ...flags], env: { ...process.env, NODE_ENV: 'production' },
});

/** The next message of a kind; rejects when the process ends first. */
export function next<Told extends { readonly kind: string }, K extends Told['kind']>(
  child: Child<Told>, wanted: K,
): Promise<Extract<Told, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`a process ended with ${code}`));
    const onMessage = (message: Told): void => {
      if (message.kind !== wanted) return;
      child.off('exit', onExit).off('message', onMessage);
      resolve(message as Extract<Told, { kind: K }>);
    };
    child.on('exit', onExit).on('message', onMessage);
  });
}
