import type { ClientCall, InputOf } from '#platform/contract/call.ts';
import type { Problem } from '#platform/contract/client.ts';
import { problemOf, useCall } from '#platform/ui/calls/calls.ts';
import { useState } from 'react';
import { useTipRefusal, type TipTarget } from '../tip-panel.tsx';

/** Actions on a split; everybody, including the caller, sees the result by event. */
export function useSplitting(target: TipTarget): {
  readonly busy: boolean;
  readonly problem: Problem | null;
  /** @returns the problem left to show here; null on success, or if another prompt shows it */
  readonly run: <C extends ClientCall>(
    constant: C,
    input: InputOf<C>,
    needed?: number,
  ) => Promise<Problem | null>;
} {
  const call = useCall();
  const refused = useTipRefusal(target);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  return {
    busy,
    problem,
    run: async (constant, input, needed) => {
      setBusy(true);
      setProblem(null);
      try {
        await call(constant, input);
        return null;
      } catch (error) {
        const left = refused(problemOf(error), needed);
        setProblem(left);
        return left;
      } finally {
        setBusy(false);
      }
    },
  };
}
