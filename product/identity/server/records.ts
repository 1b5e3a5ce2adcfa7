import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import type { ClosingPart } from '#product/accounts/extension-points.ts';
import {
  applicationUnknown,
  getIdentityRules,
  holdRecords,
  inspect,
  ownApplication,
  saveIdentityRules,
} from '../contract/review.ts';
import { HOLD_RECHECK_MS, MAX_MATCHES, retainUntil, type OperatorRules } from '../rules.ts';
import {
  applicationsOf,
  findApplication,
  findRules,
  performersNamed,
  saveCeased,
  saveHold,
  saveRules,
} from '../store.ts';
import { hasEvidence } from '../store/evidence.ts';
import type { IdentityParts } from './dependencies.ts';

/** The end of retention of one performer's records; its key is the performer's id. */
const RETENTION = 'identity.retention';

const rulesView = ({ requiresEvidence, reviewers, minimumAge }: OperatorRules) => ({
  requires_evidence: requiresEvidence,
  reviewers,
  minimum_age: minimumAge,
});

/** The operator's rules, inspections, and legal holds. */
export function recordHandlers(parts: IdentityParts): CallHandler[] {
  const { data, accounts, vault } = parts;
  return [
    handleCall(getIdentityRules)((_input, { scope }) =>
      data.tx(scope, async (tx) => rulesView(await findRules(tx)))
    ),
    handleCall(saveIdentityRules)(({ reason, ...asked }, { scope, personId }) =>
      data.tx(scope, async (tx) => {
        const rules = {
          requiresEvidence: asked.requires_evidence,
          reviewers: asked.reviewers,
          minimumAge: asked.minimum_age,
        };
        await saveRules(tx, rules);
        await tx.audit({
          action: 'identity.saveRules',
          actorId: personId,
          subject: 'identity',
          reason,
          detail: { ...asked },
        });
        return rulesView(rules);
      })
    ),
    handleCall(holdRecords)(({ id, hold, reason }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const application = await findApplication(tx, { id }, null, true);
        if (!application) return refuse(applicationUnknown);
        if (application.performerId === personId) return refuse(ownApplication);
        const { performerId, retainUntil: until } = application;
        await saveHold(tx, id, hold);
        if (!hold) await vault.dropReplaced(tx, performerId);
        if (!hold && until !== null) await scheduleErasure(tx, performerId, until > tx.now ? until : tx.now);
        await tx.audit({
          action: hold ? 'identity.hold' : 'identity.release',
          actorId: personId,
          subject: `person:${performerId}`,
          reason,
        });
        return { status: 1 as const, legal_hold: hold };
      })
    ),
    handleCall(inspect)(({ name, reason }, { scope, personId }) =>
      data.tx(scope, async (tx) => {
        const known = await accounts.findByUsername(tx, normalizeUsername(name));
        const named = await performersNamed(tx, vault.digestOf(tx, name), MAX_MATCHES);
        const ids = [...new Set([...known?.type === 'model' ? [known.id] : [], ...named])];
        await tx.audit({
          action: 'identity.inspect',
          actorId: personId,
          subject: 'identity',
          reason,
          detail: { performers: ids },
        });
        const [people, applications] = [await accounts.findMany(tx, ids), await applicationsOf(tx, ids)];
        return {
          matches: ids.flatMap((id) => {
            const person = people.get(id);
            const application = applications.get(id);
            return person
              ? [{
                id: application?.id ?? null,
                username: person.username,
                display_name: person.displayName,
                state: application?.state ?? null,
              }]
              : [];
          }),
        };
      })
    ),
  ];
}

const scheduleErasure = (tx: Tx, performerId: number, at: Date): Promise<void> =>
  tx.schedule({ kind: RETENTION, key: String(performerId), at });

const recheckAt = (tx: Tx): Date => new Date(tx.now.getTime() + HOLD_RECHECK_MS);

/**
 * When an account ends, records of somebody who was never cleared are due at once. Those of a performer stay
 * for the years that the law asks for. A legal hold keeps either for as long as it lasts.
 */
export const closing = ({ vault }: IdentityParts): ClosingPart => ({
  keys: [],
  consequences: async () => ({}),
  settled: async (tx, performerId) => {
    const application = await findApplication(tx, { performerId }, null, true);
    if (!application) return;
    const until = await hasEvidence(tx, performerId) ? retainUntil(tx.now) : tx.now;
    await saveCeased(tx, performerId, until);
    if (until > tx.now) await scheduleErasure(tx, performerId, until);
    else if (application.legalHold) await scheduleErasure(tx, performerId, recheckAt(tx));
    else await vault.erase(tx, performerId);
  },
});

export const retentionDeadline = (parts: IdentityParts): DeadlineHandler => ({
  kind: RETENTION,
  handle: ({ operatorId, key }) =>
    parts.data.tx({ operatorId }, async (tx) => {
      const performerId = Number(key);
      const application = await findApplication(tx, { performerId }, null, true);
      if (!application?.retainUntil || application.retainUntil > tx.now) return;
      if (application.legalHold) {
        await scheduleErasure(tx, performerId, recheckAt(tx));
      } else await parts.vault.erase(tx, performerId);
    }),
});
