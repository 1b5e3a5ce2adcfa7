import { useCallback, useRef, useState } from 'react';
import { CallFailed, type CallFunction, type Problem } from '../../../platform/contract/client.ts';
import { problemOf, useCall } from '../../../platform/ui/calls/calls.ts';
import { notEnoughTokens, sendTip } from '../contract.ts';

/** A tip whose answer was lost is asked again with the same key, so it is never paid twice. */
export const MAX_SENDS = 4;
const RESEND_FIRST_MS = 400;
const LAST_TIP_KEY = 'candela.lastTip';

export interface Tip {
  readonly username: string;
  readonly amount: number;
  readonly comment: string;
}

/** What became of a tip, as far as the panel must act on it (spec 1 §4, Tip flow). */
export type TipOutcome =
  | { readonly kind: 'sent'; readonly tokens: number }
  | { readonly kind: 'login' }
  | { readonly kind: 'funds' }
  | { readonly kind: 'missing_target' }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** No answer, or a fault: nobody knows whether the tip was posted. */
const isUnknown = (problem: Problem): boolean => problem.status === 0 || problem.status >= 500;

/**
 * Sends one tip with its key until it is answered, at most {@link MAX_SENDS} times, then throws.
 * @param pause waits that many milliseconds
 */
export async function deliverTip(
  call: CallFunction, tip: Tip, idempotencyKey: string, pause: (ms: number) => Promise<void>,
): Promise<TipOutcome> {
  if (tip.username.trim() === '') return { kind: 'missing_target' };
  for (let sends = 1; ; sends += 1) {
    try {
      const { tokens } = await call(
        sendTip,
        {
          username: tip.username,
          amount: tip.amount,
          comment: tip.comment,
          type: 'tip',
          source_id: 'room',
          vr: false,
        },
        { idempotencyKey },
      );
      return { kind: 'sent', tokens };
    } catch (error) {
      const problem = problemOf(error);
      if (!(error instanceof CallFailed) || (isUnknown(problem) && sends >= MAX_SENDS)) throw error;
      if (!isUnknown(problem)) return outcomeOf(problem);
      await pause(RESEND_FIRST_MS * 2 ** (sends - 1));
    }
  }
}

/** The error type drives the action (spec 1 §8). */
export function outcomeOf(problem: Problem): TipOutcome {
  if (problem.status === 401) return { kind: 'login' };
  if (problem.errorType === notEnoughTokens.code) return { kind: 'funds' };
  return { kind: 'refused', problem };
}

export interface Tipping {
  readonly busy: boolean;
  /** The refusal or fault of the last try; retrying the same tip then uses the same key. */
  readonly problem: Problem | null;
  readonly send: (tip: Tip) => Promise<TipOutcome | null>;
}

/** Tips from a component. A tip that failed without an answer keeps its key for the person's own retry. */
export function useTipping(): Tipping {
  const call = useCall();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const unanswered = useRef<{ readonly tip: string; readonly key: string } | null>(null);
  const send = useCallback(async (tip: Tip) => {
    const tipText = JSON.stringify(tip);
    const key = unanswered.current?.tip === tipText ? unanswered.current.key : crypto.randomUUID();
    unanswered.current = { tip: tipText, key };
    setBusy(true);
    setProblem(null);
    try {
      const outcome = await deliverTip(call, tip, key, (ms) => new Promise((done) => setTimeout(done, ms)));
      unanswered.current = null;
      if (outcome.kind === 'sent') globalThis.localStorage.setItem(LAST_TIP_KEY, String(tip.amount));
      if (outcome.kind === 'refused') setProblem(outcome.problem);
      return outcome;
    } catch (error) {
      setProblem(problemOf(error));
      return null;
    } finally {
      setBusy(false);
    }
  }, [call]);
  return { busy, problem, send };
}

/** The amount of the last successful tip in this browser, or null. */
export const lastTip = (): number | null => {
  const kept = Number(globalThis.localStorage.getItem(LAST_TIP_KEY));
  return Number.isSafeInteger(kept) && kept > 0 ? kept : null;
};
