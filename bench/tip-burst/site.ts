/** A site with a performer and tippers, and a tip as the tip service posts it. */
import { uuidV4 } from '#platform/data/ids.ts';
import type { Operation } from '#product/ledger/server.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';

/** Tokens of one tip. */
const TIP_TOKENS = 3;
/** Everybody's tokens at the start: more than a run can spend, in lots as they are sold. */
const PACKS = 3;
const PACK_TOKENS = 10_000_000;

export interface Burst {
  readonly site: TestSite;
  readonly performerId: number;
  readonly senderIds: readonly number[];
}

const personOf = async (site: TestSite, username: string, type: 'user' | 'model'): Promise<number> => {
  const { accounts } = site.services;
  const person = await accounts.create(site.scope, {
    username,
    email: `${username}@people.example`,
    password: 'not used',
    passwordHash: 'not used',
    birthDate: '1990-01-01',
    type,
    gender: type === 'model' ? 'f' : null,
    roles: [],
  });
  return person.id;
};

/** Opens a site on the database of TEST_DATABASE_URL, or on PGlite. */
export async function openBurst(senders: number): Promise<Burst> {
  const site = await createSite({ checkOutputs: false });
  const performerId = await personOf(site, 'performer', 'model');
  const senderIds: number[] = [];
  for (let n = 0; n < senders; n += 1) senderIds.push(await personOf(site, `sender${n}`, 'user'));
  for (const personId of senderIds) {
    await site.tx((tx) =>
      site.services.ledger.post(
        tx,
        Array.from({ length: PACKS }, () => ({
          id: uuidV4(),
          kind: 'purchase',
          memo: {},
          facts: [],
          parameterHash: '',
          legs: [
            { account: { kind: 'operator', name: 'float' } as const, tokens: -PACK_TOKENS },
            {
              account: { kind: 'person', personId, book: 'tokens' } as const,
              tokens: PACK_TOKENS,
              lot: { promotional: false, backingCents: PACK_TOKENS * 10 },
            },
          ],
        })),
      )
    );
  }
  return { site, performerId, senderIds };
}

/** A tip as `tips/server.ts` makes it. */
export function tipOf({ performerId }: Burst, senderId: number): Operation {
  const id = uuidV4();
  const sender = `sender${senderId}`;
  return {
    id,
    kind: 'tip',
    parameterHash: id,
    memo: { from: sender, to: 'performer', tokens: TIP_TOKENS, comment: 'lovely', type: 'tip', source: null },
    legs: [
      { account: { kind: 'person', personId: senderId, book: 'tokens' }, tokens: -TIP_TOKENS },
      {
        account: { kind: 'person', personId: performerId, book: 'earnings' },
        tokens: TIP_TOKENS,
        split: true,
      },
    ],
    facts: [{
      name: 'tips.received',
      key: `room:${performerId}`,
      payload: {
        tipId: id,
        senderId,
        senderName: sender,
        receiverId: performerId,
        receiverName: 'performer',
        tokens: TIP_TOKENS,
        comment: 'lovely',
        type: 'tip',
        anonymous: false,
        sourceId: null,
        vr: false,
        appData: {},
        order: null,
      },
    }],
  };
}
