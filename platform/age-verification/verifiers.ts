import type { Outside } from '#platform/payments/biller.ts';
import { z } from 'zod';
import type { AgeVerifier } from './age-verifier.ts';
import { IncodeAccount, incodeVerifier } from './incode.ts';
import { YotiAccount, yotiVerifier } from './yoti.ts';

/** An operator's accounts at providers of age verification; a missing one is not offered. */
export const AgeAccounts = z.strictObject({
  yoti: YotiAccount.optional(),
  incode: IncodeAccount.optional(),
});
export type AgeAccounts = z.infer<typeof AgeAccounts>;

/** The providers with an account, in the order in which they are offered. */
export const verifiersFor = ({ yoti, incode }: AgeAccounts, outside: Outside): readonly AgeVerifier[] => [
  ...(yoti ? [yotiVerifier(yoti, outside)] : []),
  ...(incode ? [incodeVerifier(incode, outside)] : []),
];
