import type { z } from 'zod';
import { required } from '../../platform/contract/extension-point.ts';
import type { Tx } from '../../platform/data/data.ts';
import type { CurrentUserAnswer, CurrentUserView } from './contract.ts';

export const balance = required.single<(tx: Tx, personId: number) => Promise<number>>({
  name: 'accounts.balance', description: 'Tokens that GET /user/current shows.',
});

/** The age and identity fields of GET /user/current. */
export type Verification = (tx: Tx, personId: number, region: string) => Promise<
  Pick<CurrentUserView, 'compliance_status' | 'ageVerification' | 'identity_confirmed'>
>;
export const verification = required.single<Verification>({
  name: 'accounts.verification', description: 'Age and identity, as GET /user/current shows them.',
});

/** The purchase fields of GET /user/current. */
export type Purchases = (tx: Tx, personId: number) => Promise<{
  readonly user: Pick<CurrentUserView, 'membership' | 'lastLoginCountryPurchaseBlocked' | 'vault_wheel'>;
  readonly purchases: PurchaseFields;
}>;
export type PurchaseFields = Pick<
  z.infer<typeof CurrentUserAnswer>,
  'has_cc' | 'has_purchase' | 'premium_winback_offer' | 'premium_grandfathered_offer'
> & { readonly postpay: boolean };
export const purchases = required.single<Purchases>({
  name: 'accounts.purchases',
  description: 'Membership, purchases and offers of a person, as GET /user/current shows them.',
});

/** Whether a text has a word that the operator blocked. */
export const blockedWords = required.single<(tx: Tx, text: string) => Promise<boolean>>({
  name: 'accounts.blockedWords',
  description: 'Whether what people write of themselves has a word that the operator blocked.',
});
