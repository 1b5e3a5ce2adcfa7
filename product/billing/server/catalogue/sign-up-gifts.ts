import { subscribe, type DeadlineHandler, type Subscription } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { personRegistered } from '#product/accounts/contract.ts';
import { emailConfirmed } from '#product/accounts/contract/life/email.ts';
import { accountChanged } from '#product/accounts/contract/life/username.ts';
import type { UserPart } from '#product/accounts/extension-points.ts';
import { heldTokensOf, holdGift, lockHeldTokens, markGiven } from '../../store/sign-up-gifts.ts';
import { giftOf, give, signUpGiftId } from '../callbacks/journal.ts';
import { configurationOf, type BillingDependencies } from '../dependencies.ts';

/** Kind of the deadline that retries gifts the marketing cap did not allow. */
const RETRY = 'billing.signUpGift';

/** The gift that the current user still waits for. */
export const heldPart: UserPart = {
  keys: ['free_tokens_on_hold'],
  read: async (tx, { id }) => ({ free_tokens_on_hold: await heldTokensOf(tx, id) }),
};

/**
 * Free tokens for new accounts while the operator promises some. They are on hold until the person confirms
 * their email address, because accounts without one cost nothing. Facts may arrive in any order.
 */
export class SignUpGifts {
  readonly #deps: BillingDependencies;

  constructor(deps: BillingDependencies) {
    this.#deps = deps;
  }

  get subscriptions(): Subscription[] {
    const { data } = this.#deps;
    return [
      subscribe(personRegistered, 'billing.holdSignUpGift')(({ operatorId, payload: { personId, type } }) =>
        data.tx({ operatorId }, async (tx) => {
          const { settings: { signUpTokens } } = await configurationOf(tx);
          if (type !== 'user' || signUpTokens === 0) return;
          await holdGift(tx, personId, signUpTokens);
          await this.#release(tx, personId);
          await tx.send(personChannel(personId), accountChanged, {});
        })
      ),
      subscribe(emailConfirmed, 'billing.giveSignUpGift')(({ operatorId, payload: { personId } }) =>
        data.tx({ operatorId }, async (tx) => {
          if (await this.#release(tx, personId)) await tx.send(personChannel(personId), accountChanged, {});
        })
      ),
    ];
  }

  get deadlineHandlers(): DeadlineHandler[] {
    return [{
      kind: RETRY,
      handle: ({ operatorId, key }) =>
        this.#deps.data.tx({ operatorId }, async (tx) => {
          await this.#release(tx, Number(key));
        }),
    }];
  }

  /** Gives held tokens to a person with a confirmed address; false if nothing changes. */
  async #release(tx: Tx, personId: number): Promise<boolean> {
    const tokens = await lockHeldTokens(tx, personId);
    if (tokens === 0 || !(await this.#deps.accounts.isEmailConfirmed(tx, personId))) return false;
    const gift = giftOf(signUpGiftId(personId), personId, tokens, 'sign_up');
    if (!(await give(tx, this.#deps.ledger, gift))) {
      await tx.schedule({ kind: RETRY, key: String(personId), at: new Date(tx.now.getTime() + DAY_MS) });
      return false;
    }
    await markGiven(tx, personId);
    return true;
  }
}
