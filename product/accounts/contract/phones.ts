import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';

const slice = 'accounts';
export const smsAbsent = refusal({
  slice,
  code: 'sms_absent',
  kind: 'absent',
  description: 'This site sends no text messages.',
});
export const phoneMissing = refusal({
  slice,
  code: 'phone_missing',
  kind: 'conflict',
  description: 'The setting `phone` has no number.',
});
export const phoneConfirmed = refusal({
  slice,
  code: 'phone_confirmed',
  kind: 'conflict',
  description: 'The number is confirmed already.',
});
export const phoneCodesLimited = refusal({
  slice,
  code: 'phone_codes_limited',
  kind: 'limited',
  description: 'Enough codes were sent for this person, number or address; `Retry-After` says when to come '
    + 'back.',
});
export const phoneCodeWrong = refusal({
  slice,
  code: 'phone_code_wrong',
  kind: 'invalid',
  description: 'Not the code that was sent, or it has expired, was used, or was missed five times.',
});

export const Phone = z.object({
  /** Whether this site sends text messages. */
  sms_offered: z.boolean(),
  /** The last digits of the number in the settings; null without one. */
  phone: z.string().nullable(),
  /** Whether the number is confirmed; only then text messages go there. */
  confirmed: z.boolean(),
  /** Whether a code was sent that is still valid. */
  code_sent: z.boolean(),
});
export type PhoneView = z.infer<typeof Phone>;

export const getPhone = call({
  name: 'accounts.getPhone',
  method: 'GET',
  path: '/user/phone',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: Phone,
  refusals: [],
  summary: 'One’s phone number, and whether it is confirmed',
  description: 'The number is the setting `phone`; another one there is not confirmed.',
});

export const sendPhoneCode = call({
  name: 'accounts.sendPhoneCode',
  method: 'POST',
  path: '/user/phone/code',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: Phone,
  refusals: [smsAbsent, phoneMissing, phoneConfirmed, phoneCodesLimited],
  limit: { points: 10, seconds: 3600, per: 'caller' },
  summary: 'Sends a code to one’s phone number',
  description: 'By text message, to the number in one’s settings. The code works for 10 minutes, and for 5 '
    + 'attempts; the one before it ends.',
});

export const confirmPhone = call({
  name: 'accounts.confirmPhone',
  method: 'POST',
  path: '/user/phone/confirm',
  access: 'member',
  credential: 'cookie',
  input: z.object({ code: z.string().min(1).max(20) }),
  output: Phone,
  refusals: [smsAbsent, phoneCodeWrong],
  limit: { points: 30, seconds: 600, per: 'caller' },
  summary: 'Confirms one’s phone number with the code that was sent to it',
  description: 'A number belongs to one account at a time: another one that had confirmed it gets no text '
    + 'messages any more, and an email that says so.',
});

export const removePhone = call({
  name: 'accounts.removePhone',
  method: 'POST',
  path: '/user/phone/remove',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: Phone,
  refusals: [],
  summary: 'Removes one’s phone number',
  description: 'From the settings too. Again is fine.',
});
