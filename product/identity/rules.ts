import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { ageOn } from '#product/accounts/rules.ts';

/** The steps of an application, in their order on the page. */
export const STEPS = ['who', 'document', 'selfie', 'agreement', 'payout', 'profile', 'test'] as const;
export type Step = (typeof STEPS)[number];
export const STEP_STATES = ['missing', 'given', 'accepted', 'rejected'] as const;
export type StepState = (typeof STEP_STATES)[number];

/**
 * `open`: the performer works on it. `waiting`: handed in. `second`: one person decided, and a second one has
 * to. `rejected`: some steps are to be mended. `accepted`: cleared.
 */
export const APPLICATION_STATES = ['open', 'waiting', 'second', 'rejected', 'accepted'] as const;
export type ApplicationState = (typeof APPLICATION_STATES)[number];

/** Why a step is rejected; `other` needs a note. */
export const REASONS = {
  who: ['name_differs', 'birth_date_differs', 'alias_missing', 'other'],
  document: ['unreadable', 'cut_off', 'expired', 'not_accepted', 'copied', 'other'],
  selfie: ['person_differs', 'face_hidden', 'not_live', 'unreadable', 'other'],
  agreement: ['outdated', 'other'],
  payout: ['country_unsupported', 'other'],
  profile: ['against_rules', 'other'],
  test: ['other'],
} as const satisfies Record<Step, readonly string[]>;
export type Reason = (typeof REASONS)[Step][number];
export const ALL_REASONS = [...new Set(Object.values(REASONS).flat())] as readonly Reason[];

export const isReasonOf = (step: Step, reason: string): boolean =>
  (REASONS[step] as readonly string[]).includes(reason);

export const DOCUMENT_KINDS = ['passport', 'identity_card', 'driving_licence', 'residence_permit'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];
/** Everything about a person is on one page of a passport; cards have a back. */
export const hasBack = (kind: DocumentKind): boolean => kind !== 'passport';

/** Why somebody reads the vault; `inquiry` and `other` say more in the note. */
export const LOOK_REASONS = ['review', 'second_review', 'inspection', 'inquiry', 'other'] as const;
export type LookReason = (typeof LOOK_REASONS)[number];
export const VERDICTS = ['accept', 'reject', 'second_look'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Adults everywhere; an operator may ask for more. */
export const MIN_AGE = 18;
/** A higher minimum than this is a mistake. */
export const MAX_MIN_AGE = 30;
/** Reviewers that an operator may require. */
export const MAX_REVIEWERS = 2;
/** The longest names in passports (ICAO 9303 prints 39 characters, registers have more). */
export const MAX_NAME_LENGTH = 120;
/** Names used on stage, before a marriage, elsewhere: a performer with more writes to support. */
export const MAX_ALIASES = 20;
export const MAX_NOTE_LENGTH = 500;
/** Only the end of a document's number is asked: enough to distinguish two documents. */
export const DOCUMENT_END = /^[A-Za-z0-9]{4}$/u;
/** Large enough to read the smallest print of a card that fills half of the picture. */
export const PICTURE_PX = 2_400;
/** Applications on one page of the queue. */
export const QUEUE_PAGE = 50;
/** A reviewer looks at one application in this time; afterwards they name their reason again. */
export const LOOK_MS = 30 * MINUTE_MS;
/** Records stay for seven years after a performer ceases (18 U.S.C. § 2257; compliance.md). */
const RETENTION_YEARS = 7;
/** A legal hold is checked again after a month, so that its end erases what is due. */
export const HOLD_RECHECK_MS = 30 * DAY_MS;
/**
 * How often a performer may replace something of one step between two hand-ins: more than mistakes need, and
 * a bound on what a legal hold makes the vault retain.
 */
export const MAX_REPLACEMENTS = 20;
/** Keys wrapped again in one unit of work. */
export const REWRAP_PAGE = 100;
/** Matches of one inspection: an alias that more people share is searched by username. */
export const MAX_MATCHES = 50;

/** When records may be erased: seven years later, on the same day. */
export function retainUntil(ceasedAt: Date): Date {
  const end = new Date(ceasedAt);
  end.setUTCFullYear(end.getUTCFullYear() + RETENTION_YEARS);
  return end;
}

/** What an operator asks of performers. */
export interface OperatorRules {
  /** A performer goes live only with evidence from a review. */
  readonly requiresEvidence: boolean;
  /** Different people who have to accept an application. */
  readonly reviewers: number;
  readonly minimumAge: number;
}
export const DEFAULT_RULES: OperatorRules = { requiresEvidence: false, reviewers: 1, minimumAge: MIN_AGE };

/** Whether somebody has reached the operator's minimum age on a day, both `YYYY-MM-DD`. */
export const isOfAge = (birthDate: string, today: string, { minimumAge }: OperatorRules): boolean =>
  ageOn(birthDate, today) >= Math.max(MIN_AGE, minimumAge);

/** A document is good until the end of the day printed on it. */
export const isExpired = (expiresOn: string, today: string): boolean => expiresOn < today;

/** A name as the index has it: without case, marks and punctuation, so that spellings match. */
export const indexedName = (name: string): string =>
  name.normalize('NFKD').toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The status of a performer for GET /user/current. */
export const PERFORMER_STATUSES = ['incomplete', 'pending', 'cleared', 'rejected', 'revoked'] as const;
export type PerformerStatus = (typeof PERFORMER_STATUSES)[number];

/**
 * @param decided the last decision about their clearance
 * @param hasEvidence whether going live has all that the operator asks for
 * @param application null before they began one
 */
export function statusOf(
  decided: 'pending' | 'cleared' | 'revoked' | null,
  hasEvidence: boolean,
  application: ApplicationState | null,
): PerformerStatus {
  if (decided === 'revoked') return 'revoked';
  if (decided === 'cleared' && hasEvidence) return 'cleared';
  if (application === 'waiting' || application === 'second') return 'pending';
  return application === 'rejected' ? 'rejected' : 'incomplete';
}
