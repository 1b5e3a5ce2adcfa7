import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import { getPending } from '../../contract/pending.ts';
import { pendingPart, type AddedPending } from '../../extension-points.ts';
import { hasOpenCardCheck } from '../../store/orders.ts';
import type { BillingDependencies } from '../dependencies.ts';

const NOTHING_ADDED: AddedPending = {
  aj_media_rejected: 0,
  custom_media: 0,
  dickrating_requests: 0,
  snapchat_sale: 0,
  streaming_partners: 0,
};

/** Things that wait for a person: a card check, and what later slices count. */
export const pendingHandler = (
  { data, extensions }: BillingDependencies & { readonly extensions: Extensions },
): CallHandler =>
  handleCall(getPending)((_input, { scope, personId }) =>
    data.tx(scope, async (tx) => {
      const added = { ...NOTHING_ADDED };
      for (const part of extensions.all(pendingPart)) Object.assign(added, await part.read(tx, personId));
      return { ...added, cc_verification: (await hasOpenCardCheck(tx, personId)) ? 1 : 0 };
    })
  );
