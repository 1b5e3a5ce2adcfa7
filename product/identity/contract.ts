import { call } from '#platform/contract/call.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { COUNTRY_CODE } from '#platform/text/codes.ts';
import { PICTURE_FAULTS, UPLOAD_LIMIT, UPLOAD_LIMIT_BYTES } from '#product/accounts/contract/avatar.ts';
import { PLAIN_LINE } from '#product/accounts/rules.ts';
import { z } from 'zod';
import {
  ALL_REASONS,
  APPLICATION_STATES,
  DOCUMENT_END,
  DOCUMENT_KINDS,
  MAX_ALIASES,
  MAX_NAME_LENGTH,
  PERFORMER_STATUSES,
  STEP_STATES,
  STEPS,
} from './rules.ts';

const slice = 'identity';
export const underReview = refusal({
  slice,
  code: 'under_review',
  kind: 'conflict',
  description: 'The application is being reviewed, or was accepted: nothing in it changes.',
});
export const tooYoung = refusal({
  slice,
  code: 'too_young',
  kind: 'denied',
  description: 'Younger than the operator’s minimum age (`age`), by the exact date on the server’s day.',
});
export const birthDateUnknown = refusal({
  slice,
  code: 'birth_date_unknown',
  kind: 'invalid',
  description: 'No such day of the calendar, or too long ago.',
});
export const nameEmpty = refusal({
  slice,
  code: 'name_empty',
  kind: 'invalid',
  description: 'The legal name has no visible characters.',
});
export const countryUnknown = refusal({
  slice,
  code: 'country_unknown',
  kind: 'invalid',
  description: 'No country has this code.',
});
export const documentExpired = refusal({
  slice,
  code: 'document_expired',
  kind: 'invalid',
  description: 'The document is no longer valid on the server’s day.',
});
export const documentUnknown = refusal({
  slice,
  code: 'document_unknown',
  kind: 'conflict',
  description: 'Pictures of a document come after its kind, country and expiry.',
});
export const agreementUnsigned = refusal({
  slice,
  code: 'agreement_unsigned',
  kind: 'conflict',
  description: 'The agreement is not signed yet.',
});
export const profileIncomplete = refusal({
  slice,
  code: 'profile_incomplete',
  kind: 'conflict',
  description: 'The profile has no text about the performer, or no language.',
});
export const stepUnknown = refusal({
  slice,
  code: 'step_unknown',
  kind: 'absent',
  description: 'The operator does not ask for this step.',
});
export const stepsMissing = refusal({
  slice,
  code: 'steps_missing',
  kind: 'conflict',
  description: 'Some steps are missing or rejected (`steps`).',
});

export const replacedTooOften = refusal({
  slice,
  code: 'replaced_too_often',
  kind: 'conflict',
  description:
    'Something of this step was replaced 20 times since the last hand-in. What is missing can still '
    + 'be given, and the application handed in.',
});

const Country = z.string().regex(COUNTRY_CODE);
const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const Name = z.string().trim().min(1).max(MAX_NAME_LENGTH).regex(PLAIN_LINE);

export const StepName = z.enum(STEPS);
/** A step as its performer sees it: never what was given, only where it stands. */
export const ApplicationStep = z.object({
  step: StepName,
  state: z.enum(STEP_STATES),
  /** Why it was rejected, in the caller's language; null unless it is. */
  reason: z.string().nullable(),
  reason_code: z.enum(ALL_REASONS).nullable(),
  /** What the reviewer adds to it, in the reviewer's words. */
  note: z.string(),
  given_at: z.string().nullable(),
});
/** The caller's application. */
export const Application = z.object({
  status: z.enum(PERFORMER_STATUSES),
  state: z.enum(APPLICATION_STATES),
  minimum_age: z.int(),
  steps: z.array(ApplicationStep),
  /** Of the document: which parts are there. */
  document: z.object({
    kind: z.enum(DOCUMENT_KINDS).nullable(),
    has_front: z.boolean(),
    has_back: z.boolean(),
  }),
  /** Path of the page where the agreement is signed; null once it is, and without one. */
  agreement_path: z.string().nullable(),
  handed_in_at: z.string().nullable(),
  /** Until when the records are retained once the performer ceases; null while they have not. */
  retain_until: z.string().nullable(),
});
export type ApplicationView = z.infer<typeof Application>;
export type ApplicationStepView = z.infer<typeof ApplicationStep>;

const own = { access: 'performer', credential: 'cookie', output: Application } as const;
/** Steps are typed by hand, one after another. */
const limit = { points: 60, seconds: 300, per: 'caller' } as const;

export const getApplication = call({
  ...own,
  name: 'identity.getApplication',
  method: 'GET',
  path: '/identity/application',
  input: z.object({}),
  refusals: [],
  summary: 'The caller’s application',
  description: 'Its steps with their states and reasons. What was given is never shown again.',
});

