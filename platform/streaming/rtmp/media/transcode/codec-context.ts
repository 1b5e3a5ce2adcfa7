import type { Codec, CodecContext } from 'node-av/lib';
import type { Codecs } from './codecs.ts';

/** The codec is unavailable, because of the machine or the stream. */
export class CodecUnusable extends Error {}

/**
 * Opens a codec, configured by `set`. Throws {@link CodecUnusable}. Options are set one by one: `open2Sync`
 * of node-av 6.1 frees a dictionary that its own object frees again later.
 */
export function opened(
  codecs: Codecs,
  codec: Codec | null,
  set: (context: CodecContext) => void,
  options: Readonly<Record<string, string>> = {},
): CodecContext {
  if (!codec) throw new CodecUnusable('the codec is not there');
  const context = new codecs.lib.CodecContext();
  context.allocContext3(codec);
  set(context);
  const refused = Object.entries(options).find(([name, value]) => context.setOption(name, value) < 0);
  const outcome = refused ? -1 : context.open2Sync(codec);
  if (outcome >= 0) return context;
  context.freeContext();
  throw new CodecUnusable(refused ? `it has no option ${refused[0]}` : `it does not open (${outcome})`);
}

/** FFmpeg's objects are allocated in a second step. */
export function allocated<T extends { alloc: () => void }>(made: T): T {
  made.alloc();
  return made;
}
