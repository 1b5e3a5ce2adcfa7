import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { cleanLines } from '#platform/text/clean-text.ts';
import { accountChanged } from '#product/accounts/contract/life/username.ts';
import { DEFAULT_LOCALE } from '#product/site/rules.ts';
import {
  askSupport,
  checkUnavailable,
  decideSupportCheck,
  listSupportChecks,
  ownSupportCheck,
  supportCheckUnknown,
  tooManyAttempts,
  type SupportCheckView,
} from '../contract.ts';
import { acceptedChecks, DECIDED_MS, SUPPORT_LIVENESS, SUPPORT_PAGE } from '../rules.ts';
import {
  decideSupport,
  deleteSupportCheck,
  findSupportCheck,
  insertSupportCheck,
  supportChecks,
  type SupportCheck,
} from '../store.ts';
import { validityOf, type Attempts } from './attempts.ts';
import { checksOf, type AgeChecksDependencies } from './dependencies.ts';

/** Kind of the deadline that deletes a decided request. */
const DROP = 'age-checks.dropSupportCheck';
const BY_SUPPORT = {
  kind: 'support',
  liveness: SUPPORT_LIVENESS,
  isAnonymous: false,
  provesAge: 120,
} as const;

/** Requests to support, and the decisions about them. */
export class SupportChecks {
  readonly #deps: AgeChecksDependencies;
  readonly #attempts: Attempts;

  constructor(deps: AgeChecksDependencies, attempts: Attempts) {
    this.#deps = deps;
    this.#attempts = attempts;
  }

  get deadlineHandlers(): DeadlineHandler[] {
    return [{
      kind: DROP,
      handle: ({ operatorId, key }) =>
        this.#deps.data.tx({ operatorId }, (tx) => deleteSupportCheck(tx, Number(key))),
    }];
  }

  get callHandlers(): CallHandler[] {
    const { compliance, data, notices, site } = this.#deps;
    return [
      handleCall(askSupport)(async ({ message }, { scope, personId, region, refuse }) => {
        const policy = compliance.policyOf(scope, region);
        const isAccepted = acceptedChecks(policy, checksOf(this.#deps, scope))
          .some(({ kind }) => kind === 'support');
        if (!isAccepted) return refuse(checkUnavailable);
        const isNew = await data.tx(scope, async (tx) => {
          await tx.send(personChannel(personId), accountChanged, {});
          return insertSupportCheck(tx, {
            personId,
            message: cleanLines(message),
            minimumAge: policy.minimumAge,
            validSeconds: validityOf(policy).validSeconds,
          });
        });
        return isNew ? { status: 1 as const } : refuse(tooManyAttempts);
      }),
      handleCall(listSupportChecks)(({ decided = false, before }, { scope }) =>
        data.read(scope, async (tx) => {
          const found = await supportChecks(tx, { isDecided: decided, before: before ?? null });
          const { page, next } = pageOf(found, SUPPORT_PAGE);
          return { checks: await this.#views(tx, page), next };
        })
      ),
      handleCall(decideSupportCheck)(async ({ id, decision, reason }, context) => {
        const { scope, personId, refuse } = context;
        const { display_name: siteName } = await site.viewOf(scope);
        const link = `${site.linkOrigin(context.origin)}/verify-age`;
        const outcome = await data.tx(scope, async (tx) => {
          const check = await findSupportCheck(tx, id);
          if (!check || check.decision !== null) return supportCheckUnknown;
          if (check.personId === personId) return ownSupportCheck;
          const isVerified = decision === 'verify';
          await decideSupport(tx, id, isVerified ? 'verified' : 'refused', personId);
          if (isVerified) {
            const whose = { personId: check.personId, validSeconds: check.validSeconds, isVisit: false };
            await this.#attempts.storeProof(tx, whose, BY_SUPPORT, BY_SUPPORT.kind, check.minimumAge);
          }
          await tx.schedule({ kind: DROP, key: String(id), at: new Date(tx.now.getTime() + DECIDED_MS) });
          await tx.audit({
            action: isVerified ? 'age-checks.verify' : 'age-checks.refuse',
            actorId: personId,
            subject: `person:${check.personId}`,
            reason,
            detail: { supportCheckId: id },
          });
          await notices.sendTo(tx, check.personId, {
            kind: isVerified ? 'age-checks:mails.verified' : 'age-checks:mails.refused',
            locale: DEFAULT_LOCALE,
            values: () => ({ site: siteName, link }),
          });
          await tx.send(personChannel(check.personId), accountChanged, {});
          const decided = await findSupportCheck(tx, id);
          return decided ? this.#views(tx, [decided]) : supportCheckUnknown;
        });
        if ('code' in outcome) return refuse(outcome);
        const [view] = outcome;
        return view ?? refuse(supportCheckUnknown);
      }),
    ];
  }

  async #views(tx: Tx, checks: readonly SupportCheck[]): Promise<SupportCheckView[]> {
    const ids = checks.flatMap(({ personId, decidedBy }) => [personId, decidedBy ?? personId]);
    const people = await this.#deps.accounts.findMany(tx, [...new Set(ids)]);
    return checks.map((check) => ({
      id: check.id,
      username: people.get(check.personId)?.username ?? '',
      message: check.message,
      asked_at: check.askedAt.toISOString(),
      minimum_age: check.minimumAge,
      decision: check.decision,
      decided_at: check.decidedAt?.toISOString() ?? null,
      decided_by: people.get(check.decidedBy ?? 0)?.username ?? null,
    }));
  }
}
