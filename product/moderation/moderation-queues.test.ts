import { expect, it } from 'vitest';
import { CASE_KINDS, CASE_REASONS, DEFAULT_QUEUES, queueOf, takesAll } from './rules/queues.ts';

it('every case has a queue, the first that takes it', () => {
  for (const kind of CASE_KINDS) {
    for (const reason of CASE_REASONS) expect(queueOf(DEFAULT_QUEUES, { kind, reason })).not.toBeNull();
  }
  expect(queueOf(DEFAULT_QUEUES, { kind: 'address', reason: 'take_down' })).toBe(0);
  expect(queueOf(DEFAULT_QUEUES, { kind: 'picture', reason: 'underage' })).toBe(1);
  const pictures = [{ kinds: ['picture' as const], reasons: [] }, { kinds: [], reasons: ['spam' as const] }];
  expect(queueOf(pictures, { kind: 'picture', reason: 'spam' })).toBe(0);
  expect(queueOf(pictures, { kind: 'post', reason: 'spam' })).toBe(1);
  expect(queueOf(pictures, { kind: 'post', reason: 'illegal' })).toBeNull();
  expect([takesAll(DEFAULT_QUEUES), takesAll(pictures), takesAll([])]).toEqual([true, false, false]);
});
