/** One goal as it counts: what it takes, and what is there already. */
export interface CountedGoal {
  readonly id: number;
  readonly target: number;
  readonly progress: number;
}

/** Goals after a tip. */
export interface GoalsAfter {
  /** Those the tip reached, in order. */
  readonly reached: readonly CountedGoal[];
  /** Those that are not over, the running one first; only the first has progress. */
  readonly open: readonly CountedGoal[];
}

/**
 * Counts tokens towards goals in their order. What is above one goal counts for the next; what is above the
 * last counts for none. A goal is reached once: it leaves `open` with exactly its target.
 * @param open the running goal first, then those that wait
 * @param tokens not negative; 0 finds goals that were lowered below what is there
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
