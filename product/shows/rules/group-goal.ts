import { HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';

/** Why a group goal is over. Every end but `reached` gives all tokens back. */
export const GROUP_GOAL_ENDS = ['reached', 'time_over', 'withdrawn', 'offline'] as const;
export type GroupGoalEnd = (typeof GROUP_GOAL_ENDS)[number];
/** Shortest and longest time that a goal runs: tokens are set aside all the while. */
export const MIN_GROUP_GOAL_MINUTES = 5;
export const MAX_GROUP_GOAL_MINUTES = 120;
export const MIN_GROUP_GOAL_TOKENS = 10;
export const MAX_GROUP_GOAL_TOKENS = 1_000_000;
export const MAX_GROUP_GOAL_TITLE = 120;
/** The most one contribution can be: the same as for a tip. */
export const MAX_CONTRIBUTION_TOKENS = 100_000;
/** Contributions of one person to one goal: each has its own hold. */
export const MAX_OWN_CONTRIBUTIONS = 20;
/** Contributions to one goal: each is settled when the goal ends. */
export const MAX_CONTRIBUTIONS = 2_000;
/** A performer who is offline for this long will not return for the goal. */
const OFFLINE_MS = 10 * MINUTE_MS;
/** A hold outlives the last moment at which a goal can end, even with a restart of the site. */
export const GOAL_HOLD_RESERVE_MS = HOUR_MS;

/** The state of a group goal; times in ms since 1970. */
export interface GroupGoal {
  readonly tokens: number;
  readonly progress: number;
  readonly endsAt: number;
  /** Since when the performer is offline; null while they are not. */
  readonly awaySince: number | null;
  readonly endedAt: number | null;
  readonly end: GroupGoalEnd | null;
}

export type GroupGoalEvent =
  /** Somebody gave this many tokens, never more than are missing. */
  | { readonly kind: 'given'; readonly tokens: number }
  /** The performer withdrew the goal. */
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'deadline' | 'away' | 'back' };

/** The part of a gift that counts: capped to what is missing. */
export const contributionOf = ({ tokens, progress }: Pick<GroupGoal, 'tokens' | 'progress'>, given: number) =>
  Math.min(given, tokens - progress);

/** When a goal ends unless something changes before; null for a goal that is over. */
export function groupGoalDeadline({ end, endsAt, awaySince }: GroupGoal): number | null {
  if (end !== null) return null;
  return awaySince === null ? endsAt : Math.min(endsAt, awaySince + OFFLINE_MS);
}

const over = (goal: GroupGoal, end: GroupGoalEnd, endedAt: number): GroupGoal => ({
  ...goal,
  end,
  endedAt,
  awaySince: null,
});

/**
 * A goal runs until it is reached, its time is over, it is withdrawn, or its performer stays offline. An
 * event that does not belong to it changes nothing, and returns the same object.
 */
export function nextGroupGoal(goal: GroupGoal, event: GroupGoalEvent, nowMs: number): GroupGoal {
  const due = groupGoalDeadline(goal);
  if (due === null) return goal;
  const isDue = nowMs >= due;
  switch (event.kind) {
    case 'given': {
      // A goal past its deadline takes nothing, even if the deadline is delivered late.
      if (isDue || event.tokens <= 0) return goal;
      const progress = goal.progress + contributionOf(goal, event.tokens);
      const next = { ...goal, progress };
      return progress >= goal.tokens ? over(next, 'reached', nowMs) : next;
    }
    case 'withdrawn':
      return over(goal, 'withdrawn', nowMs);
    case 'away':
      return goal.awaySince === null ? { ...goal, awaySince: nowMs } : goal;
    case 'back':
      return goal.awaySince === null || isDue ? goal : { ...goal, awaySince: null };
    case 'deadline':
      if (!isDue) return goal;
      return over(goal, nowMs >= goal.endsAt ? 'time_over' : 'offline', nowMs);
  }
}
