import { z } from 'zod';
import { call } from '../../platform/contract/call.ts';
import { event } from '../../platform/contract/event.ts';
import { fact } from '../../platform/contract/fact.ts';
import { hostRefusals, refusal } from '../../platform/contract/refusal.ts';
import { ageVerificationRequired } from '../compliance/contract.ts';
import { MAX_APP_DATA_FIELDS, MAX_TIP_COMMENT_LENGTH, MAX_TIP_TOKENS, MIN_TIP_TOKENS } from './rules.ts';

const slice = 'tips';
export const notEnoughTokens = refusal({
  slice, code: 'not_enough_tokens', kind: 'funds',
  description: 'The balance is below the amount. Opens the purchase.',
});
export const receiverUnknown = refusal({
  slice, code: 'receiver_unknown', kind: 'absent', description: 'There is no such performer for this viewer.',
});
export const ownTip = refusal({
  slice, code: 'own_tip', kind: 'denied', description: 'Nobody tips themselves.',
});
export const receiverMissing = refusal({
  slice, code: 'receiver_missing', kind: 'invalid', description: 'The target username is empty.',
});

export const sendTip = call({
  name: 'tips.sendTip', method: 'POST', path: '/tip/:username', access: 'member', credential: 'cookie',
  idempotency: 'required',
  input: z.object({
    username: z.string().max(64),
    amount: z.int().min(MIN_TIP_TOKENS).max(MAX_TIP_TOKENS),
    app_data: z.record(z.string().max(40), z.union([z.string().max(200), z.number(), z.boolean()]))
      .refine((fields) => Object.keys(fields).length <= MAX_APP_DATA_FIELDS).optional(),
    comment: z.string().max(MAX_TIP_COMMENT_LENGTH).optional(),
    source_id: z.string().max(64).optional(),
    type: z.string().max(32).optional(),
    vr: z.boolean().optional(),
  }),
  output: z.object({
    status: z.literal(1), errorType: z.null(), error: z.null(),
    tip_id: z.string(), amount: z.int(), tokens: z.int(),
  }),
  refusals: [
    notEnoughTokens, receiverUnknown, ownTip, receiverMissing, ageVerificationRequired,
    hostRefusals.keyReused,
  ],
  limit: { points: 300, seconds: 60, per: 'caller' },
  summary: 'Tip a performer',
  description: 'Takes whole tokens from the viewer and gives the performer their share, exactly once per '
    + 'Idempotency-Key. `tokens` is the balance after.',
  requirements: ['A-348', 'A-230', 'A-008'],
});

export const tipReceived = event({
  name: 'v3.tip.received', socket: 'both', from: 'server',
  shape: z.object({
    tip_id: z.string(), tokens: z.int(), receiver_name: z.string(), sender_name: z.string(), type: z.string(),
    comment: z.string(),
  }),
  description: 'A tip arrived: to both people in every tab, and to the room. A socket may hear it twice: '
    + 'drop the `tip_id` you have.',
  requirements: ['B-006'],
});

export const tipPaid = fact({
  name: 'tips.received',
  shape: z.object({
    tipId: z.string(), senderId: z.int(), senderName: z.string(),
    receiverId: z.int(), receiverName: z.string(),
    tokens: z.int(), comment: z.string(), type: z.string(),
  }),
  description: 'A tip was posted in the ledger.',
});
