import type { Problem } from '#platform/contract/client.ts';
import { useCallback, useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { inDeletion, suspended } from '../../client.ts';

/** The page for a suspended account or one in deletion, with its state; null for any other refusal. */
function pageOf(problem: Problem): { readonly to: string; readonly state: object } | null {
  if (problem.errorType === suspended.code) {
    const { suspension_date: since, suspension_cause: cause, suspension_message: message } = problem;
    return { to: '/account/suspended', state: { since, cause, message } };
  }
  if (problem.errorType === inDeletion.code) {
    return { to: '/account/leaving', state: { at: problem['deletion_at'], ticket: problem['ticket'] } };
  }
  return null;
}

/**
 * Leads a person whose account is suspended or in deletion to the page that says so, however they log in.
 * Returns the problem for a form to show.
 */
export function useSuspendedPage(onLeave?: () => void): (problem: Problem) => Problem {
  const navigate = useNavigate();
  const latest = useRef(onLeave);
  useEffect(() => {
    latest.current = onLeave;
  });
  return useCallback((problem) => {
    const page = pageOf(problem);
    if (page) {
      void navigate(page.to, { state: page.state });
      latest.current?.();
    }
    return problem;
  }, [navigate]);
}

/** The same where there is no form. */
export function useSuspendedProblem(problem: Problem | null, onLeave?: () => void): void {
  const lead = useSuspendedPage(onLeave);
  useEffect(() => {
    if (problem) lead(problem);
  }, [lead, problem]);
}
