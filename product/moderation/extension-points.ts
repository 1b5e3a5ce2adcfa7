import type { CallContext } from '#platform/contract/context.ts';
import { optional } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Person } from '#product/accounts/server.ts';
import type { ReportKind } from './rules.ts';

/** Something that belongs to a performer, identified by its number. */
export interface AskedReportable {
  readonly performer: Person;
  readonly id: number;
  readonly within: string | null;
}

/** A kind of content that a later slice owns. */
export interface Reportable {
  readonly kind: ReportKind;
  /** The thing as the caller sees it; null if the caller cannot see it. */
  readonly find: (tx: Tx, context: CallContext, asked: AskedReportable) => Promise<FoundReportable | null>;
}

export interface FoundReportable {
  /** Its text; empty if it has none. */
  readonly text: string;
  /** Blob id of its picture (WebP), which the report copies; null without one. */
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

/** Content that a case is about. */
export interface RemovalTarget {
  /** Whose it is. */
  readonly subjectId: number;
  /** Performer in whose room or on whose page it is. */
  readonly roomId: number;
  readonly id: number | null;
  readonly within: string | null;
}

/** How content of one kind is removed, and returns when the decision is reversed. */
export interface Removal {
  readonly kind: ReportKind;
  /** Takes it away from everybody; false if it is gone already. */
  readonly remove: (tx: Tx, target: RemovalTarget) => Promise<boolean>;
  /** Shows it again; false if it cannot return. */
  readonly restore: (tx: Tx, target: RemovalTarget) => Promise<boolean>;
}

export const removal = optional.many<Removal>({
  name: 'moderation.removal',
  description: 'How decisions remove content of the kinds that later slices own, and restore it.',
  byDefault: 'Content of these kinds is not removed by a decision; its account can be suspended.',
  safeBecause: 'a decision to remove such content is refused, and stores nothing',
  milestone: 11,
  errorsOf: (implementers) => {
    const kinds = implementers.map(({ implementation }) => implementation.kind);
    return kinds.filter((kind, at) => kinds.indexOf(kind) !== at).map((kind) => `two slices remove ${kind}`);
  },
});
