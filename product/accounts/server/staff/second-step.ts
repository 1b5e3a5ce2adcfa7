import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Data } from '#platform/data/data.ts';
import type { SiteService } from '#product/site/server.ts';
import { personUnknown } from '../../contract/life/people.ts';
import {
  ownStepNeeded,
  resetSecondStep,
  stepChanged,
  stepResetRefused,
} from '../../contract/staff-second-step.ts';
import { mayResetStep } from '../../rules/staff/roles.ts';
import { findById, lockPerson } from '../../store.ts';
import { hasOtherAdmin } from '../../store/life/deletion.ts';
import { steppedAtOf } from '../../store/sessions.ts';
import { deleteSecondStep, secondStepSince } from '../../store/two-factor.ts';
import { publishStep, stillIn } from '../credentials/ways-in.ts';
import type { AccountEmails } from '../emails.ts';
import { accountNamed, viewIn } from '../life/people.ts';
import type { Recovery } from '../recovery/recovery.ts';

export interface StepResetParts {
  readonly data: Data;
  readonly site: Pick<SiteService, 'viewOf'>;
  readonly recovery: Pick<Recovery, 'end'>;
  readonly emails: Pick<AccountEmails, 'secondStepReset'>;
}

/** Resets the second step of staff who lost theirs; only staff who could take their roles may do it. */
export const stepResetHandlers = ({ data, site, recovery, emails }: StepResetParts): CallHandler[] => [
  handleCall(resetSecondStep)(async ({ username, step, reason }, context) => {
    const { display_name: siteName } = await site.viewOf(context.scope);
    const outcome = await data.tx(context.scope, async (tx) => {
      const found = await accountNamed(tx, username);
      if (!found) return personUnknown;
      const person = await lockPerson(tx, found.id);
      // Of two who reset each other's step, the second waits here, and is then logged out.
      await hasOtherAdmin(tx, found.id);
      await stillIn(tx, context);
      const caller = await findById(tx, context.personId);
      const mayAct = caller !== null && caller.inactiveSince === null;
      const roles = mayAct ? caller.roles.filter((role) => context.caller.roles.includes(role)) : [];
      if (!mayResetStep({ personId: caller?.id ?? null, roles }, person)) return stepResetRefused;
      if ((await steppedAtOf(tx, context.caller.sessionId)) === null) return ownStepNeeded;
      if ((await secondStepSince(tx, person.id))?.toISOString() !== step) return stepChanged;
      await deleteSecondStep(tx, person.id);
      // The person who asked for it may be an intruder, so everything handed out before ends.
      await recovery.end(tx, person.id);
      await tx.audit({
        action: resetSecondStep.name,
        actorId: context.personId,
        subject: `person:${person.id}`,
        reason,
        detail: { step },
      });
      const after = await lockPerson(tx, person.id);
      await publishStep(tx, after);
      await emails.secondStepReset(tx, after, context, siteName);
      return viewIn(tx, after, context.caller);
    });
    return 'code' in outcome ? context.refuse(outcome) : outcome;
  }),
];
