import type { CallFunction } from '#platform/contract/client.ts';
import { sendConsole } from '../client.ts';
import { FLUSH_MS, LEVELS, MAX_LINE_LENGTH, MAX_LINES, redacted, type Level } from '../rules.ts';

interface Line {
  readonly level: Level;
  readonly text: string;
}

/** Texts and numbers as they are printed; of everything else what it is, since it may hold anything. */
function textOf(given: unknown): string {
  if (given instanceof Error) return `${given.name}: ${given.message}`;
  if (given === null || given === undefined) return String(given);
  if (typeof given === 'object') return `[${given.constructor?.name ?? 'object'}]`;
  return typeof given === 'function' ? '[function]' : String(given);
}

/**
 * Sends what the console prints from now on, every 5 s the last 50 lines, when there are any. For people
 * whose remote logging is on.
 * @returns what ends it
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
      // Somebody else may have taken its place since: that stays.
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
