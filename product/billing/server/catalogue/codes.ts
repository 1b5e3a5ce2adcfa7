import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { pageOf } from '#platform/data/paging.ts';
import type { z } from 'zod';
import {
  changePromoCode,
  codeTaken,
  codeTimes,
  createPromoCode,
  listPromoCodes,
  stopPromoCode,
  type PromoCodeView,
} from '../../contract/operator.ts';
import { promoCodeUnknown } from '../../contract/promos.ts';
import { ADMIN_PAGE } from '../../rules.ts';
import {
  FREE_TOKENS_CODE,
  freeTokensCode,
  isRedeemable,
  normalizeCode,
  type PromoCode,
} from '../../rules/promos.ts';
import { changeCode, findCode, findCodes, insertCode, lockCode } from '../../store/promos.ts';
import { noteChange, type Change } from '../admin/changes.ts';
import type { BillingDependencies } from '../dependencies.ts';

const viewOf = (code: PromoCode, now: Date): z.infer<typeof PromoCodeView> => ({
  code: code.code,
  tokens: code.tokens,
  starts_at: code.startsAt.toISOString(),
  ends_at: code.endsAt?.toISOString() ?? null,
  max_uses: code.maxUses,
  uses: code.uses,
  running: isRedeemable(code, now),
});

/** A code as in the audit log. */
const audited = (
  { tokens, startsAt, endsAt, maxUses }: Omit<PromoCode, 'code' | 'uses'>,
): Change['before'] => ({ tokens, startsAt, endsAt, maxUses });

/** Promo codes: created, limited, stopped, never deleted. */
export const codeHandlers = ({ data }: BillingDependencies): CallHandler[] => [
  handleCall(listPromoCodes)(({ before }, { scope }) =>
    data.tx(scope, async (tx) => {
      const found = await findCodes(tx, before ?? Number.MAX_SAFE_INTEGER, ADMIN_PAGE + 1);
      const { page, next } = pageOf(found, ADMIN_PAGE, (row) => row.nr);
      const codes = page.map((code) => viewOf(code, tx.now));
      // The default code is active from the start, without a row.
      const known = before !== undefined || (await findCode(tx, FREE_TOKENS_CODE)) !== null;
      return {
        codes: known ? codes : [viewOf({ ...freeTokensCode(tx.now), uses: 0 }, tx.now), ...codes],
        next,
      };
    })
  ),
  handleCall(createPromoCode)((input, { scope, personId, refuse }) =>
    data.tx(scope, async (tx) => {
      const code = {
        code: normalizeCode(input.code),
        tokens: input.tokens,
        maxUses: input.max_uses,
        startsAt: input.starts_at === undefined ? tx.now : new Date(input.starts_at),
        endsAt: input.ends_at === null ? null : new Date(input.ends_at),
      };
      if (code.endsAt !== null && code.endsAt <= code.startsAt) return refuse(codeTimes);
      if (!(await insertCode(tx, code))) return refuse(codeTaken);
      await noteChange(tx, {
        action: createPromoCode.name,
        actorId: personId,
        reason: input.reason,
        what: code.code,
        before: {},
        after: audited(code),
      });
      return { code: viewOf({ ...code, uses: 0 }, tx.now) };
    })
  ),
  handleCall(changePromoCode)((input, { scope, personId, refuse }) =>
    data.tx(scope, async (tx) => {
      const name = normalizeCode(input.code);
      if (name === FREE_TOKENS_CODE) await insertCode(tx, freeTokensCode(tx.now));
      const before = await lockCode(tx, name);
      if (!before) return refuse(promoCodeUnknown);
      const change = {
        maxUses: input.max_uses,
        endsAt: input.ends_at === null ? null : new Date(input.ends_at),
      };
      const isShort = change.maxUses !== null && change.maxUses < before.uses;
      if (isShort || (change.endsAt !== null && change.endsAt <= before.startsAt)) return refuse(codeTimes);
      await changeCode(tx, name, change);
      const after = { ...before, ...change };
      await noteChange(tx, {
        action: changePromoCode.name,
        actorId: personId,
        reason: input.reason,
        what: name,
        before: audited(before),
        after: audited(after),
      });
      return { code: viewOf(after, tx.now) };
    })
  ),
  handleCall(stopPromoCode)((input, { scope, personId, refuse }) =>
    data.tx(scope, async (tx) => {
      const name = normalizeCode(input.code);
      if (name === FREE_TOKENS_CODE) await insertCode(tx, freeTokensCode(tx.now));
      const before = await lockCode(tx, name);
      if (!before) return refuse(promoCodeUnknown);
      // A code that ended already retains its end.
      const endsAt = before.endsAt !== null && before.endsAt < tx.now ? before.endsAt : tx.now;
      await changeCode(tx, name, { endsAt });
      await noteChange(tx, {
        action: stopPromoCode.name,
        actorId: personId,
        reason: input.reason,
        what: name,
        before: audited(before),
        after: audited({ ...before, endsAt }),
      });
      return { code: viewOf({ ...before, endsAt }, tx.now) };
    })
  ),
];
