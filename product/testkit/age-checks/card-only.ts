import committed from '#product/compliance/region-policies.json';

/** A place whose law accepts nothing but a credit card; no real one. */
export const CARD_ONLY = 'ZW';

const [ofBritain] = committed.filter(({ region }) => region === 'GB');

/** Settings of a site whose table has the row of {@link CARD_ONLY} besides the committed ones. */
export const withCardOnly = {
  geoFallback: 'strict',
  policies: [...committed, { ...ofBritain, region: CARD_ONLY, methods: ['credit_card'] }],
};
