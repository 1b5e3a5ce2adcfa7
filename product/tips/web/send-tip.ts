import { CallFailed, type CallFunction, type Problem } from '#platform/contract/client.ts';
import { problemOf, useCall } from '#platform/ui/calls/calls.ts';
import { consent } from '#product/consent/web/consent.ts';
import {
  notEnoughTokens,
  overDailyBudget,
  overMonthlyBudget,
  overWeeklyBudget,
  postpayCardFail,
} from '#product/ledger/client.ts';
import { useCallback, useRef, useState } from 'react';
import { geoBlockReceiver, geoBlockSender, overDailyLimit, sendTip } from '../client.ts';
import { MENU_TYPE } from '../rules.ts';

/** Most attempts at one tip. They have the same key, so the tip is never paid twice. */
export const MAX_SENDS = 4;
const RESEND_FIRST_MS = 400;
const LAST_TIP_KEY = 'candela.lastTip';

export interface Tip {
  readonly username: string;
  readonly amount: number;
  readonly comment: string;
  readonly anonymous: boolean;
  /** The menu item that it orders; null for a plain tip. */
  readonly item: number | null;
}

/** Money dialogs that a refused tip opens (spec 1 §8). */
export type TipPrompt = 'purchase' | 'postpay_card' | 'postpay_verify' | 'daily_low_limit';

/** The result of a tip, as far as the panel must act on it (spec 1 §4, Tip flow). */
export type TipOutcome =
  | { readonly kind: 'sent'; readonly tokens: number }
  | { readonly kind: 'login' }
  /** `problem` explains why the dialog opens. */
  | { readonly kind: 'prompt'; readonly prompt: TipPrompt; readonly problem: Problem }
  /** Tipping is disabled for one of the two sides. */
  | { readonly kind: 'unavailable'; readonly problem: Problem }
  | { readonly kind: 'missing_target' }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** No response, or an error: the tip may have been posted or not. */
const isUnknown = (problem: Problem): boolean => problem.status === 0 || problem.status >= 500;

/**
 * Sends one tip with its key until there is a response, at most {@link MAX_SENDS} times, then throws.
 * @param pause waits for a number of milliseconds
 */
export async function deliverTip(
  call: CallFunction,
  tip: Tip,
  idempotencyKey: string,
  pause: (ms: number) => Promise<void>,
): Promise<TipOutcome> {
  if (tip.username.trim() === '') return { kind: 'missing_target' };
  for (let sends = 1;; sends += 1) {
    try {
      const { tokens } = await call(
        sendTip,
        {
          username: tip.username,
          amount: tip.amount,
          comment: tip.comment,
          source_id: 'room',
          vr: false,
          ...(tip.anonymous ? { anonymous: true } : {}),
          ...(tip.item === null ? { type: 'tip' } : { type: MENU_TYPE, app_data: { item: tip.item } }),
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

/** The dialog that an error type opens (spec 1 §8); weekly and monthly budgets open that of the day. */
const PROMPTS: Readonly<Record<string, TipPrompt>> = {
  [notEnoughTokens.code]: 'purchase',
  [postpayCardFail.code]: 'postpay_card',
  [overDailyLimit.code]: 'postpay_verify',
  [overDailyBudget.code]: 'daily_low_limit',
  [overWeeklyBudget.code]: 'daily_low_limit',
  [overMonthlyBudget.code]: 'daily_low_limit',
};
const UNAVAILABLE: ReadonlySet<string> = new Set([geoBlockSender.code, geoBlockReceiver.code]);

/** The error type decides the action (spec 1 §8). */
export function outcomeOf(problem: Problem): TipOutcome {
  if (problem.status === 401) return { kind: 'login' };
  if (UNAVAILABLE.has(problem.errorType)) return { kind: 'unavailable', problem };
  const prompt = PROMPTS[problem.errorType];
  // Post-pay credit is used up: no card helps, so the refusal's text is all that is shown.
  const stops = prompt === undefined || problem['exhausted'] === true;
  return stops ? { kind: 'refused', problem } : { kind: 'prompt', prompt, problem };
}

export interface Tipping {
  readonly busy: boolean;
  /** The refusal or error of the last attempt; retrying the same tip then uses the same key. */
  readonly problem: Problem | null;
  readonly send: (tip: Tip) => Promise<TipOutcome | null>;
}

/**
 * Sends tips from a component. A tip that failed without a response has the same key when the person retries.
 */
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
      if (outcome.kind === 'sent' && tip.item === null && consent.allows('preferences')) {
        globalThis.localStorage.setItem(LAST_TIP_KEY, String(tip.amount));
      }
      // The dialog to buy tokens shows the problem; any other problem also appears beside the button.
      const isSaid = outcome.kind === 'prompt' && outcome.prompt === 'purchase';
      if ('problem' in outcome && !isSaid && outcome.kind !== 'unavailable') setProblem(outcome.problem);
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
  const stored = Number(globalThis.localStorage.getItem(LAST_TIP_KEY));
  return Number.isSafeInteger(stored) && stored > 0 ? stored : null;
};
