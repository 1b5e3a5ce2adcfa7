import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext, PersonContext } from '#platform/contract/context.ts';
import { storeBlobs } from '#platform/data/blobs.ts';
import type { Tx } from '#platform/data/data.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import { dayOf } from '#platform/time/days.ts';
import { PICTURE_REFUSALS } from '#product/accounts/contract/avatar.ts';
import { checkBirthDate, isDay } from '#product/accounts/rules.ts';
import { isCountry } from '#product/site/rules/places.ts';
import {
  agreementUnsigned,
  birthDateUnknown,
  confirmAgreement,
  confirmProfile,
  confirmTest,
  countryUnknown,
  documentExpired,
  documentUnknown,
  getApplication,
  giveDocument,
  giveIdentity,
  givePayoutCountry,
  handInApplication,
  nameEmpty,
  profileIncomplete,
  replacedTooOften,
  stepsMissing,
  stepUnknown,
  tooYoung,
  underReview,
  uploadDocument,
  uploadSelfie,
  type ApplicationView,
} from '../contract.ts';
import { hasBack, isExpired, isOfAge, MIN_AGE, PICTURE_PX, type Step } from '../rules.ts';
import { begun, give, handIn, isLocked, MISSING, stepsLeft } from '../rules/workflow.ts';
import {
  beginApplication,
  countReplacement,
  findApplication,
  findRules,
  saveWorkflow,
  type StoredApplication,
} from '../store.ts';
import { findRecord, insertRecord, type RecordKind, type StoredRecord } from '../store/vault.ts';
import { agreementOf, stepsAsked, type IdentityParts } from './dependencies.ts';
import { reasonText } from './reasons.ts';
import { shownStatus } from './status.ts';
import type { VaultPicture } from './vault.ts';

/** Begins an application where there is none, and locks it. */
async function lockOwn(parts: IdentityParts, tx: Tx, performerId: number): Promise<StoredApplication> {
  await beginApplication(tx, performerId);
  const asked = stepsAsked(await agreementOf(parts, tx, performerId));
  const found = await findApplication(tx, { performerId }, asked, true);
  if (!found) throw new Error(`the application of person ${performerId} is gone`);
  return found;
}

/** Takes what was given before out of use; false when that was too often since the hand-in. */
async function retires(
  { vault }: Pick<IdentityParts, 'vault'>,
  tx: Tx,
  application: StoredApplication,
  kind: RecordKind,
): Promise<boolean> {
  const { performerId } = application;
  if (await findRecord(tx, performerId, kind) && !await countReplacement(tx, performerId, kind)) return false;
  await vault.retire(tx, application, kind);
  return true;
}

const isComplete = (record: StoredRecord | null): boolean =>
  record?.documentKind !== null && record?.documentKind !== undefined && record.frontBlob !== null
  && (record.backBlob !== null || !hasBack(record.documentKind));

/** What a performer sees of their application. */
async function viewOf(parts: IdentityParts, tx: Tx, context: PersonContext): Promise<ApplicationView> {
  const { personId, locale } = context;
  const agreement = await agreementOf(parts, tx, personId);
  const asked = stepsAsked(agreement);
  const stored = await findApplication(tx, { performerId: personId }, asked);
  const workflow = stored ?? begun(personId, asked);
  const record = await findRecord(tx, personId, 'document');
  const rules = await findRules(tx);
  return {
    status: await shownStatus(parts, tx, personId),
    state: workflow.state,
    minimum_age: Math.max(MIN_AGE, rules.minimumAge),
    steps: asked.map((step) => {
      const { state, reason, note } = workflow.steps.get(step) ?? MISSING;
      return {
        step,
        state,
        reason: reason === null ? null : reasonText(parts.text, locale, reason),
        reason_code: reason,
        note,
        given_at: stored?.givenAt.get(step)?.toISOString() ?? null,
      };
    }),
    document: {
      kind: record?.documentKind ?? null,
      has_front: Boolean(record?.frontBlob),
      has_back: Boolean(record?.backBlob),
    },
    agreement_path: agreement.documentId === null || agreement.isSigned
      ? null
      : `/legal/document/${agreement.documentId}`,
    handed_in_at: stored?.handedInAt?.toISOString() ?? null,
    retain_until: stored?.retainUntil?.toISOString() ?? null,
  };
}

/** Stores one step of an unlocked application and returns the view of all. */
async function saveStep(
  parts: IdentityParts,
  tx: Tx,
  { application, step, isWhole, country }: {
    readonly application: StoredApplication;
    readonly step: Step;
    readonly isWhole?: boolean;
    readonly country?: string;
  },
  context: PersonContext,
): Promise<ApplicationView> {
  const after = give(application, step, isWhole);
  if (after === 'locked') throw new Error('a locked application was changed');
  await saveWorkflow(tx, application, after, country === undefined ? {} : { country });
  return viewOf(parts, tx, context);
}

