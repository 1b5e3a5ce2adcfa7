/** The queues that cases wait in: data of the operator, in their order. */
import { REPORT_KINDS, REPORT_REASONS } from '../rules.ts';
import { REQUEST_KINDS } from './clocks.ts';

/** What a case is about: a reported thing, or content that a public form names by its address. */
export const CASE_KINDS = [...REPORT_KINDS, 'address'] as const;
export type CaseKind = (typeof CASE_KINDS)[number];
export const CASE_REASONS = [...REQUEST_KINDS, ...REPORT_REASONS] as const;
export type CaseReason = (typeof CASE_REASONS)[number];

export interface Queue {
  readonly name: string;
  /** Kinds and reasons of its cases; an empty list takes all. */
  readonly kinds: readonly CaseKind[];
  readonly reasons: readonly CaseReason[];
  /** Time limit of cases that no law gives one. */
  readonly hours: number;
}

/** Queues of an operator: as many as a small team can watch. */
export const MAX_QUEUES = 20;
export const MAX_QUEUE_NAME_LENGTH = 60;
/** A queue whose time limit is longer is not worked on. */
export const MAX_QUEUE_HOURS = 720;
export const CASES_PAGE = 50;
/** Decisions of this long count in the average handling time. */
export const HANDLING_DAYS = 30;

/** The queues of an operator who has not set any, the most urgent first. The last one takes what is left. */
export const DEFAULT_QUEUES: readonly Queue[] = [
  { name: 'Take-downs', kinds: [], reasons: ['take_down'], hours: 48 },
  { name: 'Danger', kinds: [], reasons: ['underage', 'non_consensual'], hours: 24 },
  { name: 'Copyright', kinds: [], reasons: ['copyright'], hours: 72 },
  { name: 'Complaints', kinds: [], reasons: ['complaint'], hours: 168 },
  { name: 'Everything else', kinds: [], reasons: [], hours: 168 },
];

const takes = <T>(list: readonly T[], item: T): boolean => list.length === 0 || list.includes(item);

/** Position of the queue of a case: the first one that takes it; null if none does. */
export function queueOf(
  queues: readonly Pick<Queue, 'kinds' | 'reasons'>[],
  { kind, reason }: { readonly kind: CaseKind; readonly reason: CaseReason },
): number | null {
  const at = queues.findIndex(({ kinds, reasons }) => takes(kinds, kind) && takes(reasons, reason));
  return at === -1 ? null : at;
}

/** Whether every case has a queue: the last one takes all kinds and reasons. */
export const takesAll = (queues: readonly Pick<Queue, 'kinds' | 'reasons'>[]): boolean => {
  const last = queues.at(-1);
  return last !== undefined && last.kinds.length === 0 && last.reasons.length === 0;
};
