import { CallFailed, type CallFunction, type Problem } from '#platform/contract/client.ts';
import { expect, it } from 'vitest';
import { sendTip } from '../contract.ts';
import { deliverTip, MAX_SENDS, outcomeOf } from './send-tip.ts';

const problem = (status: number, errorType: string): Problem => ({
  status,
  errorType,
  error: errorType,
  error_type: errorType,
  message: errorType,
  type: 'about:blank',
  title: errorType,
  detail: errorType,
});
const tip = { username: 'luna', amount: 25, comment: '', anonymous: false, item: null };
const noPause = async (): Promise<void> => {};

/** A server that responds to each send in turn and records the keys. */
function server(answers: readonly (Problem | 'ok')[]): { call: CallFunction; keys: (string | undefined)[] } {
  const keys: (string | undefined)[] = [];
  const call = async (_call: unknown, _input: unknown, options?: { idempotencyKey?: string }) => {
    const answer = answers[keys.length] ?? 'ok';
    keys.push(options?.idempotencyKey);
    if (answer !== 'ok') throw new CallFailed(answer);
    return { tokens: 975 };
  };
  return { call: call as never, keys };
}

it('asks again with the same key when no answer came, so that nothing is paid twice', async () => {
  const { call, keys } = server([problem(0, 'unreachable'), problem(503, 'fault'), 'ok']);
  expect(await deliverTip(call, tip, 'key-1', noPause)).toEqual({ kind: 'sent', tokens: 975 });
  expect(keys).toEqual(['key-1', 'key-1', 'key-1']);
});

it('gives up after a few sends, and a refusal is never sent again', async () => {
  const dead = server(Array.from({ length: MAX_SENDS }, () => problem(0, 'unreachable')));
  await expect(deliverTip(dead.call, tip, 'key-2', noPause)).rejects.toThrow();
  expect(dead.keys).toHaveLength(MAX_SENDS);
  const refused = server([problem(403, 'own_tip')]);
  expect(await deliverTip(refused.call, tip, 'key-3', noPause)).toMatchObject({ kind: 'refused' });
  expect(refused.keys).toHaveLength(1);
});

it('sends nothing without a target: something went wrong [A-229]', async () => {
  const { call, keys } = server([]);
  for (const username of ['', ' ']) {
    const outcome = await deliverTip(call, { ...tip, username }, 'key-4', noPause);
    expect(outcome).toEqual({ kind: 'missing_target' });
  }
  expect(keys).toEqual([]);
});

it('acts on the error type: log-in, getting tokens, or its text [A-400]', () => {
  expect(outcomeOf(problem(401, 'not_authenticated'))).toEqual({ kind: 'login' });
  expect(outcomeOf(problem(402, 'not_enough_tokens'))).toMatchObject({ kind: 'prompt', prompt: 'purchase' });
  expect(outcomeOf(problem(404, 'receiver_unknown'))).toMatchObject({ kind: 'refused' });
});

it('acts by the error type on every answer but success, and on no other [A-231]', async () => {
  const actions: Readonly<Record<string, string>> = {
    not_enough_tokens: 'purchase',
    postpay_card_fail: 'postpay_card',
    over_daily_limit: 'postpay_verify',
    user_daily_limit: 'daily_low_limit',
    user_weekly_limit: 'daily_low_limit',
    user_monthly_limit: 'daily_low_limit',
    tip_geo_block_sender: 'unavailable',
    tip_geo_block_receiver: 'unavailable',
  };
  const codes = sendTip.refusals.map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(Object.keys(actions)));
  for (const code of new Set([...codes, 'of_tomorrow'])) {
    const { call, keys } = server([problem(402, code)]);
    const outcome = await deliverTip(call, tip, 'key', noPause);
    const did = outcome.kind === 'prompt' ? outcome.prompt : outcome.kind;
    expect([code, did, keys.length]).toEqual([code, actions[code] ?? 'refused', 1]);
    // The error type decides, not the status or the text.
    expect(outcomeOf({ ...problem(429, code), message: 'Some other words' }).kind).toBe(outcome.kind);
  }
});

it('acts on post-pay: its card dialog, unless no card would mend it', () => {
  const fail = problem(402, 'postpay_card_fail');
  expect(outcomeOf(fail)).toMatchObject({ kind: 'prompt', prompt: 'postpay_card' });
  expect(outcomeOf({ ...fail, exhausted: true, message: 'Not enough tokens' }))
    .toMatchObject({ kind: 'refused', problem: { message: 'Not enough tokens' } });
});

it('acts on limits: verifying for the operator\'s, the low limit dialog for the own', () => {
  expect(outcomeOf(problem(429, 'over_daily_limit'))).toMatchObject({ prompt: 'postpay_verify' });
  for (const own of ['user_daily_limit', 'user_weekly_limit', 'user_monthly_limit']) {
    expect(outcomeOf(problem(429, own))).toMatchObject({ kind: 'prompt', prompt: 'daily_low_limit' });
  }
});

it('acts on countries without tipping, of either side, by saying so', () => {
  for (const side of ['tip_geo_block_receiver', 'tip_geo_block_sender']) {
    expect(outcomeOf(problem(403, side))).toMatchObject({ kind: 'unavailable' });
  }
});
