import type { CallFunction } from '#platform/contract/client.ts';
import { problemOf, queryOf, useCache, useCall } from '#platform/ui/calls/calls.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useReloadMe, useSignedIn } from '#product/accounts/web/me.ts';
import { getEntry } from '#product/compliance/client.ts';
import type { GateState } from '#product/compliance/rules.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useRevalidator } from 'react-router';
import { checkFailed, finishCheck, noCheck } from '../client.ts';
import { readStatusAgain } from './live.ts';

/** How often a provider is asked for its result: people look at the page meanwhile. */
const POLL_EVERY_MS = 3_000;
/** Two minutes of asking; whatever takes longer is not worth waiting for in front of the page. */
export const MAX_POLLS = 40;

/** After a check that opened the gate: everything that was read before it is read again. */
export function useVerified(): () => Promise<void> {
  const cache = useCache();
  const call = useCall();
  const signedIn = useSignedIn();
  const { revalidate } = useRevalidator();
  return useCallback(async () => {
    await cache.fetchQuery({ ...queryOf(call, getEntry, {}), staleTime: 0 });
    await signedIn();
    await revalidate();
  }, [cache, call, revalidate, signedIn]);
}

/**
 * After a failed check (spec 3 §8): shows the server's message, closes what was open, and loads the current
 * user again.
 */
export function useFailed(onClose: () => void): (message: string) => Promise<void> {
  const { t } = useTranslation('age-checks');
  const toast = useToast();
  const cache = useCache();
  const reloadMe = useReloadMe();
  return async (message) => {
    toast(message || t('web.failed'), 'error');
    onClose();
    await Promise.all([
      readStatusAgain(cache),
      // Without a network the person stays as known; the toast has said what failed.
      reloadMe().catch(() => undefined),
    ]);
  };
}

/** What the site says of the check that this browser began. */
const resultOf = (call: CallFunction) =>
  call(finishCheck, {}).then(
    (result) => ({ result, problem: null }),
    (error: unknown) => ({ result: null, problem: problemOf(error) }),
  );

interface Results {
  readonly onVerified: (gate: GateState) => void;
  /** @param message of the server, or empty */
  readonly onFailed: (message: string) => void;
  /** There is no check any more, as after a day. */
  readonly onOver: () => void;
}

/**
 * Asks for the result of the check that this browser began, until there is one.
 * @param polls how often at most
 * @returns whether it has asked often enough, and a function that starts again
 */
export function useResult(
  polls: number,
  results: Results,
): { readonly isSlow: boolean; readonly again: () => void } {
  const call = useCall();
  const [round, setRound] = useState(0);
  const [isSlow, setSlow] = useState(false);
  const latest = useRef(results);
  latest.current = results;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    let count = 0;
    const ask = async (): Promise<void> => {
      count += 1;
      const { result, problem } = await resultOf(call);
      if (isOver) return undefined;
      const { onVerified, onFailed, onOver } = latest.current;
      if (result?.state === 'verified') return onVerified(result.gate);
      if (result?.state === 'failed') return onFailed('');
      if (problem?.errorType === checkFailed.code) return onFailed(problem.message);
      if (problem?.errorType === noCheck.code) return onOver();
      // It is pending, or could not be asked for: neither is a result.
      if (count >= polls) return setSlow(true);
      timer = setTimeout(() => void ask(), POLL_EVERY_MS);
      return undefined;
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [call, polls, round]);
  const again = (): void => {
    setSlow(false);
    setRound((before) => before + 1);
  };
  return { isSlow, again };
}

/**
 * Asks once for what is known already: a provider may have reported a result before the browser came back,
 * and a member may have proved their age in another browser, or to support.
 * @returns whether the answer is known
 */
export function useFirstResult(isAsked: boolean, { onVerified, onFailed, onOver }: Results): boolean {
  const call = useCall();
  const [isKnown, setKnown] = useState(false);
  const latest = useRef({ onVerified, onFailed, onOver });
  latest.current = { onVerified, onFailed, onOver };
  useEffect(() => {
    if (!isAsked || isKnown) return undefined;
    let isOver = false;
    const ask = async (): Promise<void> => {
      const { result, problem } = await resultOf(call);
      if (isOver) return;
      setKnown(true);
      if (result?.state === 'verified') latest.current.onVerified(result.gate);
      else if (result?.state === 'failed') latest.current.onFailed('');
      else if (problem?.errorType === checkFailed.code) latest.current.onFailed(problem.message);
      else if (problem) latest.current.onOver();
    };
    void ask();
    return () => {
      isOver = true;
    };
  }, [call, isAsked, isKnown]);
  return isKnown;
}
