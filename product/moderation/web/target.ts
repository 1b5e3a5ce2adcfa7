import type { ReportKind } from '../rules.ts';

/** What is reported. */
export interface ReportTarget {
  readonly kind: ReportKind;
  /** Of a person; for everything else of the performer whose it is, or in whose room it was said. */
  readonly username: string;
  readonly id?: number;
  /** The chat of a show, or `private` for a recording of a private show. */
  readonly within?: string;
  /** Of whoever is reported, as they are called. */
  readonly name: string;
}
