import { subscribe, type Slice } from '#platform/contract/bind.ts';
import { implement } from '#platform/contract/extension-point.ts';
import { storedRemoval } from '#platform/data/blobs.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { personRegistered } from '#product/accounts/contract.ts';
import { becamePerformer } from '#product/accounts/contract/performing.ts';
import { closingPart, personalData, userPart } from '#product/accounts/extension-points.ts';
import { clearanceRevoked } from '#product/compliance/contract.ts';
import { clearanceEvidence } from '#product/compliance/extension-points.ts';
import { blobNames } from '#product/site/extension-points.ts';
import type { OperatorRules } from './rules.ts';
import { reopen } from './rules/workflow.ts';
import { applicationHandlers, rejectReasonOf } from './server/applications.ts';
import type { IdentityDependencies, IdentityParts } from './server/dependencies.ts';
import { closing, recordHandlers, retentionDeadline } from './server/records.ts';
import { reviewHandlers } from './server/review.ts';
import { evidenceOf } from './server/status.ts';
import { Vault, VAULT_REMOVAL } from './server/vault.ts';
import { beginApplication, findApplication, saveRules, saveWorkflow } from './store.ts';
import { insertEvidence } from './store/evidence.ts';
import { ownRows } from './store/own-rows.ts';
import { vaultBlobs } from './store/vault.ts';

export interface IdentityService {
  /** Gives a clearance the evidence `seed`: for people who do not exist, in the demo and in tests. */
  readonly seedEvidence: (tx: Tx, performerId: number, clearanceId: number) => Promise<void>;
  /** Sets what the operator asks of performers, without HTTP. */
  readonly setRules: (tx: Tx, rules: OperatorRules) => Promise<void>;
  /** Wraps data keys that a former secret wrapped with the present one; returns how many. */
  readonly wrapAgain: (scope: OperatorScope) => Promise<number>;
}

/** Performers' identity: documents in a vault, their review, and the evidence that going live needs. */
export function identitySlice(deps: IdentityDependencies): Slice<IdentityService> {
  const { data, blobs, secret, formerSecrets = [], site } = deps;
  const vault = new Vault({ data, blobs, secret, formerSecrets });
  const parts: IdentityParts = { ...deps, vault };
  return {
    name: 'identity',
    service: {
      seedEvidence: (tx, performerId, clearanceId) =>
        insertEvidence(tx, { performerId, clearanceId }, 'seed'),
      setRules: saveRules,
      wrapAgain: (scope) => vault.wrapAgain(scope),
    },
    extensions: [
      implement(personalData, ownRows),
      implement(blobNames, () => vaultBlobs),
      implement(closingPart, closing(parts)),
      implement(clearanceEvidence, evidenceOf(parts)),
      implement(userPart, {
        keys: ['compliance_reject_reason'],
        read: async (
          tx,
          { id, type },
          viewed,
        ) => (type === 'model'
          ? { compliance_reject_reason: await rejectReasonOf(parts, tx, id, viewed) }
          : {}),
      }),
    ],
    callHandlers: [...applicationHandlers(parts), ...reviewHandlers(parts), ...recordHandlers(parts)],
    deadlineHandlers: [storedRemoval(VAULT_REMOVAL, blobs), retentionDeadline(parts)],
    subscriptions: [
      subscribe(personRegistered, 'identity.begin')(async ({ operatorId, payload: { type, personId } }) => {
        if (type === 'model') await data.tx({ operatorId }, (tx) => beginApplication(tx, personId));
      }),
      subscribe(becamePerformer, 'identity.beginMember')(({ operatorId, payload: { personId } }) =>
        data.tx({ operatorId }, (tx) => beginApplication(tx, personId))
      ),
      subscribe(clearanceRevoked, 'identity.clearanceEnded')(({ operatorId, payload: { performerId } }) =>
        data.tx({ operatorId }, async (tx) => {
          // It ran out; whose clearance an admin revoked stays as they are.
          if (!(await deps.compliance.isPending(tx, performerId))) return;
          const before = await findApplication(tx, { performerId }, null, true);
          if (before?.state !== 'accepted') return;
          await vault.retire(tx, before, 'document');
          await vault.retire(tx, before, 'selfie');
          await saveWorkflow(tx, before, reopen(before));
        })
      ),
    ],
    start: async () => {
      for (const operatorId of await site.operators()) await vault.wrapAgain({ operatorId });
    },
  };
}
