import { useCallback, useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import type { Problem } from '../../../../platform/contract/client/client.ts';
import { suspended } from '../../client.ts';

/**
 * Whoever is refused because their account is suspended is led to the page that says since when, whatever
 * they log in by. Answers the problem, for a form to show.
 */
export function useSuspendedPage(onLeave?: () => void): (problem: Problem) => Problem {
  const navigate = useNavigate();
  const latest = useRef(onLeave);
  useEffect(() => {
    latest.current = onLeave;
  });
  return useCallback((problem) => {
    if (problem.errorType === suspended.code) {
      void navigate('/account/suspended', { state: { since: problem['suspension_date'] } });
      latest.current?.();
    }
    return problem;
  }, [navigate]);
}

/** The same for what is no form. */
export function useSuspendedProblem(problem: Problem | null, onLeave?: () => void): void {
  const lead = useSuspendedPage(onLeave);
  useEffect(() => {
    if (problem) lead(problem);
  }, [lead, problem]);
}
