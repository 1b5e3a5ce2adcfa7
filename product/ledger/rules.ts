/** One development grant, in tokens ($50 shown): enough to try everything in the demo. */
export const DEMO_GRANT_TOKENS = 500;
/** Grants a person can take per day; the demo is not a faucet. */
export const DEMO_GRANTS_PER_DAY = 5;
