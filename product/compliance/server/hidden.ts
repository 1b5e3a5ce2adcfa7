import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { getHidden, hideMe, performerHidden, performerShown, showMe } from '../contract.ts';
import { hiddenSince, saveHidden } from '../store.ts';

async function viewOf(tx: Tx, performerId: number) {
  const since = await hiddenSince(tx, performerId);
  return { hidden: since !== null, since: since?.toISOString() ?? null };
}

/** Calls by which performers hide themselves from everybody, and show themselves again. */
export function hiddenHandlers(data: Data): CallHandler[] {
  const change = ({ scope, caller }: CallContext, isHidden: boolean) =>
    data.tx(scope, async (tx) => {
      const { personId, username } = caller;
      if (personId === null || username === null) throw new Error('a performer call has no person');
      if (await saveHidden(tx, personId, isHidden)) {
        await tx.publish(isHidden ? performerHidden : performerShown, `performer:${personId}`, {
          performerId: personId,
          username,
        });
        await tx.audit({
          action: isHidden ? 'compliance.hide' : 'compliance.show',
          actorId: personId,
          subject: `person:${personId}`,
        });
      }
      return viewOf(tx, personId);
    });
  return [
    handleCall(getHidden)((_input, { scope, personId }) => data.tx(scope, (tx) => viewOf(tx, personId))),
    handleCall(hideMe)((_input, context) => change(context, true)),
    handleCall(showMe)((_input, context) => change(context, false)),
  ];
}
