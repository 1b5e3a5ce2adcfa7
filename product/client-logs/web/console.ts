import type { CallFunction } from '#platform/contract/client.ts';
import { sendConsole } from '../client.ts';
import { FLUSH_MS, LEVELS, MAX_LINE_LENGTH, MAX_LINES, redacted, type Level } from '../rules.ts';

interface Line {
  readonly level: Level;
  readonly text: string;
}

/** Texts and numbers as printed; only the type of everything else, since it may contain anything. */
function textOf(given: unknown): string {
  if (given instanceof Error) return `${given.name}: ${given.message}`;
  if (given === null || given === undefined) return String(given);
  if (typeof given === 'object') return `[${given.constructor?.name ?? 'object'}]`;
  return typeof given === 'function' ? '[function]' : String(given);
}

/**
 * Sends the console's output from now on: every 5 s the last 50 lines, if there are any. For people whose
 * remote logging is on.
 * @returns a function that stops it
 */
export function sendConsoleLines(call: CallFunction): () => void {
  const buffer: Line[] = [];
  const undo = LEVELS.map((level) => {
    // oxlint-disable-next-line no-console -- what it prints is what is sent
    const before = console[level];
    const printed = (...given: unknown[]): void => {
      before(...given);
      if (buffer.length >= MAX_LINES) buffer.shift();
      buffer.push({ level, text: redacted(given.map(textOf).join(' '), MAX_LINE_LENGTH) });
    };
    // oxlint-disable-next-line no-console -- as above
    console[level] = printed;
    return () => {
      // Another script may have replaced it since; that one stays.
      // oxlint-disable-next-line no-console -- as above
      if (console[level] === printed) console[level] = before;
    };
  });
  const timer = setInterval(() => {
    if (buffer.length > 0) call(sendConsole, { lines: buffer.splice(0) }).catch(() => undefined);
  }, FLUSH_MS);
  return () => {
    clearInterval(timer);
    for (const end of undo) end();
  };
}
