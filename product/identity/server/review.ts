import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { PersonContext } from '#platform/contract/context.ts';
import { personChannel } from '#platform/contract/event.ts';
import { refresh } from '#platform/contract/sockets/lobby.ts';
import type { Tx } from '#platform/data/data.ts';
import { seal, unseal } from '#platform/data/database/seal.ts';
import { pageOf } from '#platform/data/paging.ts';
import { cleanLines } from '#platform/text/clean-text.ts';
import { dayOf } from '#platform/time/days.ts';
import { ageOn } from '#product/accounts/rules.ts';
import { DEFAULT_LOCALE } from '#product/site/rules.ts';
import { applicationDecided } from '../contract.ts';
import {
  acceptsExpired,
  acceptsTooYoung,
  applicationChanged,
  applicationUnknown,
  decideApplication,
  decidedBefore,
  decisionIncomplete,
  getIdentityPicture,
  listApplications,
  lookMissing,
  openApplication,
  ownApplication,
  type OpenedView,
} from '../contract/review.ts';
import { isExpired, isOfAge, LOOK_MS, QUEUE_PAGE, type LookReason } from '../rules.ts';
import { decide, verdictOf, type DecisionFault, type StepDecision } from '../rules/workflow.ts';
import {
  countWaiting,
  findApplication,
  findRules,
  queuePage,
  saveWorkflow,
  type StoredApplication,
} from '../store.ts';
import { decisionsOf, insertDecision, insertEvidence } from '../store/evidence.ts';
import { findRecord } from '../store/vault.ts';
import { signatureOf, type IdentityParts } from './dependencies.ts';
import { reasonText } from './reasons.ts';

/** Proof that a reviewer opened an application with a reason. */
interface Look {
  readonly application: number;
  readonly reviewer: number;
  readonly handIn: number;
  readonly reason: LookReason;
  /** Milliseconds since 1970. */
  readonly until: number;
}
const LOOK_SEAL = 'identity.look';
/** Decisions shown with an application: a few for each year of a performer's work. */
const MAX_DECISIONS = 100;
const REASON = 'documents, selfie and agreement reviewed';

/** Whether a look is of this reviewer and application, and recent. */
function lookOf(
  { secret, data }: IdentityParts,
  sealed: string,
  { scope, personId }: PersonContext,
  application: number,
): Look | null {
  const look = unseal(secret, `${LOOK_SEAL} ${scope.operatorId}`, sealed) as Look | null;
  return look?.application === application && look.reviewer === personId
      && look.until > data.clock.now().getTime()
    ? look
    : null;
}

export const reviewHandlers = (parts: IdentityParts): CallHandler[] => [
  queueHandler(parts),
  openHandler(parts),
  pictureHandler(parts),
  decisionHandler(parts),
];

function queueHandler({ data, accounts }: IdentityParts): CallHandler {
  return handleCall(listApplications)(({ after }, { scope, personId }) =>
    data.read(scope, async (tx) => {
      const [at = 0, id = 0] = (after ?? '').split('.').map(Number);
      const found = await queuePage(tx, personId, { at: new Date(at), id }, QUEUE_PAGE);
      const { page, next } = pageOf(
        found,
        QUEUE_PAGE,
        (row) => `${row.handedInAt.getTime()}.${row.id}`,
      );
      const people = await accounts.findMany(tx, page.map(({ performerId }) => performerId));
      return {
        lines: page.flatMap((row) => {
          const person = people.get(row.performerId);
          return person
            ? [{
              id: row.id,
              username: person.username,
              display_name: person.displayName,
              state: row.state,
              hand_in: row.handIn,
              handed_in_at: row.handedInAt.toISOString(),
              is_decided_by_me: row.isDecidedByMe,
              is_own: row.performerId === personId,
            }]
            : [];
        }),
        next,
        waiting: await countWaiting(tx),
      };
    })
  );
}

function openHandler(parts: IdentityParts): CallHandler {
  const { data, secret } = parts;
  return handleCall(openApplication)(({ id, reason, note }, context) =>
    data.tx(context.scope, async (tx) => {
      const { personId, scope, refuse } = context;
      const application = await findApplication(tx, { id }, null);
      if (!application) return refuse(applicationUnknown);
      if (application.performerId === personId) return refuse(ownApplication);
      await tx.audit({
        action: 'identity.open',
        actorId: personId,
        subject: `person:${application.performerId}`,
        reason,
        detail: { application: id, handIn: application.handIn, hasNote: note !== '' },
      });
      const look: Look = {
        application: id,
        reviewer: personId,
        handIn: application.handIn,
        reason,
        until: tx.now.getTime() + LOOK_MS,
      };
      const sealed = seal(secret, `${LOOK_SEAL} ${scope.operatorId}`, look);
      return { ...await openedView(parts, tx, application, { actorId: personId, reason }), look: sealed };
    })
  );
}

