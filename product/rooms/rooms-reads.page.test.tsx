import { expectAllReads, type QuietRead } from '#product/testkit/pages/read-faces.ts';
import { test } from 'vitest';
import { getChatUser } from './contract.ts';

const QUIET: readonly QuietRead[] = [
  {
    in: ['person-card.tsx'],
    call: getChatUser,
    because: 'asked by a press on a name, which says when it found nobody',
  },
];

test('each read of these pages has a case here [C-109]', () => expectAllReads('rooms', [], QUIET));
