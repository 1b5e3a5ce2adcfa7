import type { Clock } from '#platform/data/clock.ts';

/** Faults of a provider's answers, for tests. Each holds until it is taken back. */
export type AgeFault =
  /** Nothing is answered. */
  | 'away'
  /** The result is that of some other session. */
  | 'other session'
  /** The result shows that the person is younger than asked. */
  | 'under'
  /** The result comes from a check that was not asked for. */
  | 'other check'
  /** The result is of a session that asked for less. */
  | 'lower age'
  | 'garbled';

/** Something a simulated provider sends to the site by itself. */
export type Notify = (url: string, body: string) => void;

/** One simulated provider: its wire format over its sessions. */
export interface SimulatedProvider {
  /** Answers a request; `path` is what follows the provider's name, with its leading slash. */
  readonly handle: (path: string, request: Request) => Promise<Response>;
  /** The report about a session that its page was left with; null when there is none. */
  readonly reportOf: (url: string) => { readonly url: string; readonly body: string } | null;
}

export interface SimulatorState {
  readonly clock: Clock;
  readonly fault: () => AgeFault | null;
  readonly notify: Notify;
}

/** Far more checks than a demo or a test begins; the oldest are dropped first. */
export const MAX_SESSIONS = 1_000;

export const seeOther = (url: string): Response =>
  new Response(null, { status: 303, headers: { location: url } });
export const missing = (): Response => new Response('not found', { status: 404 });

/** How a person left a page of the provider. */
export interface Left {
  /** Null when they cancelled. */
  readonly age: number | null;
}
export async function leftWith(request: Request): Promise<Left> {
  const form = new URLSearchParams(await request.text());
  return { age: form.has('cancel') ? null : Number(form.get('age') ?? '0') };
}
