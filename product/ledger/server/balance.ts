import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Data } from '#platform/data/data.ts';
import { dayOf } from '#platform/time/days.ts';
import { demoGrantUnavailable, demoGrantUsed, getBalance, marketingCap, takeDemoGrant } from '../contract.ts';
import { DEMO_GRANT_TOKENS, DEMO_GRANTS_PER_DAY } from '../rules.ts';
import { balanceOf, countDemoGrant, isPosted, lockDemoGrants } from '../store.ts';
import { grantOperation, operationId, post } from './journal/posting.ts';

/** The person's own balance, and free tokens on demo sites. */
export function balanceHandlers(data: Data, demo: boolean): CallHandler[] {
  return [
    handleCall(getBalance)(async (_input, { scope, personId }) => ({
      tokens: await data.tx(scope, (tx) => balanceOf(tx, personId)),
    })),
    handleCall(takeDemoGrant)(async (_input, { scope, personId, idempotencyKey, refuse }) => {
      if (!demo) return refuse(demoGrantUnavailable);
      if (idempotencyKey === null) throw new Error('the host demands an Idempotency-Key');
      const id = operationId(personId, takeDemoGrant.name, idempotencyKey);
      return data.tx(scope, async (tx) => {
        const day = dayOf(tx.now);
        // The lock makes concurrent requests count one by one; a repeated request does not count again.
        const taken = await lockDemoGrants(tx, personId, day);
        if (!(await isPosted(tx, id))) {
          if (taken >= DEMO_GRANTS_PER_DAY) return refuse(demoGrantUsed);
          const [outcome] = await post(tx, [
            grantOperation(id, 'demo_grant', personId, DEMO_GRANT_TOKENS, 'demo'),
          ]);
          if (outcome?.status === 'marketing_cap') return refuse(marketingCap);
          await countDemoGrant(tx, personId, day);
        }
        return { status: 1, granted: DEMO_GRANT_TOKENS, tokens: await balanceOf(tx, personId) } as const;
      });
    }),
  ];
}
