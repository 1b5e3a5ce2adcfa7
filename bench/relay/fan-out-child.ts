/**
 * The baseline: every packet that comes to one socket is sent on to every port, as it is, by plain
 * `node:dgram`.
 */
import { createSocket } from 'node:dgram';
import { endWithParent } from './parent.ts';

const ADDRESS = '127.0.0.1';
const SOCKET_BUFFER_BYTES = 4 << 20;
const socket = createSocket({
  type: 'udp4',
  recvBufferSize: SOCKET_BUFFER_BYTES,
  sendBufferSize: SOCKET_BUFFER_BYTES,
});
let ports: readonly number[] = [];

endWithParent();
process.on('message', (message) => {
  ports = message as readonly number[];
});
socket.on('message', (packet) => {
  for (const port of ports) socket.send(packet, port, ADDRESS);
});
socket.bind(0, ADDRESS, () => process.send!(socket.address().port));
