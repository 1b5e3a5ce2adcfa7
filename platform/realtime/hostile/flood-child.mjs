// Floods a gateway with 50,000 messages a second from one socket at a time. It runs in a thread of its own,
// so that the sender's work does not slow the server under test. When cut, it reconnects with the next token.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { port, tokens, message } = workerData;
const EVERY_MS = 10;
const PER_MS = 50;

/** A masked text frame of a client (RFC 6455 §5.2); all are shorter than 126 bytes. */
function frameOf(text) {
  const body = Buffer.from(text);
  const mask = randomBytes(4);
  const masked = body.map((byte, at) => byte ^ mask[at % 4]);
  return Buffer.concat([Buffer.from([0x81, 0x80 | body.length]), mask, masked]);
}

const frame = frameOf(message);
const bed = new Int32Array(new SharedArrayBuffer(4));
let sent = 0;
let floodedMs = 0;
let cut = 0;

function flood() {
  const token = tokens.pop();
  if (token === undefined) return;
  const socket = connect(port, '127.0.0.1');
  let isOpen = true;
  socket.on('connect', () =>
    socket.write([
      'GET /ws/room/open HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `Origin: http://127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      '',
      '',
    ].join('\r\n')));
  socket.once('data', () => {
    socket.write(frameOf(JSON.stringify(['v3.authorize', { token, version: 'v1' }])));
    let lastAt = performance.now();
    const turn = () => {
      if (!isOpen) return;
      // A late turn sends everything that is due.
      const due = Math.round((performance.now() - lastAt) * PER_MS);
      floodedMs += due / PER_MS;
      lastAt += due / PER_MS;
      sent += due;
      socket.write(Buffer.alloc(due * frame.length, frame));
      // This thread has nothing else to do: it sleeps between its turns.
      Atomics.wait(bed, 0, 0, EVERY_MS);
      setImmediate(turn);
    };
    turn();
    socket.resume();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isOpen = false;
    cut += 1;
    flood();
  });
}

parentPort.on('message', () => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort.postMessage({ sent, cut, perSecond: Math.round(sent / floodedMs * 1_000) });
  process.exit(0);
});
flood();
