/** Most frames of a stack worth keeping in a log line. */
const MAX_FRAMES = 12;

/**
 * The parts of an error that may be logged: kind, code and stack, and those of its cause. The message is left
 * out, because databases, parsers and handlers quote what people wrote.
 */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /u.test(line));
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    error: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    frames: frames.slice(0, MAX_FRAMES).map((line) => line.trim()),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
