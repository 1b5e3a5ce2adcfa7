import type { Problem } from '#platform/contract/client.ts';
import { problemOf, useCache, useCall } from '#platform/ui/calls/calls.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import {
  notEnoughTokens,
  overDailyBudget,
  overMonthlyBudget,
  overWeeklyBudget,
  postpayCardFail,
} from '#product/ledger/client.ts';
import type { OpenMoneyPrompt, RoomMoneyPrompt } from '#product/rooms/web/page-part.ts';
import { useCallback, useRef, useState } from 'react';
import { joinFanclub } from '../../client.ts';
import { showPlan } from '../live.ts';

/** The money dialog that a refused payment opens (spec 1 §8). */
const PROMPTS: Readonly<Record<string, RoomMoneyPrompt>> = {
  [notEnoughTokens.code]: 'low_tokens',
  [postpayCardFail.code]: 'postpay_card',
  [overDailyBudget.code]: 'daily_low_limit',
  [overWeeklyBudget.code]: 'daily_low_limit',
  [overMonthlyBudget.code]: 'daily_low_limit',
};

interface Joining {
  readonly busy: FanclubLevel | null;
  readonly problem: Problem | null;
  /** `prompted`: the page asks for money first. `problem` has the refusal. */
  readonly join: (level: FanclubLevel, price: number) => Promise<'joined' | 'prompted' | 'refused'>;
  /** Clears the last refusal. */
  readonly clear: () => void;
}

/**
 * Joins a club. If a call gets no response, the next attempt has the same key, so that it is paid once; a
 * refusal discards the key.
 */
export function useJoining(username: string, onPrompt: OpenMoneyPrompt): Joining {
  const call = useCall();
  const cache = useCache();
  const [busy, setBusy] = useState<FanclubLevel | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const open = useRef<{ readonly what: string; readonly key: string } | null>(null);
  const join = useCallback(async (level: FanclubLevel, price: number) => {
    const what = `${username} ${level} ${price}`;
    const key = open.current?.what === what ? open.current.key : crypto.randomUUID();
    open.current = { what, key };
    setBusy(level);
    setProblem(null);
    try {
      await call(joinFanclub, { username, level, price }, { idempotencyKey: key });
      open.current = null;
      return 'joined';
    } catch (error) {
      const refused = problemOf(error);
      if (refused.status > 0 && refused.status < 500) open.current = null;
      const prompt = PROMPTS[refused.errorType];
      const isPrompted = prompt !== undefined && refused['exhausted'] !== true;
      if (isPrompted) onPrompt(prompt, price);
      setProblem(refused);
      return isPrompted ? 'prompted' : 'refused';
    } finally {
      // A changed price, or a membership changed in another tab, appears at once.
      showPlan(cache);
      setBusy(null);
    }
  }, [cache, call, onPrompt, username]);
  const clear = useCallback(() => setProblem(null), []);
  return { busy, problem, join, clear };
}
