/**
 * Tiers of a tip (spec 2 §9: under 15, 100, 500 and 1,000 tokens, and above), each with a name:
 * look and sound of its line in the chat grow with it.
 */
const TIERS = [
  { name: 'small', fromTokens: 1 }, { name: 'kind', fromTokens: 15 }, { name: 'warm', fromTokens: 100 },
  { name: 'grand', fromTokens: 500 }, { name: 'royal', fromTokens: 1_000 },
] as const;
export type TipTier = (typeof TIERS)[number]['name'];

/** Look of a tip's line. Text has a contrast of at least 4.5 on each in both themes. */
export const TIER_LOOKS: Readonly<Record<TipTier, string>> = {
  small: 'border-l-2 border-pink/60 bg-pink/5',
  kind: 'border-l-2 border-pink bg-pink/10',
  warm: 'border-l-4 border-pink bg-pink/15',
  grand: 'border-l-4 border-pink bg-pink/20 font-medium',
  royal: 'border-l-4 border-pink bg-pink/25 font-medium ring-1 ring-inset ring-pink',
};

/** The tier of a tip, from 0 to 4; its chime has this many notes more than one. */
export const tierLevel = (tokens: number): number =>
  Math.max(0, TIERS.findLastIndex(({ fromTokens }) => tokens >= fromTokens));

export const tierOf = (tokens: number): TipTier => TIERS[tierLevel(tokens)]?.name ?? 'small';
