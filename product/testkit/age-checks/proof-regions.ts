import committed from '#product/compliance/region-policies.json';

/** Rows of the committed table under which nothing is shown before a proof of age, or at all. */
export const closedPolicies = committed.filter(({ rule }) => rule !== 'declare');
