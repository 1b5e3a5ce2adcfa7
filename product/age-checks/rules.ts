import type { VerificationMethod } from '#product/compliance/rules.ts';

/** Ways to prove an age that a site may offer, in the order of the picker. */
export const AGE_CHECKS = [
  'yoti_doc_scan',
  'yoti_digital_id',
  'incode_age_estimation',
  'incode_age_verification',
  'wallet',
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
  wallet: 'digital_id',
  card: 'credit_card',
  support: 'id_document',
};

/** Checks that need an account: the card is a member's, and support answers a member. */
export const NEEDS_ACCOUNT: readonly AgeCheckKind[] = ['card', 'support'];

/** State of a browser's or a person's newest check. */
export const CHECK_STATES = ['pending', 'verified', 'failed'] as const;
export type CheckState = (typeof CHECK_STATES)[number];

/** What a provider knows us by is deleted after a day, whatever became of the check. */
export const ATTEMPT_HOURS = 24;
/** More attempts of one browser or person in a day are a loop or a search for a way around. */
export const MAX_ATTEMPTS_PER_DAY = 20;
