import { hostRefusals, refusal } from '#platform/contract/refusal.ts';
import { suspended } from '#product/accounts/contract.ts';
import { clearanceMissing, hiddenNow } from '#product/compliance/contract.ts';

const slice = 'broadcast';
export const adminMissing = refusal({
  slice,
  code: 'admin_missing',
  kind: 'denied',
  description: 'Nobody could act as an admin of this site: nothing is broadcast until somebody can.',
});
export const emailUnconfirmed = refusal({
  slice,
  code: 'email_unconfirmed',
  kind: 'denied',
  description: 'The performer has not confirmed their email address. `GET /user/resend_email` sends the link '
    + 'again.',
});

/** Why a performer may not publish now, whether from a page or from an encoder. */
export const NOT_ADMITTED = [
  suspended,
  hostRefusals.twoFactorRequired,
  adminMissing,
  emailUnconfirmed,
  clearanceMissing,
  hiddenNow,
] as const;

/** Refuses an encoder that reconnects by itself after the performer has ended its broadcast on the page. */
export const encoderEnded = refusal({
  slice: 'broadcast',
  code: 'encoder_ended',
  kind: 'conflict',
  description: 'You ended this broadcast. Stop and start your encoder.',
});
