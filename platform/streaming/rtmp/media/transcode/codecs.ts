import type * as Constants from 'node-av/constants';
import type * as Lib from 'node-av/lib';

/**
 * FFmpeg's codecs in node-av's low-level, synchronous form: an audio frame takes 0.1 ms. Only child processes
 * load them, so that their licence and their crashes stay out of the main program.
 */
export interface Codecs {
  readonly lib: typeof Lib;
  readonly constants: typeof Constants;
}

/** Node 20 lacks a function that node-av calls when it is loaded. */
function provideWithResolvers(): void {
  if ('withResolvers' in Promise) return;
  const value = <T>(): object => {
    let settle: Partial<{ resolve: (value: T) => void; reject: (error: Error) => void }> = {};
    const promise = new Promise<T>((resolve, reject) => {
      settle = { resolve, reject };
    });
    return { promise, ...settle };
  };
  Object.defineProperty(Promise, 'withResolvers', { value, configurable: true });
}

/** Rejects when the library is missing for this machine. */
export async function loadCodecs(): Promise<Codecs> {
  provideWithResolvers();
  const [lib, constants] = await Promise.all([import('node-av/lib'), import('node-av/constants')]);
  // Broken input is the sender's problem; messages about it would fill our log.
  lib.Log.setLevel(constants.AV_LOG_QUIET);
  return { lib, constants };
}