/** Everything a reviewer reads, but the pictures. */
async function openedView(
  parts: IdentityParts,
  tx: Tx,
  application: StoredApplication,
  reader: { readonly actorId: number; readonly reason: string },
): Promise<Omit<OpenedView, 'look'>> {
  const { accounts, vault } = parts;
  const { performerId } = application;
  const [rules, today] = [await findRules(tx), dayOf(tx.now)];
  const who = await vault.readFacts(tx, performerId, 'who', reader);
  const document = await vault.readFacts(tx, performerId, 'document', reader);
  const record = await findRecord(tx, performerId, 'document');
  const selfie = await findRecord(tx, performerId, 'selfie');
  const decisions = await decisionsOf(tx, application.id, MAX_DECISIONS);
  const people = await accounts.findMany(tx, [
    ...new Set([performerId, ...decisions.map(({ reviewerId }) => reviewerId)]),
  ]);
  const person = people.get(performerId);
  return {
    id: application.id,
    username: person?.username ?? '',
    display_name: person?.displayName ?? '',
    state: application.state,
    hand_in: application.handIn,
    handed_in_at: application.handedInAt?.toISOString() ?? null,
    who: who && {
      legal_name: who.legalName,
      birth_date: who.birthDate,
      age: ageOn(who.birthDate, today),
      is_of_age: isOfAge(who.birthDate, today, rules),
      country: who.country,
      aliases: [...who.aliases],
      account_birth_date: person?.birthDate ?? '',
    },
    document: document && {
      kind: document.kind,
      country: document.country,
      number_end: document.numberEnd,
      expires_on: document.expiresOn,
      is_expired: isExpired(document.expiresOn, today),
      has_front: Boolean(record?.frontBlob),
      has_back: Boolean(record?.backBlob),
    },
    has_selfie: Boolean(selfie?.frontBlob),
    agreement: await signatureOf(parts, tx, performerId),
    payout_country: application.payoutCountry,
    about: person?.about ?? '',
    languages: [...person?.languages ?? []],
    steps: [...application.steps].map(([step, view]) => ({ step, ...view })),
    decisions: decisions.map(({ reviewerId, verdict, note, at }) => ({
      reviewer: people.get(reviewerId)?.username ?? null,
      verdict,
      note,
      at: at.toISOString(),
    })),
    reviewers: rules.reviewers,
    legal_hold: application.legalHold,
    retain_until: application.retainUntil?.toISOString() ?? null,
  };
}

function pictureHandler(parts: IdentityParts): CallHandler {
  const { data, vault } = parts;
  return handleCall(getIdentityPicture)(async ({ id, picture, look: sealed }, context) => {
    const { scope, personId, refuse } = context;
    const look = lookOf(parts, sealed, context, id);
    if (!look) return refuse(lookMissing);
    const application = await data.tx(
      scope,
      (tx) => findApplication(tx, { id }, null),
    );
    const body = application && await vault.readPicture(scope, application.performerId, picture, {
      actorId: personId,
      reason: look.reason,
    });
    if (!body) return refuse(applicationUnknown);
    return { status: 200 as const, headers: { 'cache-control': 'private, no-store' }, body };
  });
}

const FAULTS = {
  own: ownApplication,
  not_waiting: applicationChanged,
  stale: applicationChanged,
  decided_before: decidedBefore,
  incomplete: decisionIncomplete,
} as const satisfies Record<DecisionFault, unknown>;