export const giveIdentity = call({
  ...own,
  name: 'identity.giveIdentity',
  method: 'POST',
  path: '/identity/who',
  input: z.object({
    legal_name: Name,
    birth_date: Day,
    /** Of residence; ISO 3166-1 alpha-2. */
    country: Country,
    /** Every other name ever used: on stage, before a marriage, elsewhere. */
    aliases: z.array(Name).max(MAX_ALIASES),
  }),
  refusals: [underReview, replacedTooOften, tooYoung, birthDateUnknown, nameEmpty, countryUnknown],
  limit,
  summary: 'Step 1: who the caller is',
  description: 'Encrypted at rest, read by reviewers alone. The age counts by the exact date on the server’s '
    + 'day. Replaces what was given before.',
});

export const giveDocument = call({
  ...own,
  name: 'identity.giveDocument',
  method: 'POST',
  path: '/identity/document',
  input: z.object({
    kind: z.enum(DOCUMENT_KINDS),
    country: Country,
    /** The last four characters of its number. */
    number_end: z.string().regex(DOCUMENT_END),
    expires_on: Day,
  }),
  refusals: [underReview, replacedTooOften, countryUnknown, documentExpired],
  limit,
  summary: 'Step 2: which document',
  description: 'Its pictures follow. The step is given once all of its pictures are there: a passport has a '
    + 'front, a card a back too. Replaces the document of before with its pictures.',
});

const upload = {
  ...own,
  method: 'POST',
  upload: true,
  bodyLimitBytes: UPLOAD_LIMIT_BYTES,
  limit: UPLOAD_LIMIT,
} as const;
export const uploadDocument = call({
  ...upload,
  name: 'identity.uploadDocument',
  path: '/identity/document/:side',
  input: z.object({ side: z.enum(['front', 'back']) }),
  refusals: [...PICTURE_FAULTS, underReview, replacedTooOften, documentUnknown],
  summary: 'A picture of the document',
  description: 'One PNG, JPEG, WebP or GIF, at most 12 MB and 40 megapixels. Its pixels are encoded again, '
    + 'encrypted and stored; nothing else of the file is. Replaces the one before.',
});
export const uploadSelfie = call({
  ...upload,
  name: 'identity.uploadSelfie',
  path: '/identity/selfie',
  input: z.object({}),
  refusals: [...PICTURE_FAULTS, underReview, replacedTooOften],
  summary: 'Step 3: a picture of the caller with the document',
  description: 'As the pictures of the document.',
});

export const confirmAgreement = call({
  ...own,
  name: 'identity.confirmAgreement',
  method: 'POST',
  path: '/identity/agreement',
  input: z.object({}),
  refusals: [underReview, stepUnknown, agreementUnsigned],
  limit,
  summary: 'Step 4: the agreement is signed',
  description: 'Looks for the caller’s signature. The step is missing where the operator has no agreement.',
});

export const givePayoutCountry = call({
  ...own,
  name: 'identity.givePayoutCountry',
  method: 'POST',
  path: '/identity/payout',
  input: z.object({ country: Country }),
  refusals: [underReview, countryUnknown],
  limit,
  summary: 'Step 5: where payouts go',
  description: 'The country alone; accounts and taxes are asked before the first payout.',
});

export const confirmProfile = call({
  ...own,
  name: 'identity.confirmProfile',
  method: 'POST',
  path: '/identity/profile',
  input: z.object({}),
  refusals: [underReview, profileIncomplete],
  limit,
  summary: 'Step 6: the profile is ready',
  description: 'The profile is that of the account: a text about the performer, and at least one language.',
});

export const confirmTest = call({
  ...own,
  name: 'identity.confirmTest',
  method: 'POST',
  path: '/identity/test',
  input: z.object({
    /** What the browser got from the camera. */
    width: z.int().min(160).max(8_192),
    height: z.int().min(120).max(8_192),
    has_audio: z.boolean(),
  }),
  refusals: [underReview],
  limit,
  summary: 'Step 7: camera and microphone work',
  description: 'The test runs in the browser; no picture and no sound of it is sent.',
});

export const handInApplication = call({
  ...own,
  name: 'identity.handInApplication',
  method: 'POST',
  path: '/identity/hand_in',
  input: z.object({}),
  refusals: [underReview, stepsMissing],
  limit,
  summary: 'Hand the application in',
  description:
    'From here on nothing in it changes, until a reviewer accepts it or rejects steps. Repeating it '
    + 'while it waits is refused.',
});

export const applicationDecided = fact({
  name: 'identity.applicationDecided',
  shape: z.object({ performerId: z.int(), state: z.enum(APPLICATION_STATES) }),
  description: 'Reviewers accepted an application, or rejected steps of it.',
});
