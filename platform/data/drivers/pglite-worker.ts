import { parentPort, workerData } from 'node:worker_threads';
import { openEngine, type PgliteRequest, type PgliteSource } from './pglite-engine.ts';

/** The database's own thread. */

const port = parentPort;
if (!port) throw new Error('the PGlite worker runs only as a worker thread');
const ask = openEngine(workerData as PgliteSource);

port.on('message', (request: PgliteRequest) => {
  void ask(request).then((reply) => {
    port.postMessage(reply, reply.bytes === null ? [] : [reply.bytes.buffer as ArrayBuffer]);
  });
});
