import type { Tx } from '#platform/data/data.ts';
import { rowsOf } from './rows.ts';

/** Tries to write a broadcast past every rule of the program, as a bug could. */
export const smugglesBroadcast = (
  tx: Tx,
  { performerId, clearanceId }: { readonly performerId: number; readonly clearanceId: number },
): Promise<unknown> =>
  rowsOf(
    tx,
    `insert into broadcast.broadcasts
       (performer_id, clearance_id, stream, phase, publish_session, published_with, protocol, made_at,
        started_at)
     values (${performerId}, ${clearanceId}, 'smuggled', 'online', 'x', 'stream_key', 'whip', now(), now())`,
  );