export const applicationHandlers = (parts: IdentityParts): CallHandler[] => [
  handleCall(getApplication)((_input, context) =>
    parts.data.tx(context.scope, (tx) => viewOf(parts, tx, context))
  ),
  whoHandler(parts),
  documentHandler(parts),
  ...uploadHandlers(parts),
  ...confirmations(parts),
  handleCall(handInApplication)((_input, context) =>
    parts.data.tx(context.scope, async (tx) => {
      const { personId, refuse } = context;
      const before = await lockOwn(parts, tx, personId);
      const after = handIn(before);
      if (after === 'locked') return refuse(underReview);
      if (after === 'steps_left') return refuse(stepsMissing, { extra: { steps: [...stepsLeft(before)] } });
      await saveWorkflow(tx, before, after);
      await tx.audit({
        action: 'identity.handIn',
        actorId: personId,
        subject: `person:${personId}`,
        detail: { handIn: after.handIn },
      });
      return viewOf(parts, tx, context);
    })
  ),
];

function whoHandler(parts: IdentityParts): CallHandler {
  const { data, vault } = parts;
  return handleCall(giveIdentity)((input, context) =>
    data.tx(context.scope, async (tx) => {
      const { personId, refuse } = context;
      const legalName = cleanText(input.legal_name);
      if (legalName === '') return refuse(nameEmpty);
      if (!isCountry(input.country)) return refuse(countryUnknown);
      const today = dayOf(tx.now);
      if (checkBirthDate(input.birth_date, today) === 'birth_date_invalid') return refuse(birthDateUnknown);
      const rules = await findRules(tx);
      if (!isOfAge(input.birth_date, today, rules)) {
        return refuse(tooYoung, { values: { age: Math.max(MIN_AGE, rules.minimumAge) } });
      }
      const application = await lockOwn(parts, tx, personId);
      if (isLocked(application)) return refuse(underReview);
      const facts = {
        legalName,
        birthDate: input.birth_date,
        country: input.country,
        aliases: [...new Set(input.aliases.map(cleanText).filter((name) => name !== ''))],
      };
      if (!await retires(parts, tx, application, 'who')) return refuse(replacedTooOften);
      await insertRecord(tx, {
        performerId: personId,
        kind: 'who',
        facts: await vault.encryptFacts(tx, personId, 'who', facts),
      });
      await vault.indexNames(tx, personId, facts);
      return saveStep(parts, tx, { application, step: 'who' }, context);
    })
  );
}

function documentHandler(parts: IdentityParts): CallHandler {
  const { data, vault } = parts;
  return handleCall(giveDocument)((input, context) =>
    data.tx(context.scope, async (tx) => {
      const { personId, refuse } = context;
      if (!isCountry(input.country)) return refuse(countryUnknown);
      if (!isDay(input.expires_on) || isExpired(input.expires_on, dayOf(tx.now))) {
        return refuse(documentExpired);
      }
      const application = await lockOwn(parts, tx, personId);
      if (isLocked(application)) return refuse(underReview);
      if (!await retires(parts, tx, application, 'document')) return refuse(replacedTooOften);
      await insertRecord(tx, {
        performerId: personId,
        kind: 'document',
        documentKind: input.kind,
        facts: await vault.encryptFacts(tx, personId, 'document', {
          kind: input.kind,
          country: input.country,
          numberEnd: input.number_end.toUpperCase(),
          expiresOn: input.expires_on,
        }),
      });
      return saveStep(parts, tx, { application, step: 'document', isWhole: false }, context);
    })
  );
}

/** Stores a picture in the vault; `save` names its blob in a row, or refuses. */
async function addPicture<Refused extends { readonly code: string }>(
  { data, blobs, pictures, vault }: IdentityParts,
  { scope, personId, file }: PersonContext,
  picture: VaultPicture,
  save: (tx: Tx, blob: string) => Promise<ApplicationView | Refused>,
) {
  const made = await pictures.make(file as Uint8Array, [
    { width: PICTURE_PX, height: PICTURE_PX, fit: 'inside' },
  ]);
  const [whole] = typeof made === 'string' ? [] : made;
  if (typeof made === 'string' || !whole) return PICTURE_REFUSALS[made as keyof typeof PICTURE_REFUSALS];
  const key = await data.tx(scope, (tx) => vault.keyFor(tx, personId));
  const bytes = vault.encryptPicture(scope, personId, picture, key, whole.bytes);
  return storeBlobs(
    blobs,
    [{ bytes }],
    ({ blobs: [blob] }) =>
      data.tx(scope, (tx) => {
        if (blob === undefined) throw new Error('a picture was stored without a blob');
        return save(tx, blob);
      }),
    (outcome) => !('code' in outcome),
  );
}

