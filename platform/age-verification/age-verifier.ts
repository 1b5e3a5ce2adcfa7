/**
 * The port to providers of age verification: one check of one person on the provider's own pages, and its
 * result. A provider says whether somebody is old enough, and nothing else is taken from its answers. The
 * browser's return proves nothing: only `result` does, which asks the provider.
 */

export const AGE_PROVIDERS = ['yoti', 'incode'] as const;
export type AgeProvider = (typeof AGE_PROVIDERS)[number];

/** What the provider looks at. */
export type AgeCheck = 'document' | 'digital_id' | 'estimation';

/** Protection against pictures and recordings of other people. */
export type LivenessLevel = 'none' | 'passive' | 'active';

/** A check to begin. */
export interface Opening {
  readonly check: AgeCheck;
  /** A nonce of ours: random, new for each check, and no name of anybody. The provider repeats it. */
  readonly nonce: string;
  /** In full years. */
  readonly minimumAge: number;
  /** Where the provider sends the browser afterwards; anonymous accounts use their relay instead. */
  readonly returnUrl: string;
  /** Where the provider reports results; anonymous accounts get none, and are asked instead. */
  readonly notificationUrl: string;
}

export type Opened =
  | {
    readonly kind: 'opened';
    /** What the provider knows the check by, at most 1,024 characters. Secret: whoever has it is answered. */
    readonly reference: string;
    /** The provider's page for the browser. */
    readonly url: string;
  }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** A check under way, as it was begun. */
export interface Begun extends Pick<Opening, 'check' | 'nonce' | 'minimumAge'> {
  readonly reference: string;
}

/** `failed` is final; `pending` may still change; `unreachable` means that nothing is known. */
export type Finding =
  | { readonly kind: 'passed' | 'failed' | 'pending' }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** One provider with one operator's account. Methods never throw for failures of the other side. */
export interface AgeVerifier {
  readonly name: AgeProvider;
  readonly checks: readonly AgeCheck[];
  /** The provider's account names no site, and neither do the addresses it gets. */
  readonly isAnonymous: boolean;
  /** The highest age that a passed check shows. */
  readonly provesAge: number;
  readonly livenessOf: (check: AgeCheck) => LivenessLevel;
  readonly open: (opening: Opening) => Promise<Opened>;
  /** Asks the provider. Passed only for exactly this check: its nonce, kind and age. */
  readonly result: (begun: Begun) => Promise<Finding>;
  /** The `reference` that a report names, which says nothing about its result; null for anything else. */
  readonly read: (body: string) => string | null;
}
