/** Why somebody is suspended, as they read it in their language. */
export const SUSPENSION_CAUSES = ['terms', 'payment', 'conduct', 'age', 'security', 'other'] as const;
export type SuspensionCause = (typeof SUSPENSION_CAUSES)[number];

/** Longest message that staff add: a few sentences. */
export const MAX_SUSPENSION_MESSAGE = 500;

/** What a suspended person reads about it. */
export interface SuspensionNotice {
  readonly cause: SuspensionCause | null;
  /** Typed by staff; empty for none. */
  readonly message: string;
}
