/** A goal with its target and progress. */
export interface CountedGoal {
  readonly id: number;
  readonly target: number;
  readonly progress: number;
}

/** The state of goals after a tip. */
export interface GoalsAfter {
  /** Goals that the tip reached, in order. */
  readonly reached: readonly CountedGoal[];
  /** Goals that are not over, the running one first; only the first has progress. */
  readonly open: readonly CountedGoal[];
}

/**
 * Counts tokens towards goals in their order. Tokens beyond one goal count for the next; beyond the last they
 * count for none. A goal is reached once: it leaves `open` with exactly its target.
 * @param open the running goal first, then those waiting
 * @param tokens not negative; 0 finds goals whose target was lowered below their progress
 */
export function goalsAfter(open: readonly CountedGoal[], tokens: number): GoalsAfter {
  if (!Number.isSafeInteger(tokens) || tokens < 0) throw new RangeError('goals count whole tokens');
  const reached: CountedGoal[] = [];
  let left = tokens;
  for (const [at, goal] of open.entries()) {
    const progress = goal.progress + left;
    if (progress < goal.target) return { reached, open: [{ ...goal, progress }, ...open.slice(at + 1)] };
    reached.push({ ...goal, progress: goal.target });
    left = progress - goal.target;
  }
  return { reached, open: [] };
}
