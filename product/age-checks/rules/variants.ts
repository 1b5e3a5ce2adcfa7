/** What the modal of age verification shows first (spec 1 §4). */
export type Variant = 'signup' | 'card' | 'pending' | 'verify';

/** The variant of somebody: guests sign up, then a required card, then what is pending, else the picker. */
export function variantOf(
  { isGuest, isCardRequired, isPending }: {
    readonly isGuest: boolean;
    readonly isCardRequired: boolean;
    readonly isPending: boolean;
  },
): Variant {
  if (isGuest) return 'signup';
  if (isCardRequired) return 'card';
  return isPending ? 'pending' : 'verify';
}
