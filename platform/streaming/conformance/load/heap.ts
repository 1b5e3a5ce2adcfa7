import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes this thread holds after everything that can be let go was let go: heap and buffers. */
export function heldBytes(): number {
  // The collector is exposed to a new context only, wherever the process was started.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What finalizers let go needs a second look.
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
