import type * as Constants from 'node-av/constants';
import type * as Lib from 'node-av/lib';

/**
 * FFmpeg's codecs as node-av brings them, low level and synchronous: a frame of sound takes 0.1 ms. Only
 * child processes load them, so that their licence and their crashes stay out of the main program.
 */
export interface Codecs {
  readonly lib: typeof Lib;
  readonly constants: typeof Constants;
}

/** Node 20 lacks what node-av calls as it is loaded. */
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

/** Rejects when the library is not there for this machine. */
export async function loadCodecs(): Promise<Codecs> {
  provideWithResolvers();
  const [lib, constants] = await Promise.all([import('node-av/lib'), import('node-av/constants')]);
  // Broken input is the sender's; its complaints would fill our log.
  lib.Log.setLevel(constants.AV_LOG_QUIET);
  return { lib, constants };
}
