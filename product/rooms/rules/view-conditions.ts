import type { Implementer } from '#platform/contract/extension-point.ts';
import type { StreamConditions } from '../rules.ts';

/** Conditions for seeing the video, each decided by one later slice. */
export const DECIDED_CONDITIONS = ['isShowGuestOverlay', 'isCardRequired', 'hasCard', 'mode'] as const;
export type DecidedCondition = (typeof DECIDED_CONDITIONS)[number];
export type DecidedConditions = Pick<StreamConditions, DecidedCondition>;

/**
 * Defaults for conditions that no slice decides. Conditions that admit a viewer are denied: nobody has a card
 * or takes part in a show, so only its performer sees the video of a show. Conditions that restrict the
 * public room are off, as no slice exists that could impose them.
 */
const UNDECIDED: DecidedConditions = {
  isShowGuestOverlay: false,
  isCardRequired: false,
  hasCard: false,
  mode: 'public',
};

interface Decider {
  readonly decides: readonly string[];
}

/** Errors of implementers of `rooms.viewConditions`, one sentence each; with any, the site does not start. */
export function errorsOfDeciders(deciders: readonly Implementer<Decider>[]): string[] {
  const decided = deciders.flatMap(({ by, implementation: { decides } }) =>
    decides.map((condition) => ({ by, condition }))
  );
  const unknown = decided.filter(({ condition }) => !isDecidable(condition));
  const idle = deciders.filter(({ implementation: { decides } }) => decides.length === 0);
  const isDecided = (wanted: DecidedCondition) => decided.some(({ condition }) => condition === wanted);
  return [
    ...unknown.map(({ by, condition }) => `${by} decides ${condition}, which is not one of the conditions`),
    ...idle.map(({ by }) => `${by} decides no condition`),
    ...DECIDED_CONDITIONS.flatMap((wanted) => {
      const by = decided.filter(({ condition }) => condition === wanted).map((item) => item.by);
      return by.length > 1 ? [`${wanted} takes one implementer and has ${by.length}: ${by.join(', ')}`] : [];
    }),
    // A required card that nobody can have would lock out every viewer.
    ...isDecided('isCardRequired') && !isDecided('hasCard')
      ? ['isCardRequired is decided and no slice decides hasCard']
      : [],
  ];
}

const isDecidable = (condition: string): condition is DecidedCondition =>
  (DECIDED_CONDITIONS as readonly string[]).includes(condition);

/** A slice's values for one viewer. */
export interface Decided extends Decider {
  readonly values: Partial<DecidedConditions>;
}

/** All conditions of a viewer. Throws when a slice sets other conditions than those it decides. */
export function withDecided(decided: readonly Decided[]): DecidedConditions {
  for (const { decides, values } of decided) {
    const open = decides.find((condition) => values[condition as DecidedCondition] === undefined);
    if (open !== undefined) throw new Error(`the slice that decides ${open} left it open for a viewer`);
    const foreign = Object.keys(values).find((condition) => !decides.includes(condition));
    if (foreign !== undefined) throw new Error(`a slice set ${foreign}, which it does not decide`);
  }
  return Object.assign({ ...UNDECIDED }, ...decided.map(({ values }) => values)) as DecidedConditions;
}
