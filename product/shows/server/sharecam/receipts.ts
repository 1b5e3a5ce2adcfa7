import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { pageOf } from '#platform/data/paging.ts';
import { getSharecamReceipts } from '../../contract/sharecam.ts';
import { RECEIPTS_PAGE } from '../../rules/private.ts';
import { findSharecamReceipts } from '../../store/sharecams.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { namesOf } from '../private/views.ts';
import { sharecamReceipt } from './views.ts';

/** Receipts of paid cameras, for the viewer and the performer. */
export const sharecamReceiptsHandler = (
  { data, accounts }: Pick<ShowsDependencies, 'data' | 'accounts'>,
): CallHandler =>
  handleCall(getSharecamReceipts)(async ({ before }, context) =>
    data.tx(context.scope, async (tx) => {
      const found = await findSharecamReceipts(tx, context.personId, before ?? null);
      const { page: rows, next } = pageOf(found, RECEIPTS_PAGE);
      const nameOf = await namesOf(accounts, tx, rows.flatMap((row) => [row.viewer_id, row.performer_id]));
      return {
        receipts: rows.map((row) => sharecamReceipt(row, nameOf)),
        next,
      };
    })
  );
