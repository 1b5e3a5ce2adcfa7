import type { CallContext } from '#platform/contract/context.ts';
import { optional } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Person } from '#product/accounts/server.ts';
import type { ReportKind } from './rules.ts';

/** Something of a performer, by its number. */
export interface AskedReportable {
  readonly performer: Person;
  readonly id: number;
  readonly within: string | null;
}

/** A kind of thing that a later slice has. */
export interface Reportable {
  readonly kind: ReportKind;
  /** What the caller sees of it; null where they don't see such a thing. */
  readonly find: (tx: Tx, context: CallContext, asked: AskedReportable) => Promise<FoundReportable | null>;
}

export interface FoundReportable {
  /** What it says; empty for what has no words. */
  readonly text: string;
  /** Id of the blob of its picture (WebP), of which the report has a copy; null without one. */
  readonly picture: string | null;
}

export const reportables = optional.many<Reportable>({
  name: 'moderation.reportables',
  description: 'Kinds of things that are reported beside messages, people, rooms, bios and pictures.',
  byDefault: 'Nothing of these kinds can be reported: there is nothing of them.',
  safeBecause: 'a report of what nobody has is refused, and stores nothing',
  errorsOf: (implementers) => {
    const kinds = implementers.map(({ implementation }) => implementation.kind);
    return kinds.filter((kind, at) => kinds.indexOf(kind) !== at).map((kind) => `two slices have ${kind}`);
  },
});
