import { expect, it } from 'vitest';
import { CallFailed, type CallFunction, type Problem } from '../../../platform/contract/client.ts';
import { deliverTip, MAX_SENDS, outcomeOf } from './send-tip.ts';

const problem = (status: number, errorType: string): Problem => ({
  status, errorType, error: errorType, error_type: errorType, message: errorType, type: 'about:blank',
  title: errorType, detail: errorType,
});
const tip = { username: 'luna', amount: 25, comment: '' };
const noPause = async (): Promise<void> => {};

/** A server that answers each send in turn and keeps the keys it saw. */
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

it('sends nothing without a target: something went wrong [A-229] [A-407]', async () => {
  const { call, keys } = server([]);
  const outcome = await deliverTip(call, { ...tip, username: ' ' }, 'key-4', noPause);
  expect(outcome).toEqual({ kind: 'missing_target' });
  expect(keys).toEqual([]);
});

it('acts on the error type: log-in, getting tokens, or its text [A-400]', () => {
  expect(outcomeOf(problem(401, 'not_authenticated'))).toEqual({ kind: 'login' });
  expect(outcomeOf(problem(402, 'not_enough_tokens'))).toEqual({ kind: 'funds' });
  expect(outcomeOf(problem(404, 'receiver_unknown'))).toMatchObject({ kind: 'refused' });
});
