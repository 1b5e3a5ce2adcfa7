import type { CallFunction } from '#platform/contract/client.ts';
import type { Fault } from '#platform/ui/faults/faults.ts';
import { PartFailed } from '#platform/ui/faults/part.ts';
import { runningMs } from '#platform/ui/time/server-clock.ts';
import { reportClientError, reportToast, sendLogs } from '../client.ts';
import { MAX_LINE_LENGTH, MAX_MESSAGE_LENGTH, MAX_STACK_LENGTH, redacted } from '../rules.ts';

/** The current state of the page that reports. */
export interface ReportingPage {
  readonly call: CallFunction;
  /** The server's time, in ms since 1970. */
  readonly now: () => number;
  /** Version of the page's scripts. */
  readonly version: string;
  readonly isMember: boolean;
  readonly hasRemoteLogging: boolean;
  /** Whether the person is in a private show. */
  readonly isInPrivate: boolean;
  /** Whether the person allows statistics; otherwise only crashes are reported. */
  readonly isCounted: boolean;
}

/**
 * A URL as it may leave the page, without its query: queries show what people look for, and contain tokens.
 */
const addressOf = ({ origin, pathname }: Location): string => origin + pathname;

/**
 * Reports a crash of the interface. Returns the code of the error, which is also printed to the console; null
 * when the report did not arrive. A failed part is reported once, however often its error is raised.
 */
export function reportCrash(
  page: Pick<ReportingPage, 'call' | 'now' | 'version'>,
  error: unknown,
): Promise<string | null> {
  if (!(error instanceof PartFailed)) return report(page, error);
  error.reported ??= report(page, error);
  return error.reported;
}

async function report(
  { call, now, version }: Pick<ReportingPage, 'call' | 'now' | 'version'>,
  error: unknown,
): Promise<string | null> {
  const { message, stack = '' } = error instanceof Error ? error : new Error('something that is no error');
  try {
    const { code } = await call(reportClientError, {
      clientVersion: version,
      errorMessage: redacted(message, MAX_MESSAGE_LENGTH),
      stack: redacted(stack, MAX_STACK_LENGTH),
      time: new Date(now()).toISOString(),
      url: addressOf(window.location),
    });
    // oxlint-disable-next-line no-console -- the specification asks for the console
    console.error('error code', code);
    return code;
  } catch {
    return null;
  }
}

/** Sends lines under the person's name, at their request, so that support can answer them. */
export async function sendForced(call: CallFunction, lines: readonly string[]): Promise<boolean> {
  const logs = lines.map((line) => redacted(line, MAX_LINE_LENGTH));
  return call(sendLogs, { logs, on_request: true }).then(() => true, () => false);
}

/** The same toast is reported once in this time, and only a few of all. */
const QUIET_MS = 60_000;
const MAX_TOASTS_PER_MINUTE = 10;

/** Reports the faults of one page. A report that does not arrive is not tried again. */
export class Reporter {
  readonly #page: () => ReportingPage;
  readonly #toasts = new Map<string, number>();

  constructor(page: () => ReportingPage) {
    this.#page = page;
  }

  take(fault: Fault): void {
    switch (fault.kind) {
      case 'toast':
        return this.#toast(fault);
      case 'note':
        return this.#note(fault.text);
      case 'part':
        return void reportCrash(this.#page(), fault.error);
      case 'version':
        return undefined;
    }
  }

  #toast({ appearance, title, content }: Extract<Fault, { kind: 'toast' }>): void {
    const { call, isMember, isCounted } = this.#page();
    if (!isMember || !isCounted || !this.#isNew(content)) return;
    call(reportToast, {
      appearance,
      url: addressOf(window.location),
      title: redacted(title, MAX_MESSAGE_LENGTH),
      content: redacted(content, MAX_MESSAGE_LENGTH),
    }).catch(() => undefined);
  }

  #isNew(content: string): boolean {
    const nowMs = runningMs();
    for (const [text, atMs] of this.#toasts) if (nowMs - atMs >= QUIET_MS) this.#toasts.delete(text);
    if (this.#toasts.has(content) || this.#toasts.size >= MAX_TOASTS_PER_MINUTE) return false;
    this.#toasts.set(content, nowMs);
    return true;
  }

  /** Sends notes only for people whose remote logging is on, or who are in a private show. */
  #note(text: string): void {
    const { call, isMember, hasRemoteLogging, isInPrivate, isCounted } = this.#page();
    if (!isMember || !isCounted || !(hasRemoteLogging || isInPrivate)) return;
    call(sendLogs, { logs: [redacted(text, MAX_LINE_LENGTH)] }).catch(() => undefined);
  }
}
