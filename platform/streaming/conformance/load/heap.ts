import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of heap and buffers this thread still holds after garbage collection. */
export function heldBytes(): number {
  // The collector is exposed to a new context only, wherever the process was started.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // A second collection frees what finalizers released in the first.
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
