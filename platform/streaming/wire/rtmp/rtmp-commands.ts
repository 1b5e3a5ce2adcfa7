import { AmfMalformed, readAmf, writeAmf, type AmfObject, type AmfValue } from './amf.ts';
import { MESSAGE, writeMessage, type RtmpMessage } from './rtmp-chunks.ts';

/** Commands and control messages of RTMP (Adobe, "RTMP 1.0" §5.4, §7.1.7, §7.2). */

const CONTROL_STREAM = 2;
const COMMAND_STREAM = 3;
/** Our chunk size; sent to the client with Set Chunk Size. */
export const OUR_CHUNK_BYTES = 4_096;
/** The client acknowledges this many bytes, and so do we unless it asks otherwise. */
export const WINDOW_BYTES = 2_500_000;
/** The client may choose the limit type itself (§5.4.5). */
const DYNAMIC_LIMIT = 2;
const EVENT = { streamBegin: 0, pingRequest: 6, pingResponse: 7 } as const;

export interface RtmpCommand {
  readonly name: string;
  /** 0 when no reply is wanted. */
  readonly transaction: number;
  /** The other values, the command object first. */
  readonly values: readonly AmfValue[];
}

/** Reads a command message; in type 17 one byte precedes the same AMF0. Throws {@link AmfMalformed}. */
export function readCommand({ type, payload }: RtmpMessage): RtmpCommand {
  const [name, transaction, ...values] = readAmf(type === MESSAGE.command3 ? payload.subarray(1) : payload);
  if (typeof name !== 'string' || typeof transaction !== 'number' || !Number.isFinite(transaction)) {
    throw new AmfMalformed('no command');
  }
  return { name, transaction, values };
}

/** A command with its arguments, the command object first. */
export function writeCommand(
  stream: number,
  name: string,
  transaction: number,
  ...values: readonly AmfValue[]
): Buffer {
  const payload = writeAmf(name, transaction, ...values);
  const message = { chunkStream: COMMAND_STREAM, type: MESSAGE.command, stream, timestamp: 0, payload };
  return writeMessage(message, OUR_CHUNK_BYTES);
}

export const amfObject = (members: Readonly<Record<string, AmfValue>>): AmfObject =>
  new Map(Object.entries(members));

/** A status of the connection or of a stream, as encoders show it to their user. */
export function statusOf(level: 'status' | 'error', code: string, description: string): AmfObject {
  return amfObject({ level, code, description });
}

export const writeStatus = (stream: number, status: AmfObject): Buffer =>
  writeCommand(stream, 'onStatus', 0, null, status);

function writeControl(type: number, ...fields: readonly (readonly [bytes: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) at = payload.writeUIntBE(value, at, bytes);
  const message = { chunkStream: CONTROL_STREAM, type, stream: 0, timestamp: 0, payload };
  return writeMessage(message, OUR_CHUNK_BYTES);
}

export const writeChunkSize = (bytes: number): Buffer => writeControl(MESSAGE.chunkSize, [4, bytes]);
export const writeWindowSize = (bytes: number): Buffer => writeControl(MESSAGE.windowSize, [4, bytes]);
export const writePeerBandwidth = (bytes: number): Buffer =>
  writeControl(MESSAGE.peerBandwidth, [4, bytes], [1, DYNAMIC_LIMIT]);
/** `bytes` received so far; the field has 32 bits and wraps. */
export const writeAcknowledgement = (bytes: number): Buffer =>
  writeControl(MESSAGE.acknowledgement, [4, bytes % 2 ** 32]);
export const writeStreamBegin = (stream: number): Buffer =>
  writeControl(MESSAGE.userControl, [2, EVENT.streamBegin], [4, stream]);
export const writePingRequest = (time: number): Buffer =>
  writeControl(MESSAGE.userControl, [2, EVENT.pingRequest], [4, time]);
const writePingResponse = (time: number): Buffer =>
  writeControl(MESSAGE.userControl, [2, EVENT.pingResponse], [4, time]);

/** The reply to a ping request, or null for any other event. */
export function answerUserControl(payload: Buffer): Buffer | null {
  if (payload.length < 6 || payload.readUInt16BE(0) !== EVENT.pingRequest) return null;
  return writePingResponse(payload.readUInt32BE(2));
}
