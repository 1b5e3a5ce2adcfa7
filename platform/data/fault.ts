/** Most frames of a stack worth keeping in a log line. */
const MAX_FRAMES = 12;
/** Longest message of an error kept in a log line. */
const MAX_MESSAGE_LENGTH = 300;

/**
 * What may be logged of a fault: kind, code, place, and its message without what it quotes, for databases and
 * parsers quote what people wrote.
 */
export function describeFault(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { fault: typeof error };
  const quoted = /(["'`«])[^"'`»]*(["'`»]|$)/gu;
  const message = error.message.slice(0, MAX_MESSAGE_LENGTH).replaceAll(quoted, '$1…$2');
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /u.test(line));
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    fault: error.name, message, ...(typeof code === 'string' ? { code } : {}),
    frames: frames.slice(0, MAX_FRAMES).map((line) => line.trim()),
    ...(error.cause === undefined ? {} : { cause: describeFault(error.cause) }),
  };
}
