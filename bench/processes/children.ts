import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process of a bench, with the type of the messages it sends. */
export type Child<Sent> = ChildProcess & { readonly sent?: Sent };

/** Starts a source as a process in production mode. @param flags further flags of Node */
export const start = <Sent>(
  source: URL,
  args: readonly string[],
  flags: readonly string[] = [],
): Child<Sent> =>
  fork(fileURLToPath(source), args, {
    execArgv: ['--import', 'tsx', ...flags],
    env: { ...process.env, NODE_ENV: 'production' },
  });

/** The next message of a kind; rejects when the process ends first. */
export function next<Sent extends { readonly kind: string }, K extends Sent['kind']>(
  child: Child<Sent>,
  wanted: K,
): Promise<Extract<Sent, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`a process ended with ${code}`));
    const onMessage = (message: Sent): void => {
      if (message.kind !== wanted) return;
      child.off('exit', onExit).off('message', onMessage);
      resolve(message as Extract<Sent, { kind: K }>);
    };
    child.on('exit', onExit).on('message', onMessage);
  });
}
