/** What a page can ask the money dialogs for; they decide what follows. */
export type MoneyPrompt =
  | 'purchase'
  | 'low_tokens'
  | 'postpay_card'
  | 'postpay_verify'
  | 'daily_low_limit'
  | 'declined'
  | 'country';

/** A prompt as it was requested: requesting it again opens it again. */
export interface Asked {
  readonly prompt: MoneyPrompt;
  /** Tokens needed for what the person wanted, if known. */
  readonly needed?: number | undefined;
}