const BUSY_SECONDS = 10;

function uploadHandlers(parts: IdentityParts): CallHandler[] {
  const { vault } = parts;
  return [
    handleCall(uploadDocument)(async ({ side }, context) => {
      const { personId, refuse } = context;
      const added = await addPicture(parts, context, side, async (tx, blob) => {
        const application = await lockOwn(parts, tx, personId);
        if (isLocked(application)) return underReview;
        const record = await findRecord(tx, personId, 'document');
        if (!record) return documentUnknown;
        const isReplaced = (side === 'front' ? record.frontBlob : record.backBlob) !== null;
        if (isReplaced && !await countReplacement(tx, personId, 'document')) return replacedTooOften;
        await vault.replacePicture(tx, application, record, side, blob);
        const isWhole = isComplete(await findRecord(tx, personId, 'document'));
        return saveStep(parts, tx, { application, step: 'document', isWhole }, context);
      });
      return 'code' in added ? refuse(added, retryOf(added)) : added;
    }),
    handleCall(uploadSelfie)(async (_input, context) => {
      const { personId, refuse } = context;
      const added = await addPicture(parts, context, 'selfie', async (tx, blob) => {
        const application = await lockOwn(parts, tx, personId);
        if (isLocked(application)) return underReview;
        if (!await retires(parts, tx, application, 'selfie')) return replacedTooOften;
        await insertRecord(tx, { performerId: personId, kind: 'selfie', frontBlob: blob });
        return saveStep(parts, tx, { application, step: 'selfie' }, context);
      });
      return 'code' in added ? refuse(added, retryOf(added)) : added;
    }),
  ];
}

const retryOf = (
  { code }: { readonly code: string },
) => (code === PICTURE_REFUSALS.busy.code ? { retryAfterSeconds: BUSY_SECONDS } : {});

/** Steps whose content is elsewhere, or no secret. */
function confirmations(parts: IdentityParts): CallHandler[] {
  const { data, accounts } = parts;
  const lock = async (tx: Tx, { personId }: PersonContext) => {
    const application = await lockOwn(parts, tx, personId);
    return isLocked(application) ? null : application;
  };
  return [
    handleCall(confirmAgreement)((_input, context) =>
      data.tx(context.scope, async (tx) => {
        const application = await lock(tx, context);
        if (!application) return context.refuse(underReview);
        if (!application.steps.has('agreement')) return context.refuse(stepUnknown);
        if (!(await agreementOf(parts, tx, context.personId)).isSigned) {
          return context.refuse(agreementUnsigned);
        }
        return saveStep(parts, tx, { application, step: 'agreement' }, context);
      })
    ),
    handleCall(givePayoutCountry)(({ country }, context) =>
      data.tx(context.scope, async (tx) => {
        if (!isCountry(country)) return context.refuse(countryUnknown);
        const application = await lock(tx, context);
        if (!application) return context.refuse(underReview);
        return saveStep(parts, tx, { application, step: 'payout', country }, context);
      })
    ),
    handleCall(confirmProfile)((_input, context) =>
      data.tx(context.scope, async (tx) => {
        const application = await lock(tx, context);
        if (!application) return context.refuse(underReview);
        const person = await accounts.findById(tx, context.personId);
        if (!person || person.about.trim() === '' || person.languages.length === 0) {
          return context.refuse(profileIncomplete);
        }
        return saveStep(parts, tx, { application, step: 'profile' }, context);
      })
    ),
    handleCall(confirmTest)((_input, context) =>
      data.tx(context.scope, async (tx) => {
        const application = await lock(tx, context);
        if (!application) return context.refuse(underReview);
        return saveStep(parts, tx, { application, step: 'test' }, context);
      })
    ),
  ];
}

/** Why an application was rejected, for `compliance_reject_reason`; null unless it is. */
export async function rejectReasonOf(
  parts: IdentityParts,
  tx: Tx,
  personId: number,
  { locale }: Pick<CallContext, 'locale'>,
): Promise<string | null> {
  const stored = await findApplication(tx, { performerId: personId }, null);
  if (stored?.state !== 'rejected') return null;
  const lines = [...stored.steps].flatMap(([step, { reason, note }]) => (reason === null ? [] : [
    `${parts.text(locale, `identity:steps.${step}.title`)}: ${reasonText(parts.text, locale, reason)}`
    + (note === '' ? '' : ` ${note}`),
  ]));
  return lines.length === 0 ? null : lines.join('\n');
}
