/**
 * The style of a chat message: the server sets it by one rule, and pages render it. The values are names of
 * the design (docs/look.md), so that every page renders them with enough contrast in its own theme.
 */

/** Backgrounds: pink at a percentage that grows with the tier of a tip. */
export const MESSAGE_BACKGROUNDS = ['pink-5', 'pink-10', 'pink-15', 'pink-20', 'pink-25'] as const;
export const FONT_STYLES = ['italic'] as const;
/** Colours of the sender's name; of the whole line for a notice, which has no name. */
export const MESSAGE_COLORS = ['pink', 'amber', 'green', 'blue', 'muted'] as const;
export const FONT_WEIGHTS = ['medium', 'bold'] as const;

export type MessageBackground = (typeof MESSAGE_BACKGROUNDS)[number];
export type MessageColor = (typeof MESSAGE_COLORS)[number];
export type FontWeight = (typeof FONT_WEIGHTS)[number];

/** Null, as for most messages, is the page's normal text. */
export interface MessageStyle {
  readonly background: MessageBackground | null;
  readonly fontStyle: (typeof FONT_STYLES)[number] | null;
  readonly color: MessageColor | null;
  readonly weight: FontWeight | null;
}
export const NO_STYLE: MessageStyle = { background: null, fontStyle: null, color: null, weight: null };

interface TipTier extends Pick<MessageStyle, 'background' | 'weight'> {
  readonly fromTokens: number;
}
/**
 * Tiers of a tip (spec 2 §9: under 15, 100, 500 and 1,000 tokens, and above), for its background and chime.
 */
const TIP_TIERS: readonly TipTier[] = [
  { fromTokens: 1, background: 'pink-5', weight: null },
  { fromTokens: 15, background: 'pink-10', weight: null },
  { fromTokens: 100, background: 'pink-15', weight: null },
  { fromTokens: 500, background: 'pink-20', weight: 'medium' },
  { fromTokens: 1_000, background: 'pink-25', weight: 'medium' },
];

/** The tier of a tip, from 0 to 4; its chime has one note more than its tier. */
export const tierLevel = (tokens: number): number =>
  Math.max(0, TIP_TIERS.findLastIndex(({ fromTokens }) => tokens >= fromTokens));

/** What the style of a message depends on; all of it is public. */
export interface StyledMessage {
  readonly kind: 'message' | 'tip' | 'notice';
  /** Tokens of a tip. */
  readonly tokens: number;
  /** Sent by the performer of the room. */
  readonly isStreamer: boolean;
  /** Sent by any performer. */
  readonly isPerformer: boolean;
  readonly isSuperVip: boolean;
  readonly isVip: boolean;
  readonly hasTokens: boolean;
}

/**
 * A tip has the background of its tier, a notice is muted italics, and a message has the colour of its
 * sender: performers before super VIPs, VIPs and members with tokens. The performer of the room writes in
 * bold.
 */
export function styleOf(message: StyledMessage): MessageStyle {
  const { kind, tokens, isStreamer } = message;
  if (kind === 'notice') return { ...NO_STYLE, fontStyle: 'italic', color: 'muted' };
  if (kind === 'message') return { ...NO_STYLE, color: colorOf(message), weight: isStreamer ? 'bold' : null };
  const tier = TIP_TIERS[tierLevel(tokens)];
  return tier ? { ...NO_STYLE, background: tier.background, weight: tier.weight } : NO_STYLE;
}

function colorOf({ isPerformer, isSuperVip, isVip, hasTokens }: StyledMessage): MessageColor | null {
  if (isPerformer) return 'pink';
  if (isSuperVip) return 'amber';
  if (isVip) return 'green';
  return hasTokens ? 'blue' : null;
}
