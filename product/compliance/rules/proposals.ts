/** States of a row that people of an operator proposed. */
export const POLICY_STATES = ['proposed', 'approved', 'rejected', 'withdrawn'] as const;
export type PolicyState = (typeof POLICY_STATES)[number];
