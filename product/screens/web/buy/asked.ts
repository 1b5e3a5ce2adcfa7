/** What a page can open about money; whatever else follows from it, the dialogs know. */
export type MoneyPrompt =
  | 'purchase' | 'low_tokens' | 'postpay_card' | 'postpay_verify' | 'daily_low_limit' | 'declined' |
    'country';

/** A prompt as it was asked for: asking again opens it again. */
export interface Asked {
  readonly prompt: MoneyPrompt;
  /** Tokens that what was wanted takes, where that is known. */
  readonly needed?: number | undefined;
}
