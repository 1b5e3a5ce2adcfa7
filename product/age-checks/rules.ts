import { DAY_MS } from '#platform/time/units.ts';
import {
  acceptsProof,
  type Liveness,
  type RegionPolicy,
  type VerificationMethod,
} from '#product/compliance/rules.ts';

/** Ways to prove an age that a site may offer, in the order of the picker. */
export const AGE_CHECKS = [
  'yoti_doc_scan',
  'yoti_digital_id',
  'incode_age_estimation',
  'incode_age_verification',
  'card',
  'support',
] as const;
export type AgeCheckKind = (typeof AGE_CHECKS)[number];

/** The method of a region's policy that each check is. */
export const METHOD_OF: Readonly<Record<AgeCheckKind, VerificationMethod>> = {
  yoti_doc_scan: 'id_document',
  yoti_digital_id: 'digital_id',
  incode_age_estimation: 'face_estimation',
  incode_age_verification: 'id_document',
  card: 'credit_card',
  support: 'id_document',
};

/** Checks that need an account: the card is a member's, and support answers a member. */
export const NEEDS_ACCOUNT: readonly AgeCheckKind[] = ['card', 'support'];

/** State of a browser's or a person's newest check. */
export const CHECK_STATES = ['pending', 'verified', 'failed'] as const;
export type CheckState = (typeof CHECK_STATES)[number];
/** A check that was given up is stored, too: it counts as one begun. */
export type AttemptState = CheckState | 'cancelled';

/** What a provider knows us by is deleted after a day, whatever became of the check. */
export const ATTEMPT_MS = DAY_MS;
/** More attempts of one browser or person in a day are a loop or a search for a way around. */
export const MAX_ATTEMPTS_PER_DAY = 20;
/** Proofs of one person that are looked at: far more than anybody collects before they expire. */
export const MAX_PROOFS_READ = 20;

/** Longest message to support. */
export const MAX_SUPPORT_MESSAGE = 1_000;
/** Requests on one page. */
export const SUPPORT_PAGE = 50;
/** Decided requests are listed for a month, without what the person wrote. */
export const DECIDED_MS = 30 * DAY_MS;
/** Support asks for a picture of the person with the document and the day's date. */
export const SUPPORT_LIVENESS: Liveness = 'passive';
/** A birth date says any age. */
export const ANY_AGE = 120;

/** A way to prove an age, with what its proof would be worth. */
export interface OfferedCheck {
  readonly kind: AgeCheckKind;
  readonly liveness: Liveness;
  /** The provider does not learn the site, nor the site the person. */
  readonly isAnonymous: boolean;
  /** The highest age that it can prove. */
  readonly provesAge: number;
}

/** Whether a region's policy accepts what a check would prove. */
const acceptsCheck = (policy: RegionPolicy, check: OfferedCheck): boolean =>
  policy.rule === 'verify' && check.provesAge >= policy.minimumAge
  && acceptsProof(policy, { ...check, method: METHOD_OF[check.kind] });

/** The checks that a policy accepts: in the order of its methods, then of the picker. */
export function acceptedChecks(
  policy: RegionPolicy,
  checks: readonly OfferedCheck[],
): readonly OfferedCheck[] {
  const place = ({ kind }: OfferedCheck): number =>
    policy.methods.indexOf(METHOD_OF[kind]) * AGE_CHECKS.length + AGE_CHECKS.indexOf(kind);
  return checks.filter((check) => acceptsCheck(policy, check)).sort((a, b) => place(a) - place(b));
}

/** Whether members of a region can only prove their age by card. */
export const isCardOnly = ({ rule, methods }: Pick<RegionPolicy, 'rule' | 'methods'>): boolean =>
  rule === 'verify' && methods.every((method) => method === 'credit_card');

/** The digits of a card by which it is recognized. */
export interface CardDigits {
  readonly first6: string;
  readonly last4: string;
  readonly expMonth: string;
  readonly expYear: string;
}

/** Whether a browser named the card that the processor knows. A processor that keeps no digits shows none. */
export const isSameCard = (
  named: CardDigits,
  known: { readonly first6: string | null; readonly last4: string; readonly expiry: string | null },
): boolean =>
  known.first6 === named.first6 && known.last4 === named.last4
  && known.expiry === `${named.expMonth}/${named.expYear}`;

/** Whether a card is still valid on a day (`YYYY-MM-DD`): it is to the end of its month. */
export const isCardValid = ({ expMonth, expYear }: CardDigits, today: string): boolean =>
  Number(expMonth) >= 1 && Number(expMonth) <= 12 && `20${expYear}-${expMonth}` >= today.slice(0, 7);