function decisionHandler(parts: IdentityParts): CallHandler {
  const { data, site } = parts;
  return handleCall(decideApplication)(async (input, context) => {
    const { scope, personId, refuse } = context;
    const { display_name: siteName } = await site.viewOf(scope);
    const link = site.linkOrigin(context.origin);
    return data.tx(scope, async (tx) => {
      const before = await findApplication(tx, { id: input.id }, null, true);
      if (!before) return refuse(applicationUnknown);
      if (before.performerId === personId) return refuse(ownApplication);
      const look = lookOf(parts, input.look, context, input.id);
      if (!look) return refuse(lookMissing);
      const steps: StepDecision[] = input.steps.map(({ step, accepted, reason = null, note }) => ({
        step,
        accepted,
        reason,
        note: accepted ? '' : cleanLines(note),
      }));
      const rules = await findRules(tx);
      const decision = { reviewerId: personId, handIn: look.handIn, secondLook: input.second_look, steps };
      const after = decide(before, decision, rules);
      if (typeof after === 'string') return refuse(FAULTS[after]);
      const verdict = verdictOf(decision);
      if (verdict === 'accept') {
        const fault = await faultOfFacts(parts, tx, before, { actorId: personId, reason: look.reason });
        if (fault) return refuse(fault);
      }
      const { performerId } = before;
      const decisionId = await insertDecision(tx, {
        applicationId: before.id,
        performerId,
        handIn: before.handIn,
        reviewerId: personId,
        verdict,
        steps,
        note: cleanLines(input.note),
      });
      await saveWorkflow(tx, before, after);
      await tx.audit({
        action: 'identity.decide',
        actorId: personId,
        subject: `person:${performerId}`,
        detail: { application: before.id, handIn: before.handIn, verdict, state: after.state },
      });
      const clearanceId = after.state === 'accepted'
        ? await clear(parts, tx, before, { decisionId, reviewerId: personId })
        : null;
      if (after.state === 'accepted' || after.state === 'rejected') {
        await tx.publish(applicationDecided, `person:${performerId}`, { performerId, state: after.state });
        // The performer's open pages show the state before this one.
        await tx.send(personChannel(performerId), refresh, {});
        await sendDecision(parts, tx, after, { site: siteName, link });
      }
      return { state: after.state, clearance_id: clearanceId };
    });
  });
}

/** Why stated facts cannot be accepted today, whatever a reviewer says; null when they can. */
async function faultOfFacts(
  { vault }: IdentityParts,
  tx: Tx,
  { performerId }: StoredApplication,
  reader: { readonly actorId: number; readonly reason: string },
): Promise<typeof acceptsTooYoung | typeof acceptsExpired | null> {
  const today = dayOf(tx.now);
  const who = await vault.readFacts(tx, performerId, 'who', reader);
  if (!who || !isOfAge(who.birthDate, today, await findRules(tx))) return acceptsTooYoung;
  const document = await vault.readFacts(tx, performerId, 'document', reader);
  return !document || isExpired(document.expiresOn, today) ? acceptsExpired : null;
}

/** Clears a performer, with the records that the reviewers saw as evidence. */
async function clear(
  { compliance, agreements }: IdentityParts,
  tx: Tx,
  { performerId, decisions, decisionIds }: StoredApplication,
  { decisionId, reviewerId }: { readonly decisionId: number; readonly reviewerId: number },
): Promise<number> {
  const clearanceId = await compliance.clear(tx, performerId, reviewerId, REASON);
  const idOf = async (kind: 'who' | 'document' | 'selfie'): Promise<number> => {
    const record = await findRecord(tx, performerId, kind);
    if (!record) throw new Error(`person ${performerId} was accepted without ${kind}`);
    return record.id;
  };
  const first = decisions.findIndex(({ verdict }) => verdict === 'accept');
  await insertEvidence(tx, { performerId, clearanceId }, {
    whoId: await idOf('who'),
    documentId: await idOf('document'),
    selfieId: await idOf('selfie'),
    agreement: await signatureOf({ agreements }, tx, performerId),
    decisionId,
    secondedId: decisionIds[first] ?? null,
  });
  return clearanceId;
}

/** Emails a performer the decision, and what to mend, in their language. */
async function sendDecision(
  { notices, text }: IdentityParts,
  tx: Tx,
  { performerId, state, steps }: Pick<StoredApplication, 'performerId' | 'state' | 'steps'>,
  { site, link }: { readonly site: string; readonly link: string },
): Promise<void> {
  const isAccepted = state === 'accepted';
  const reasonsIn = (locale: string): string =>
    [...steps].flatMap(([step, { reason }]) => (reason === null ? [] : [
      `– ${text(locale, `identity:steps.${step}.title`)}: ${reasonText(text, locale, reason)}`,
    ])).join('\n');
  await notices.sendTo(tx, performerId, {
    kind: isAccepted ? 'identity:mails.accepted' : 'identity:mails.rejected',
    locale: DEFAULT_LOCALE,
    values: (locale) => ({
      site,
      link: `${link}${isAccepted ? '/go-live' : '/models/signup'}`,
      ...(isAccepted ? {} : { reasons: reasonsIn(locale) }),
    }),
  });
}
