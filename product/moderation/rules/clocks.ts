/** How soon cases must be decided, and what the site does by itself before their time runs out. */
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';

/** Requests that anybody sends without an account, each with a time limit that law or a card network sets. */
export const REQUEST_KINDS = ['take_down', 'copyright', 'complaint'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];
/** What sets the time limit of a case: its public form, or the queue that it waits in. */
export type ClockKind = RequestKind | 'queue';

/** Moments of a case that waits for a decision. */
export interface Clocks {
  /** When admins are notified, if nobody has decided. */
  readonly escalateAt: Date;
  /**
   * When the content is hidden until somebody decides, or admins are notified again where it cannot be; null
   * for cases that only wait.
   */
  readonly hideAt: Date | null;
  /** When it has to be decided at the latest. */
  readonly dueAt: Date;
}

const after = (from: Date, ms: number): Date => new Date(from.getTime() + ms);
const SATURDAY = 6;
const isWeekend = (day: Date): boolean => day.getUTCDay() === 0 || day.getUTCDay() === SATURDAY;

/**
 * The same time of day a number of business days later: Monday to Friday, UTC. Public holidays count as
 * business days, so a time limit is never longer than the law's.
 */
export function businessDaysAfter(from: Date, days: number): Date {
  let at = from;
  for (let left = days; left > 0;) {
    at = after(at, DAY_MS);
    if (!isWeekend(at)) left -= 1;
  }
  return at;
}

/** TAKE IT DOWN Act: 48 hours from a valid request. */
const TAKE_DOWN_HOURS = 48;
const TAKE_DOWN_ESCALATION_HOURS = 24;
/** Four hours before the end: enough to repair a deadline that fails. */
const TAKE_DOWN_HIDING_HOURS = 44;
/** Mastercard AN 5196: complaints are resolved within seven business days. */
const COMPLAINT_DAYS = 7;
const COMPLAINT_ESCALATION_DAYS = 4;
const COMPLAINT_HIDING_DAYS = 6;
/** DMCA 512(c): "expeditiously". */
const COPYRIGHT_DAYS = 3;
const COPYRIGHT_ESCALATION_DAYS = 1;
const COPYRIGHT_HIDING_DAYS = 2;
/** DMCA 512(g): content returns 10 to 14 business days after a counter-notice, unless the claimant sues. */
const COUNTER_NOTICE_DAYS = { earliest: 10, restored: 13, latest: 14 } as const;
/** DSA Article 20(4): complaints about decisions are handled in a timely manner. */
const APPEAL_DAYS = 7;
const APPEAL_ESCALATION_DAYS = 4;
/** DSA Article 20(1): decisions can be appealed for at least six months. */
const APPEAL_MONTHS = 6;

/** The clocks of a case that was opened at a time. @param queueHours the limit of its queue */
export function clocksOf(kind: ClockKind, openedAt: Date, queueHours: number): Clocks {
  switch (kind) {
    case 'take_down':
      return {
        escalateAt: after(openedAt, TAKE_DOWN_ESCALATION_HOURS * HOUR_MS),
        hideAt: after(openedAt, TAKE_DOWN_HIDING_HOURS * HOUR_MS),
        dueAt: after(openedAt, TAKE_DOWN_HOURS * HOUR_MS),
      };
    case 'copyright':
      return {
        escalateAt: businessDaysAfter(openedAt, COPYRIGHT_ESCALATION_DAYS),
        hideAt: businessDaysAfter(openedAt, COPYRIGHT_HIDING_DAYS),
        dueAt: businessDaysAfter(openedAt, COPYRIGHT_DAYS),
      };
    case 'complaint':
      return {
        escalateAt: businessDaysAfter(openedAt, COMPLAINT_ESCALATION_DAYS),
        hideAt: businessDaysAfter(openedAt, COMPLAINT_HIDING_DAYS),
        dueAt: businessDaysAfter(openedAt, COMPLAINT_DAYS),
      };
    case 'queue':
      return {
        escalateAt: after(openedAt, (queueHours * HOUR_MS) / 2),
        hideAt: null,
        dueAt: after(openedAt, queueHours * HOUR_MS),
      };
  }
}

/** Why a decision is appealed. A counter-notice answers a copyright notice. */
export const APPEAL_GROUNDS = ['appeal', 'counter_notice'] as const;
export type AppealGround = (typeof APPEAL_GROUNDS)[number];

/** Moments of an appeal. */
export interface AppealClocks {
  readonly escalateAt: Date;
  /** No reversal before this; null for none. */
  readonly earliestAt: Date | null;
  /** When the site reverses the decision by itself; null for never. */
  readonly restoreAt: Date | null;
  readonly dueAt: Date;
}

export const appealClocksOf = (ground: AppealGround, at: Date): AppealClocks =>
  ground === 'counter_notice'
    ? {
      escalateAt: businessDaysAfter(at, COUNTER_NOTICE_DAYS.earliest),
      earliestAt: businessDaysAfter(at, COUNTER_NOTICE_DAYS.earliest),
      restoreAt: businessDaysAfter(at, COUNTER_NOTICE_DAYS.restored),
      dueAt: businessDaysAfter(at, COUNTER_NOTICE_DAYS.latest),
    }
    : {
      escalateAt: businessDaysAfter(at, APPEAL_ESCALATION_DAYS),
      earliestAt: null,
      restoreAt: null,
      dueAt: businessDaysAfter(at, APPEAL_DAYS),
    };

/** The last moment to appeal a decision. */
export function appealUntil(decidedAt: Date): Date {
  const until = new Date(decidedAt);
  until.setUTCMonth(until.getUTCMonth() + APPEAL_MONTHS);
  return until;
}
