import type { ReportKind } from '../rules.ts';

/** What a report is about. */
export interface ReportTarget {
  readonly kind: ReportKind;
  /**
   * For a person their username; otherwise that of the performer who owns it, or in whose room it was said.
   */
  readonly username: string;
  readonly id?: number;
  /** The key of a show's chat, or `private` for a recording of a private show. */
  readonly within?: string;
  /** Display name of the reported person. */
  readonly name: string;
}
